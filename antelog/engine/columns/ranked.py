"""Sequences of numbers that answer, for many stretches at once, what their least numbers add up to.

    5 2 9 2 7     of the second to the fourth the least is 2, the second least 2, the third 9; two are up to 5

A wavelet matrix: numbers without the highest bit go first, each part in its order, and so on by the next bit.
The count of numbers without the bit before each place says where a stretch lies after a split.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from antelog.engine.columns.tables import NEVER, Column, ColumnSet, Mask, numbered

NOTHING = -1  # the largest height of an empty stretch; heights are 0 or more


@dataclass(frozen=True, eq=False)
class Slices(ColumnSet):
    """Stretches of a sequence, from `first` to before `end`, less the stretches in `without`."""

    first: Column
    end: Column
    without: Slices | None = None

    @property
    def count(self) -> Column:
        count: Column = self.end - self.first
        return count if self.without is None else count - self.without.count

    def or_else(self, other: Slices, there: Mask) -> Slices:
        without = None
        if self.without is not None and other.without is not None:
            without = self.without.or_else(other.without, there)
        first, end = np.where(there, self.first, other.first), np.where(there, self.end, other.end)
        return Slices(first, end, without)


@dataclass(frozen=True, eq=False)
class Totals:
    """For each stretch its count of numbers, the sums of its weights, and its largest heights."""

    count: Column
    sums: tuple[Column, ...]
    highest: tuple[Column, ...]

    def and_more(self, more: Totals) -> Totals:
        """Combines the totals of two parts of each stretch."""
        sums = tuple(one + other for one, other in zip(self.sums, more.sums, strict=True))
        highest = tuple(np.maximum(*both) for both in zip(self.highest, more.highest, strict=True))
        return Totals(self.count + more.count, sums, highest)

    def or_else(self, other: Totals, there: Mask) -> Totals:
        sums = tuple(np.where(there, *both) for both in zip(self.sums, other.sums, strict=True))
        highest = tuple(np.where(there, *both) for both in zip(self.highest, other.highest, strict=True))
        return Totals(np.where(there, self.count, other.count), sums, highest)


Heights: TypeAlias = tuple[NDArray[np.int32], ...]


@dataclass(frozen=True, eq=False)
class _Sequence:
    """A sequence in some order: its heights, and the sums of its weights before each place."""

    sums: tuple[Column, ...]
    heights: Heights

    @classmethod
    def of(cls, weights: Sequence[Column], heights: Heights) -> Self:
        return cls(tuple(np.concatenate([[0], each.cumsum()]) for each in weights), heights)

    def totals(self, at: Slices) -> Totals:
        sums = tuple(each.take(at.end) - each.take(at.first) for each in self.sums)
        return Totals(at.count, sums, tuple(_largest(each, at) for each in self.heights))


def _largest(heights: NDArray[np.int32], at: Slices) -> Column:
    """The largest height of each stretch, or NOTHING if it is empty, by a sparse table of powers of two."""
    if not len(heights):
        return np.full(len(at.first), np.int64(NOTHING))
    length, lines = at.end - at.first, [heights]
    for power in range(max(int(length.max(initial=1)), 1).bit_length() - 1):
        line = lines[-1].copy()
        np.maximum(line[: -(1 << power)], line[1 << power :], out=line[: -(1 << power)])
        lines.append(line)
    power = np.frexp(np.maximum(length, 1))[1].astype(np.int64) - 1
    flat, begin, some = np.concatenate(lines), power * len(heights), length > 0
    one = flat.take(np.where(some, begin + at.first, 0))
    other = flat.take(np.where(some, begin + at.end - (1 << power), 0))
    return np.where(some, np.maximum(one, other), NOTHING).astype(np.int64)


@dataclass(frozen=True, eq=False)
class _Split:
    """One split by a bit: how many numbers before each place go to the front, and the new sequence."""

    bit: int
    before: NDArray[Any]  # of 32 bits, which is enough for places
    after: _Sequence

    def fronts(self, at: Slices) -> Slices:
        without = None if at.without is None else self.fronts(at.without)
        return Slices(self.before.take(at.first), self.before.take(at.end), without)

    def backs(self, at: Slices, fronts: Slices) -> Slices:
        without, behind = None, int(self.before[-1])
        if at.without is not None and fronts.without is not None:
            without = self.backs(at.without, fronts.without)
        return Slices(behind + at.first - fronts.first, behind + at.end - fronts.end, without)


@dataclass(frozen=True, eq=False)
class Ranked:
    """A sequence of numbers with weights to add up and heights, which is split when it is first asked."""

    numbers: Column
    weights: Sequence[Column] = ()
    heights: Heights = ()

    @cached_property
    def _different(self) -> tuple[Column, Column]:
        return numbered(self.numbers)

    @cached_property
    def _whole(self) -> _Sequence:
        return _Sequence.of(self.weights, self.heights)

    @cached_property
    def _splits(self) -> Sequence[_Split]:
        (different, rank), weights, heights = self._different, self.weights, self.heights
        splits = list[_Split]()
        for bit in reversed(range(max(len(different).bit_length(), 1))):
            behind = (rank >> bit & 1).astype(np.bool_)
            order = np.concatenate([np.flatnonzero(~behind), np.flatnonzero(behind)])
            rank, weights = rank.take(order), [each.take(order) for each in weights]
            heights = tuple([each.take(order) for each in heights])
            before = np.zeros(len(rank) + 1, np.int32)
            np.cumsum(~behind, out=before[1:])
            splits.append(_Split(bit, before, _Sequence.of(weights, heights)))
        return splits

    def nothing(self, at: Slices) -> Totals:
        return self._whole.totals(Slices(at.first, at.first))

    def up_to(self, at: Slices, most: Column | None) -> Totals:
        """The totals of the numbers of each stretch up to `most` (None: of all)."""
        if most is None:
            return self._whole.totals(at)
        beyond = np.searchsorted(self._different[0], most, "right")
        _, found = self._descended(at, lambda bit, _: (beyond >> bit & 1).astype(np.bool_))
        return found

    def first(self, at: Slices, holds: Callable[[Totals], Mask]) -> Column:
        """The least number of each stretch from which on its totals meet a condition; or NEVER."""
        rank, _ = self._descended(at, lambda _, totals: ~holds(totals))
        different, _ = self._different
        return np.append(different, NEVER).take(np.minimum(rank, len(different)))

    def _descended(self, at: Slices, goes_on: Callable[[int, Totals], Mask]) -> tuple[Column, Totals]:
        """Returns the rank at which each search ends, and the totals of all lower ranks, bit by bit."""
        rank, totals = np.zeros(len(at.first), np.int64), self.nothing(at)
        for split in self._splits:
            front = split.fronts(at)
            more = totals.and_more(split.after.totals(front))
            behind = goes_on(split.bit, more)
            totals = more.or_else(totals, behind)
            rank |= behind * (1 << split.bit)
            at = split.backs(at, front).or_else(front, behind)
        return rank, totals


@dataclass(frozen=True, eq=False)
class InOrder(Ranked):
    """Numbers sorted within each `row`, and stretches of one row: numbers up to one are their beginning."""

    row: Column = field(kw_only=True)

    @cached_property
    def _keys(self) -> Column:
        different, rank = self._different
        return self.row * (len(different) + 1) + rank

    def up_to(self, at: Slices, most: Column | None) -> Totals:
        if most is None or not len(self.row):
            return self._whole.totals(at)
        different, _ = self._different
        row = self.row.take(at.first, mode="clip")  # any, where there is nothing
        sought = row * (len(different) + 1) + np.searchsorted(different, most, "right")
        end = np.clip(np.searchsorted(self._keys, sought), at.first, at.end)
        return self._whole.totals(Slices(at.first, end))

    def first(self, at: Slices, holds: Callable[[Totals], Mask]) -> Column:
        low, high = np.zeros(len(at.first), np.int64), at.count
        while (open_ := low < high).any():
            middle = (low + high) >> 1
            some = Slices(at.first, np.minimum(at.first + middle + 1, at.end))
            found = holds(self._whole.totals(some)) | ~open_
            high = np.where(found, np.minimum(middle, high), high)
            low = np.where(found, low, middle + 1)
        place = np.where(low < at.count, at.first + low, len(self.numbers))
        return np.append(self.numbers, NEVER).take(place)
