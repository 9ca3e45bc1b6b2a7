"""The atoms of windows: sorted by key and tick, so that each window is a stretch of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np

from antelog.engine.columns.column_set import ColumnSet
from antelog.engine.columns.ranked import Ranked, Slices
from antelog.engine.columns.tables import Column, Mask, combined, in_order, keys_of, positions
from antelog.engine.facts.history import Facts
from antelog.engine.step.rows import TickRange


@dataclass(frozen=True, eq=False)
class WindowAtoms(ColumnSet):
    """Atoms by key and tick, each with when it is there, and the stretch of them in each row's window.

    `of_row` is the key of each row.
    """

    shared = frozenset({"of_row", "first", "end"})

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

    def take(self, at: Column | Mask) -> Self:
        """Some of the atoms, in the windows of the same rows."""
        at = positions(at)
        first, end = (np.searchsorted(at, each) for each in (self.first, self.end))
        return replace(super().take(at), first=first, end=end)

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
