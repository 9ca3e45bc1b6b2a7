"""Prospects of queries whose rules are changed, before there is a state: counted from the tick of the change.

Malf is changed: complete from 5 ticks after the change on
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from antelog.compile.meaning.versions import Fate, compared
from antelog.compile.nodes.plan import Plan
from antelog.compile.prepared.rules import prepared
from antelog.engine.known import first_ticks
from antelog.engine.state import State
from antelog.engine.transition import QueryChange, change_of

_FAR = 1_000_000_000
"""A tick before which so much has happened that all which could be forgotten is."""


def prospects(
    old: Plan, begun: State, new: Plan, lacking: frozenset[str] = frozenset()
) -> Iterator[QueryChange]:
    """The changes of queries, their ticks counted from that of the change, given a state of the old plan."""
    rules = prepared(old)
    decided = {
        name: replace(each, until=_FAR - 1 - (rules.relations[name].bounds.delay or 0) - rules.lag)
        for name, each in begun.decided.items()
    }
    state = replace(begun, now=_FAR, begin=0, decided=decided)
    known = first_ticks(old, state, new, lacking)
    for each in compared(old, new).queries:
        if each.continues or each.fate is Fate.GONE:
            yield QueryChange(each)
            continue
        found = change_of(each, old, state, new, known)
        since, complete = (None if tick is None else tick - _FAR for tick in (found.since, found.complete))
        yield replace(found, since=since, complete=complete)


def in_words(change: QueryChange) -> str | None:
    """The prospect of a query in a sentence; None if it goes on as before."""
    match change.difference.fate:
        case Fate.GONE:
            return f"{change.name} is gone; its open answers are closed"
        case Fate.SAME if change.continues:
            return None
        case Fate.ADDED:
            what = f"{change.name} is new"
        case _:
            what = f"{change.name} is changed; open answers that it has no more are closed"
    if change.complete is None:
        return f"{what}; it may differ from a run from the start: {change.why}"
    ticks = f"{change.complete:,} tick{'' if change.complete == 1 else 's'}"
    return f"{what}; complete from {ticks} after the change on"
