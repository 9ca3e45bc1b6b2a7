"""The parameters of an address: which open answers are shown, in which order and groups.

    ?severity=critical&query=Malf&prefix=north-hall/&state=over&text=wt2&due=17..18    filters
    ?group=query&sort=deadline&open=wt2&from=40&count=20                               the list

A parameter may be repeated; each filter then lets through any of its values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

Given: TypeAlias = Mapping[str, Sequence[str]]
"""The parameters of an address."""

SEVERITIES = ("critical", "warning", "info", "good")
"""From the worst to the best."""
STATES = ("over", "below", "none")
"""The chance is at least its threshold, is below it, or is unknown."""
SORTS = ("urgent", "deadline", "new", "name", "likely")
GROUPS = ("key", "query", "none")
MOST = 1_000
"""Rows that are shown at once, at most."""
_LONGEST = 200


@dataclass(frozen=True)
class AnswerFilter:
    """Conditions on open answers; empty ones hold for all.

    `text` has words that must all occur, `least` is a chance, `due` has the ticks of deadlines.
    """

    severities: Sequence[str] = ()
    queries: Sequence[str] = ()
    prefixes: Sequence[str] = ()
    states: Sequence[str] = ()
    text: str = ""
    least: float = 0.0
    due: range | None = None


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
    """The selection in the parameters of an address; invalid ones are ignored."""
    sort, group = first(given, "sort"), first(given, "group")
    return Selection(
        filter_of(given),
        sort if sort in SORTS else SORTS[0],
        group if group in GROUPS else GROUPS[0],
        tuple(given.get("open", ())),
        max(0, int(_number(first(given, "from"), 0))),
        min(MOST, max(1, int(_number(first(given, "count"), 60)))),
    )


def filter_of(given: Given) -> AnswerFilter:
    """The filter in the parameters of an address."""
    return AnswerFilter(
        [each for each in given.get("severity", ()) if each in SEVERITIES],
        [each for each in given.get("query", ()) if each],
        [each for each in given.get("prefix", ()) if each],
        [each for each in given.get("state", ()) if each in STATES],
        first(given, "text")[:_LONGEST],
        min(1.0, max(0.0, _number(first(given, "least"), 0.0))),
        ticks_of(first(given, "due")),
    )


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


def _number(text: str, otherwise: float) -> float:
    try:
        found = float(text) if text else otherwise
    except ValueError:
        return otherwise
    return found if abs(found) < 1e15 else otherwise
