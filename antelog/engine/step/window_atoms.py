"""The atoms of windows: sorted by key and tick, so that each window is a stretch of them. And their values.

    windows of 4 ticks; the value a in a fact of tick 5 that came at 9, and in one of tick 7 that came at 7

    windows that end at    5, 6    7, 8, 9, 10
    a is there since       9       7

So each fact is the first of its value, by arrival, for windows that end in one stretch of ticks at most. The
values of a window are those whose stretches have begun when it ends, without those whose stretches are over:
nothing is done for each window and each of its facts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np

from antelog.engine.columns.joins import TickRange
from antelog.engine.columns.ranked import Ranked, Slices
from antelog.engine.columns.tables import Column, Mask, changed, combined, in_order, keys_of, marked
from antelog.engine.facts.history import Facts


@dataclass(frozen=True, eq=False)
class WindowAtoms:
    """Atoms by key and tick, each with when it is there, and the stretch of them in each row's window.

    `of_row` is the key of each row.
    """

    key: Column
    of_row: Column
    cells: tuple[Column, ...]
    tick: Column
    arrival: Column
    first: Column
    end: Column

    @classmethod
    def of(cls, found: Facts, places: Sequence[int], key: Sequence[Column], ticks: TickRange) -> Self:
        """Atoms with some cells in these places in each row's range of ticks."""
        rows = len(ticks.first)
        there, asked = np.zeros(found.count, np.int64), np.zeros(rows, np.int64)
        if places:
            there, asked = keys_of([[found.columns[place] for place in places], key])
        order = in_order([there, found.time])
        there, tick, arrival = there.take(order), found.time.take(order), found.arrival.take(order)
        first, after = ticks.first, np.maximum(ticks.last + 1, ticks.first)
        window = slices_between(there, tick, asked, first, after)
        return cls(
            there,
            asked,
            tuple(column.take(order) for column in found.columns),
            tick,
            arrival,
            window.first,
            window.end,
        )

    def take(self, at: Column) -> WindowAtoms:
        """Some of the atoms, in the windows of the same rows."""
        return WindowAtoms(
            self.key.take(at),
            self.of_row,
            tuple(column.take(at) for column in self.cells),
            self.tick.take(at),
            self.arrival.take(at),
            np.searchsorted(at, self.first),
            np.searchsorted(at, self.end),
        )

    @cached_property
    def arrivals(self) -> Ranked:
        return Ranked.of(self.arrival)

    @property
    def slices(self) -> Slices:
        return Slices(self.first, self.end)

    def until(self, tick: Column) -> Slices:
        """The part of each row's window that is about ticks up to one."""
        end = least(self.first, self.end, lambda at: self.tick.take(at, mode="clip") > tick)
        return Slices(self.first, end)


def slices_between(key: Column, tick: Column, of_row: Column, first: Column, after: Column) -> Slices:
    """For each row the slice of its key's ticks from `first` to before `after`, in a table sorted by both."""
    both = combined([np.concatenate([key, of_row, of_row]), np.concatenate([tick, first, after])])
    own, begins, ends = np.split(both, [len(key), len(key) + len(of_row)])
    return Slices(np.searchsorted(own, begins), np.searchsorted(own, ends))


def least(low: Column, high: Column, holds: Callable[[Column], Mask]) -> Column:
    """For each row the least number from `low` on at which something begins to hold; `high` if none."""
    low, high = low.copy(), high.copy()
    while (low < high).any():
        middle = (low + high) >> 1
        found = holds(middle) | (low >= high)
        high = np.where(found, np.minimum(middle, high), high)
        low = np.where(found, low, middle + 1)
    return low


# ---- the different values in windows ----


@dataclass(frozen=True, eq=False)
class WindowValues:
    """When the values of windows arrived: each window has some slices of these arrivals."""

    arrivals: Ranked
    slices: Slices

    @classmethod
    def of(cls, members: WindowAtoms, value: Column, ticks: TickRange) -> Self | None:
        """The values of members in windows; None if these differ in length, but for a cut at tick 0."""
        some, length = ticks.last >= ticks.first, ticks.last - ticks.first + 1
        longest = int(length.max(initial=0))
        if (some & (length < longest) & (ticks.first > 0)).any():
            return None
        facts = _FirstFacts.of(members, value, longest)
        key, after = members.of_row, np.where(some, ticks.last + 1, 0)
        begun, begun_arrival = _up_to(facts, facts.begin, key, after)
        over, over_arrival = _up_to(facts, facts.end, key, after)
        count = len(begun_arrival)
        behind = Slices(over.first + count, over.end + count)
        return cls(
            Ranked.of(np.concatenate([begun_arrival, over_arrival])), Slices(begun.first, begun.end, behind)
        )


@dataclass(frozen=True, eq=False)
class _FirstFacts:
    """Facts that are the first of their value, in windows that end from the tick `begin` to before `end`."""

    key: Column
    arrival: Column
    begin: Column
    end: Column

    @classmethod
    def of(cls, members: WindowAtoms, value: Column, length: int) -> Self:
        """The first facts in windows of some length."""
        (of_value,) = keys_of([[members.key, value]])
        order = in_order([of_value, members.tick])
        tick, arrival = members.tick.take(order), members.arrival.take(order)
        fresh = changed(of_value.take(order))
        begin, end = tick.copy(), tick + length
        # A fact that came before it, or with it, has to be out of the window; a later one not yet in it.
        before = _nearest(arrival, arrival, fresh)
        there = marked(before >= 0)
        begin[there] = np.maximum(begin[there], tick.take(before[there]) + length)
        back, last = arrival[::-1], np.roll(fresh, -1)[::-1]
        after = len(tick) - 1 - _nearest(back, back - 1, last)[::-1]
        there = marked(after < len(tick))
        end[there] = np.minimum(end[there], tick.take(after[there]))
        at = marked(begin < end)
        return cls(members.key.take(order.take(at)), arrival.take(at), begin.take(at), end.take(at))


def _nearest(arrival: Column, most: Column, fresh: Mask) -> Column:
    """For each row the nearest before it, of its group, that has at most some arrival; -1 if none has.

    `fresh` is where groups begin; `most` is the row's own arrival, or somewhat less.
    """
    found = np.arange(len(arrival)) - 1
    found[fresh] = -1
    # Those that are skipped are too late for the one that skipped them, and so for this row.
    while len(late := marked((found >= 0) & (arrival.take(found) > most))):
        found[late] = found.take(found.take(late))
    return found


def _up_to(of: _FirstFacts, tick: Column, key: Column, after: Column) -> tuple[Slices, Column]:
    """For each row the stretch of its key's facts with a tick before `after`, and their arrivals in order."""
    order = in_order([of.key, tick])
    none = np.zeros(len(key), np.int64)
    found = slices_between(of.key.take(order), tick.take(order), key, none, after)
    return found, of.arrival.take(order)
