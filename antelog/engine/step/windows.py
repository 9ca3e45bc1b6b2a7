"""Windows: the members of ranges that rows ask for, in one table by key and tick, where each is a stretch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Self, TypeAlias

import numpy as np

from antelog.engine.columns.joins import TickRange
from antelog.engine.columns.ranked import Heights, InOrder, Ranked, Slices, Totals
from antelog.engine.columns.tables import NEVER, Column, ColumnSet, Mask, combined, in_order
from antelog.engine.facts.history import Facts
from antelog.engine.facts.sight import AskedTicks
from antelog.engine.step.derivations import Truth

ANY = np.int64(2**62)  # the number of atoms that may still come, where that is any number


@dataclass(frozen=True, eq=False)
class RowArrivals(ColumnSet):
    """The stretch of each row in a sequence of arrivals; with `as_of`, later ones are not there."""

    arrivals: Ranked
    slices: Slices
    as_of: Column | None = None

    def up_to(self, tick: Column | None = None) -> Totals:
        """The totals of arrivals up to some ticks, or of all."""
        if self.as_of is not None:
            tick = self.as_of if tick is None else np.minimum(tick, self.as_of)
        return self.arrivals.up_to(self.slices, tick)

    @property
    def nothing(self) -> Totals:
        return self.arrivals.nothing(self.slices)

    def first(self, holds: Callable[[Totals], Mask]) -> Column:
        """The tick from which on arrivals meet a condition that they go on to meet; NEVER if they do not."""
        found = self.arrivals.first(self.slices, holds)
        return found if self.as_of is None else np.where(found > self.as_of, NEVER, found)


@dataclass(frozen=True, eq=False)
class MemberTable:
    """Members in the order of keys and ticks: since when each is there, and its value."""

    key: Column
    tick: Column
    arrival: Column
    value: Column
    of_row: Column  # the key of each row
    slices: Slices  # the members of each row
    by_arrival: bool = False  # members are of one row each, and in the order of rows and arrivals

    @classmethod
    def of(cls, found: Facts, key: Column, value: Column, of_row: Column, ticks: TickRange) -> Self:
        """The atoms that have the key of a row, and lie in its range of ticks."""
        order = in_order([key, found.time])
        key, tick, after = key.take(order), found.time.take(order), np.maximum(ticks.last + 1, ticks.first)
        window = slices_between(key, tick, of_row, ticks.first, after)
        return cls(key, tick, found.arrival.take(order), value.take(order), of_row, window)

    def take(self, at: Column) -> MemberTable:
        """Some of the members, in the windows of the same rows."""
        slices = Slices(np.searchsorted(at, self.slices.first), np.searchsorted(at, self.slices.end))
        key, tick, arrival, value = (
            column.take(at) for column in (self.key, self.tick, self.arrival, self.value)
        )
        return MemberTable(key, tick, arrival, value, self.of_row, slices, self.by_arrival)

    @cached_property
    def _arrivals(self) -> Ranked:
        return self.ranked((), ())

    def ranked(self, weights: Sequence[Column], heights: Heights) -> Ranked:
        """The arrivals, with columns to add up (`weights`), and to find the largest of (`heights`)."""
        if self.by_arrival:
            return InOrder(self.arrival, weights, heights, row=self.key)
        return Ranked(self.arrival, weights, heights)

    def by_row(self, as_of: Column | None) -> RowArrivals:
        return RowArrivals(self._arrivals, self.slices, as_of)


def arrivals_by_row(row: Column, ticks: Column, count: int) -> RowArrivals:
    """Ticks that are given for some rows, as those of each row."""
    order = np.lexsort((ticks, row))
    row = row.take(order)
    return RowArrivals(InOrder(ticks.take(order), row=row), slices_by_row(row, count))


def slices_by_row(row: Column, count: int) -> Slices:
    """The slice of each row in a column of rows that is in order."""
    every = np.arange(count)
    return Slices(np.searchsorted(row, every), np.searchsorted(row, every, "right"))


def slices_between(key: Column, tick: Column, of_row: Column, first: Column, after: Column) -> Slices:
    """For each row the slice of its key's ticks from `first` to before `after`, in a table sorted by both."""
    both = combined([np.concatenate([key, of_row, of_row]), np.concatenate([tick, first, after])])
    own, begins, ends = np.split(both, [len(key), len(key) + len(of_row)])
    return Slices(np.searchsorted(own, begins), np.searchsorted(own, ends))


@dataclass(frozen=True, eq=False)
class OneByOne(ColumnSet):
    """Members that may come one by one, each up to a tick of its own (`until`), or any up to `any_until`."""

    is_any = False

    until: RowArrivals
    any_until: Column
    begin: Column
    end: Column
    decided: Column

    def coming(self, tick: Column) -> Column:
        left = self.until.slices.count - self.until.up_to(tick).count
        return np.where(tick < self.any_until, ANY, left)


@dataclass(frozen=True, eq=False)
class ByDeadline(ColumnSet):
    """Facts that may come up to the deadlines of the ticks of each row."""

    shared = frozenset({"tick"})

    members: RowArrivals
    values: RowArrivals | None
    taken: RowArrivals | None  # facts that leave the slot of their tick no other member
    tick: Column  # the ticks of all facts that close one
    ticks: AskedTicks
    single: bool  # whether a tick has at most one member
    closed: bool  # whether nothing that a tick rests on is open any more once it has a fact
    possible: Mask  # rows that have members at all

    @property
    def is_any(self) -> bool:
        return not self.single

    def coming(self, tick: Column) -> Column:
        if not self.single:
            return np.where(self.possible & (tick < self.ticks.deadline), ANY, 0)
        most = np.where(self.possible, self.ticks.count, 0) - self._spent(tick)
        coming: Column = np.maximum(most - (self.values or self.members).up_to(tick).count, 0)
        return coming

    @property
    def begin(self) -> Column:
        before = self.ticks.first - 1
        if self.taken is not None:
            before = np.minimum(before, self.taken.first(_is_any) - 1)
        return np.maximum(before, -1)

    @property
    def end(self) -> Column:
        return np.where(self.possible, self.ticks.deadline, -1)

    @property
    def decided(self) -> Column:
        deadline, as_of = self.ticks.deadline, self.members.as_of
        if as_of is None:
            return deadline
        if self.closed or self.single:
            # The latest tick without a fact is open for longest.
            none = np.zeros(len(deadline), np.int64)
            back = least(none, self.ticks.count, lambda row, back: self.take(row)._open(back) > 0)
            deadline = np.where(back < self.ticks.count, deadline - back, -1)
        return np.where(deadline > as_of, deadline, -1)

    def _spent(self, tick: Column) -> Column:
        """How many ticks can add none any more, or have added none."""
        over = np.minimum(tick - self.ticks.late, self.ticks.last)
        spent: Column = np.maximum(over - self.ticks.first + 1, 0) - self._closed_until(over, tick)
        members = self.members.up_to(tick).count
        if self.taken is not None:
            spent += self.taken.up_to(tick).count - members
        if self.values is not None:
            spent += members - self.values.up_to(tick).count
        return spent

    def _open(self, back: Column) -> Column:
        """How many of the last ticks, and one before them, have no fact."""
        there = (self.taken or self.members).up_to().count
        return back + 1 - there + self._closed_until(self.ticks.last - back - 1, None)

    def _closed_until(self, last: Column, tick: Column | None) -> Column:
        """How many facts about ticks up to the `last` close one, by some tick or in the end."""
        closing = self.taken or self.members
        first, end = closing.slices.first, closing.slices.end
        end = least(first, end, lambda row, at: self.tick.take(at) > last.take(row))
        return RowArrivals(closing.arrivals, Slices(first, end), closing.as_of).up_to(tick).count


Openings: TypeAlias = OneByOne | ByDeadline
"""How many more members may come to each row after a tick (`coming`; ANY if that is any number).

Up to `begin` there is no member, and no fewer may come; from `end` on none can come; by `decided`
everything has come that rows rest on (-1: already). If it `is_any`, any number may come up to the end.
"""


@dataclass(frozen=True, eq=False)
class Windows:
    """The window of each row: its members, and how many more may come."""

    members: MemberTable
    values: RowArrivals | None  # the arrivals of different values, where only these are counted
    openings: Openings
    as_of: Column | None = None

    @property
    def some(self) -> Truth:
        """The truth of "there is a member"."""
        true_at, openings = self.members.by_row(self.as_of).first(_is_any), self.openings
        false_at = openings.end
        if not openings.is_any:
            begin = openings.begin
            last = np.maximum(begin, false_at)
            false_at = least(begin, last, lambda row, tick: openings.take(row).coming(tick) == 0)
            false_at = np.where(false_at == begin, -1, false_at)
        return Truth(true_at, np.where(true_at < NEVER, NEVER, false_at), openings.decided)


def _is_any(found: Totals) -> Mask:
    return found.count > 0


def least(low: Column, high: Column, holds: Callable[[Column, Column], Mask]) -> Column:
    """For each row the least number from `low` on at which something begins to hold; `high` if none."""
    low, high = low.copy(), high.copy()
    while len(rows := (low < high).nonzero()[0]):
        room = high.take(rows) - low.take(rows)
        # Many numbers are tried at once: a few rows are done after one look at each.
        count = min(max(1024 // len(rows), 1), int(room.max()))
        share = np.arange(1, count + 1)
        # Numbers that cut what is left into equal parts.
        at = low.take(rows)[:, None] + room[:, None] // (count + 1) * share
        at += room[:, None] % (count + 1) * share // (count + 1)
        found = holds(np.repeat(rows, count), at.ravel()).reshape(at.shape)
        failed = (~found).sum(axis=1)
        line = np.arange(len(rows))
        high[rows] = np.where(failed < count, at[line, np.minimum(failed, count - 1)], high[rows])
        low[rows] = np.where(failed > 0, at[line, failed - 1] + 1, low[rows])
    return low
