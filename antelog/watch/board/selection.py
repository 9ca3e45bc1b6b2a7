"""The parameters of an address: which answers are shown, in which order and groups.

    ?severity=critical&query=Malf&prefix=north-hall/&state=over&text=wt2&due=17..18    open answers
    ?kind=confirmed&query=Malf&between=17..29                                          decided ones
    ?group=query&sort=deadline&open=wt2&from=40&count=20                               the list

A parameter may be repeated; each filter then lets through any of its values. Invalid ones are ignored.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from antelog.answers import ENDS
from antelog.engine.step.wording import LOST

Given: TypeAlias = Mapping[str, Sequence[str]]
"""The parameters of an address."""

SEVERITIES = ("critical", "warning", "info", "good")
"""From the worst to the best."""
STATES = ("over", "below", "none")
"""The chance is at least its threshold, is below it, or is unknown."""
KINDS = (*ENDS, LOST)
"""What became of decided answers."""
SORTS = ("urgent", "deadline", "new", "name", "likely")
GROUPS = ("key", "query", "none")
MOST = 1_000
"""Rows that are shown at once, at most."""
_KNOWN = {"severity": SEVERITIES, "state": STATES, "kind": KINDS}
_OPEN, _DECIDED = ("severity", "query", "prefix", "state"), ("kind", "severity", "query", "prefix")
_LONGEST = 200


@dataclass(frozen=True)
class AnswerFilter:
    """Conditions on answers; empty ones hold for all.

    `facets` are the columns that have one of some values; `text` has words that must all occur, `least` is a
    chance, `due` has the ticks of deadlines, and `between` those at which answers were decided.
    """

    facets: Mapping[str, Sequence[str]] = field(default_factory=dict)
    text: str = ""
    least: float = 0.0
    due: range | None = None
    between: range | None = None

    def chosen(self, facet: str) -> Sequence[str]:
        """The chosen values of a facet; none stand for all."""
        return self.facets.get(facet, ())

    @property
    def bad_only(self) -> AnswerFilter:
        """This filter without answers that are good, unless it asks for severities."""
        if self.chosen("severity"):
            return self
        facets = {**self.facets, "severity": SEVERITIES[:-1]}
        return AnswerFilter(facets, self.text, self.least, self.due, self.between)


@dataclass(frozen=True)
class Selection:
    """A filter, an order, groups, those of them that are opened, and a page of rows."""

    filter: AnswerFilter = field(default_factory=AnswerFilter)
    sort: str = "urgent"
    group: str = "key"
    opened: Sequence[str] = ()
    start: int = 0
    count: int = 60


def selection_of(given: Given) -> Selection:
    """The selection of open answers in the parameters of an address."""
    sort, group = first(given, "sort"), first(given, "group")
    return Selection(
        AnswerFilter(
            _facets(given, _OPEN),
            _text(given),
            min(1.0, max(0.0, _number(first(given, "least"), 0.0))),
            ticks_of(first(given, "due")),
        ),
        sort if sort in SORTS else SORTS[0],
        group if group in GROUPS else GROUPS[0],
        tuple(given.get("open", ())),
        max(0, int(_number(first(given, "from"), 0))),
        min(MOST, max(1, int(_number(first(given, "count"), 60)))),
    )


def decided_filter(given: Given) -> AnswerFilter:
    """The filter of decided answers in the parameters of an address."""
    return AnswerFilter(_facets(given, _DECIDED), _text(given), between=ticks_of(first(given, "between")))


def first(given: Given, name: str) -> str:
    """The value of a parameter that has one; empty if it is not there."""
    return next(iter(given.get(name, ())), "")


def ticks_of(text: str) -> range | None:
    """`17..19`, both included."""
    low, dots, high = text.partition("..")
    if not dots:
        return None
    begin, end = _number(low, -1), _number(high, -1)
    return range(int(begin), int(end) + 1) if 0 <= begin <= end else None


def _facets(given: Given, names: Sequence[str]) -> dict[str, Sequence[str]]:
    found: dict[str, Sequence[str]] = {}
    for name in names:
        values = [each for each in given.get(name, ()) if each and each in _KNOWN.get(name, (each,))]
        if values:
            found[name] = values
    return found


def _text(given: Given) -> str:
    return first(given, "text")[:_LONGEST]


def _number(text: str, otherwise: float) -> float:
    try:
        found = float(text) if text else otherwise
    except ValueError:
        return otherwise
    return found if abs(found) < 1e15 else otherwise
