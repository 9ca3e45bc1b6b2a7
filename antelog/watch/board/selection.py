"""The parameters of an address: which answers are shown, in which order and groups.

?severity=critical&query=Malf&prefix=north-hall/&state=over&text=wt2&due=17..18    open answers
?text=press -wt2 device:hall-3&care=ann                                            words, and who cares
?kind=confirmed&query=Malf&between=17..29                                          decided ones
?group=query&sort=deadline&open=wt2&from=40&count=20                               the list
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from antelog.answers import ENDS
from antelog.engine.step.wording import LOST

Given: TypeAlias = Mapping[str, Sequence[str]]  # the parameters of an address
SEVERITIES = ("critical", "warning", "info", "good")  # from the worst to the best
STATES = ("over", "below", "none")  # the chance is at least its threshold, is below it, or is unknown
KINDS = (*ENDS, LOST)  # what became of decided answers
SORTS = ("urgent", "deadline", "new", "name", "likely")
GROUPS = ("key", "query", "none")
MOST = 1_000  # rows that are shown at once, at most
_KNOWN = {"severity": SEVERITIES, "state": STATES, "kind": KINDS}
_OPEN, _DECIDED = ("severity", "query", "prefix", "state"), ("kind", "severity", "query", "prefix")
_LONGEST = 200
NOBODY = "nobody's"


@dataclass(frozen=True)
class AnswerFilter:
    """Conditions on answers; empty ones hold for all."""

    facets: Mapping[str, Sequence[str]] = field(default_factory=dict)  # the values that columns may have
    text: str = ""  # words that must all occur, after `-` must not, after `device:` in the key
    care: Sequence[str] = ()  # people who take care of it; `NOBODY` for nobody
    least: float = 0.0  # the least chance
    due: range | None = None  # ticks of deadlines
    between: range | None = None  # ticks at which answers were decided

    @property
    def bad_only(self) -> AnswerFilter:
        """This filter without `good` answers, unless it asks for severities."""
        if self.facets.get("severity"):
            return self
        return replace(self, facets={**self.facets, "severity": SEVERITIES[:-1]})


@dataclass(frozen=True)
class Selection:
    """A filter, an order, the kind of groups and which of them are opened, and a page of rows."""

    filter: AnswerFilter = field(default_factory=AnswerFilter)
    sort: str = "urgent"
    group: str = "key"
    opened: Sequence[str] = ()
    start: int = 0
    count: int = 60


def selection_of(given: Given) -> Selection:
    sort, group = first(given, "sort"), first(given, "group")
    return Selection(
        AnswerFilter(
            _facets(given, _OPEN),
            first(given, "text")[:_LONGEST],
            least=min(1.0, max(0.0, number_of(first(given, "least"), 0.0))),
            care=tuple(each for each in given.get("care", ()) if each),
            due=ticks_of(first(given, "due")),
        ),
        sort if sort in SORTS else SORTS[0],
        group if group in GROUPS else GROUPS[0],
        tuple(given.get("open", ())),
        max(0, int(number_of(first(given, "from"), 0))),
        min(MOST, max(1, int(number_of(first(given, "count"), 60)))),
    )


def decided_filter(given: Given) -> AnswerFilter:
    return AnswerFilter(
        _facets(given, _DECIDED), first(given, "text")[:_LONGEST], between=ticks_of(first(given, "between"))
    )


def first(given: Given, name: str) -> str:
    """Returns the first value of a parameter; empty if it is not there."""
    return next(iter(given.get(name, ())), "")


def ticks_of(text: str) -> range | None:
    """Parses `17..19`, both included; None if it is not a range."""
    low, dots, high = text.partition("..")
    if not dots:
        return None
    begin, end = number_of(low, -1), number_of(high, -1)
    return range(int(begin), int(end) + 1) if 0 <= begin <= end else None


def _facets(given: Given, names: Sequence[str]) -> dict[str, Sequence[str]]:
    found: dict[str, Sequence[str]] = {}
    for name in names:
        values = [each for each in given.get(name, ()) if each and each in _KNOWN.get(name, (each,))]
        if values:
            found[name] = values
    return found


def number_of(text: str, otherwise: float) -> float:
    try:
        found = float(text) if text else otherwise
    except ValueError:
        return otherwise
    return found if abs(found) < 1e15 else otherwise
