"""The alerts that lines of the log would have rung, by query, key and level.

    level 0          an answer is possible      an alert is on while one of its query and key is open
    level 0.6        its chance is 60 %         while one is open with such a chance
    level CONFIRMED  it is confirmed            at its line, and for `settle` ticks after the last

An alert begins where none is on. So fifty answers about one device that overlap ring once. Within a tick
there is no order: an alert that ends at one is still on for what begins at it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from antelog.engine.columns.tables import NEVER, Column, Mask, Numbers, RowSet, changed, combined, ordered

POSSIBLE, CONFIRMED = 0.0, 2.0  # the levels of what has no chance; those between are chances


@dataclass(frozen=True, eq=False)
class LoggedLines(RowSet):
    """Lines of the log, in its order: `answer` and `key` are numbers, `chance` is NaN where there is none."""

    query: Column
    answer: Column
    key: Column
    tick: Column
    chance: Numbers
    is_open: Mask
    confirmed: Mask


@dataclass(frozen=True, eq=False)
class Alerts(RowSet):
    """Alerts, by query, key and tick; each is on from `tick` to `end`, the tick of the line that ended it."""

    query: Column
    key: Column
    tick: Column
    end: Column


def alerts_at(level: float, lines: LoggedLines, settle: int, *, together: bool = False) -> Alerts:
    """The alerts of each query at a level; `together`: those of all queries, as one."""
    begin, end, on = _spans(level, lines, settle)
    query, key = np.zeros_like(lines.query) if together else lines.query, lines.key
    first, until = overlapping(combined([query[on], key[on]]), begin[on], end[on])
    return Alerts(query[on][first], key[on][first], begin[on][first], until)


def _spans(level: float, lines: LoggedLines, settle: int) -> tuple[Column, Column, Mask]:
    """For each line the ticks for which it is at the level, and whether it is."""
    if level == CONFIRMED:
        return lines.tick, lines.tick + settle, lines.confirmed
    likely = lines.is_open if level == POSSIBLE else lines.is_open & (lines.chance >= level)
    order, sequence = ordered(lines.answer)
    following = np.full(len(order), NEVER)
    later = np.flatnonzero(~changed(sequence))  # lines of an answer that had one before
    following[order[later - 1]] = lines.tick[order[later]]
    return lines.tick, np.where(lines.confirmed, lines.tick, following), likely | lines.confirmed


def overlapping(group: Column, begin: Column, end: Column) -> tuple[Column, Column]:
    """The row that begins each run of spans of a group with a tick in common, and where the run ends."""
    order = np.lexsort((begin, group))
    group, begin = group[order], begin[order]
    fresh = changed(group)
    groups = np.split(end[order], np.flatnonzero(fresh)[1:])
    latest = np.concatenate([np.maximum.accumulate(each) for each in groups])
    fresh[1:] |= begin[1:] > latest[:-1]
    starts = np.flatnonzero(fresh)
    return order[starts], latest[np.append(starts[1:], len(order))[: len(starts)] - 1]


def levels_that_differ(caught: Sequence[tuple[float, int]], incidents: int) -> Iterator[float]:
    """The highest chances at which a tenth of the incidents more is caught; given falling chances."""
    before = 0
    for level, number in caught:
        if (number - before) * 10 >= max(incidents, 1):
            before = number
            yield level
