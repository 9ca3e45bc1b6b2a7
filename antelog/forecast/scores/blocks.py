"""Sums for each block of time, so many blocks at most, however long a run is.

    ticks 0 to 40      blocks of 2 ticks: 0-1, 2-3, …, 40-41
    a tick 70 more     blocks of 4 ticks: 0-3, 4-7, …, 68-71; sums of two blocks become one

Answers that are decided at about the same time depend on the same facts and are right or wrong together.
How much their sums vary from block to block shows how much that matters.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from antelog.engine.columns.tables import Column

MOST = 32
"""So many blocks there are at most, and half as many at least once that many ticks have passed."""


@dataclass(frozen=True, eq=False)
class Blocks:
    """Several sums (a row each) for blocks of ticks (a column each).

    The blocks follow from the first and the last tick alone: a width that is a power of 2 and the least
    with which they are few enough; the first block begins at a multiple of it. Without any ticks, the first
    is after the last.
    """

    sums: Column
    first: int = 0
    last: int = -1

    @property
    def width(self) -> int:
        return 1 << _shift(self.first, self.last)

    def __add__(self, other: Blocks) -> Blocks:
        if self.last < self.first:
            return other
        if other.last < other.first:
            return self
        first, last = min(self.first, other.first), max(self.last, other.last)
        return Blocks(self._spread(first, last) + other._spread(first, last), first, last)

    def _spread(self, first: int, last: int) -> Column:
        """The sums, in the blocks that a longer time has."""
        start = (self.first >> _shift(self.first, self.last)) * self.width
        # A block that is not in use may lie too far; it holds nothing.
        at = np.minimum(_numbers(start + np.arange(MOST) * self.width, first, last), MOST - 1)
        sums = np.zeros_like(self.sums)
        np.add.at(sums.T, at, self.sums.T)
        return sums

    def at_least(self, width: float) -> Column:
        """The sums of blocks that are at least so many ticks wide, if need be of several together."""
        sums, own = self.sums, self.width
        while own < width and sums.shape[1] > 1:
            sums, own = sums[:, ::2] + sums[:, 1::2], own * 2
        return sums


def blocks(count: int) -> Blocks:
    """`count` sums, all empty."""
    return Blocks(np.zeros((count, MOST), np.int64))


def summed(count: int, row: Column, tick: Column, amount: Column) -> Blocks:
    """Sums of amounts by row and block, each amount with its row and its tick."""
    found = blocks(count)
    if len(tick) == 0:
        return found
    first, last = int(tick.min()), int(tick.max())
    np.add.at(found.sums, (row, _numbers(tick, first, last)), amount)
    return Blocks(found.sums, first, last)


def _numbers(tick: Column, first: int, last: int) -> Column:
    shift = _shift(first, last)
    numbers: Column = (tick >> shift) - (first >> shift)
    return numbers


def _shift(first: int, last: int) -> int:
    shift = 0
    while (last >> shift) - (first >> shift) >= MOST:
        shift += 1
    return shift
