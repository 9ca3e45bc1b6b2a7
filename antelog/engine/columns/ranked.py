"""Numbers in a fixed sequence, of any stretch of which the least ones are found without looking at each.

    5 2 9 2 7     of the second to the fourth the least is 2, the second least 2, the third 9; two are up to 5

The numbers are split by their highest bit: those without it go to the front, the rest behind them, each part
in its order. Both parts are split by the next bit, and so on. How many numbers without the bit stand before
each place says where a stretch lies after each split, and how many of its numbers are in either part. So each
question takes as many steps as there are bits, for all questions at once. (This is a *wavelet matrix*.)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from antelog.engine.columns.column_set import ColumnSet
from antelog.engine.columns.tables import NEVER, Column, Mask, numbered

NOTHING = -1
"""The largest number of an empty stretch; those of a sequence are 0 or more."""


@dataclass(frozen=True, eq=False)
class Peaks:
    """The largest number of any stretch of a sequence, looked up and not searched for.

        5 2 9 2 7     the largest of the second to the fourth is 9

    It has a line for each power of two, of the largest of so many numbers from each place on. A stretch is
    covered by two of these, which may overlap. (This is a *sparse table*.)
    """

    lines: NDArray[np.int32]

    @classmethod
    def of(cls, numbers: NDArray[np.int32], longest: int) -> Self:
        """Numbers that are 0 or more, for stretches of at most some length."""
        lines = [numbers]
        for power in range(max(longest, 1).bit_length() - 1):
            line = lines[-1].copy()
            np.maximum(line[: -(1 << power)], line[1 << power :], out=line[: -(1 << power)])
            lines.append(line)
        return cls(np.stack(lines))

    def largest(self, first: Column, end: Column) -> Column:
        """The largest of each stretch, from `first` to before `end`."""
        if not self.lines.size:
            return np.full(len(first), np.int64(NOTHING))
        length = end - first
        power = np.frexp(np.maximum(length, 1))[1].astype(np.int64) - 1
        at, width = power * self.lines.shape[1], 1 << power
        flat, some = self.lines.ravel(), length > 0
        one = flat.take(np.where(some, at + first, 0), mode="clip")
        other = flat.take(np.where(some, at + end - width, 0), mode="clip")
        largest: Column = np.where(some, np.maximum(one, other), NOTHING).astype(np.int64)
        return largest


@dataclass(frozen=True, eq=False)
class Slices(ColumnSet):
    """Stretches of a sequence, each from `first` to before `end`, `without` the numbers of other ones.

    Those have to be numbers of these.
    """

    first: Column
    end: Column
    without: Slices | None = None

    @property
    def count(self) -> Column:
        """How many numbers each has."""
        count: Column = self.end - self.first
        return count if self.without is None else count - self.without.count

    @property
    def longest(self) -> int:
        return int((self.end - self.first).max(initial=0))

    def or_else(self, other: Slices, there: Mask) -> Slices:
        """These where there is something, elsewhere the others, which are of the same kind."""
        without = None
        if self.without is not None and other.without is not None:
            without = self.without.or_else(other.without, there)
        first, end = np.where(there, self.first, other.first), np.where(there, self.end, other.end)
        return Slices(first, end, without)


_FLAT = np.zeros(0, np.int32)
"""The heights of numbers that have none."""


@dataclass(frozen=True, eq=False)
class _Split:
    """One split: how many numbers before each place go to the front; sums of weights and heights after it."""

    bit: int
    before: NDArray[np.int32]
    sums: tuple[Column, ...]
    heights: NDArray[np.int32]

    def fronts(self, at: Slices) -> Slices:
        """The parts of stretches that go to the front."""
        first, end = (self.before.take(each).astype(np.int64) for each in (at.first, at.end))
        return Slices(first, end, None if at.without is None else self.fronts(at.without))

    def backs(self, at: Slices, fronts: Slices) -> Slices:
        """The parts of stretches that go behind it."""
        without, behind = None, int(self.before[-1])
        if at.without is not None and fronts.without is not None:
            without = self.backs(at.without, fronts.without)
        return Slices(behind + at.first - fronts.first, behind + at.end - fronts.end, without)


@dataclass(frozen=True, eq=False)
class Ranked:
    """A sequence of numbers, with what its stretches are asked for."""

    different: Column
    splits: tuple[_Split, ...]

    @classmethod
    def of(cls, numbers: Column, weights: Sequence[Column] = (), heights: NDArray[np.int32] = _FLAT) -> Self:
        """Numbers, each with some weights, which are added up, or a height, of which the largest is found."""
        different, rank = numbered(numbers)
        splits = list[_Split]()
        for bit in reversed(range(max(len(different).bit_length(), 1))):
            behind = (rank >> bit & 1).astype(np.bool_)
            order = np.concatenate([np.flatnonzero(~behind), np.flatnonzero(behind)])
            rank, weights = rank.take(order), [each.take(order) for each in weights]
            heights = heights.take(order) if len(heights) else heights
            before = np.zeros(len(rank) + 1, np.int32)
            np.cumsum(~behind, out=before[1:])
            splits.append(_Split(bit, before, tuple(_sums(each) for each in weights), heights))
        return cls(different, tuple(splits))

    def least(self, at: Slices, number: Column) -> Column:
        """The least of each stretch (`number` 1), the second least (2), …; NEVER if it has fewer."""
        there = (number >= 1) & (number <= at.count)
        left, rank = np.where(there, number, 1), np.zeros(len(at.first), np.int64)
        for split in self.splits:
            front = split.fronts(at)
            behind = left > front.count
            left = left - np.where(behind, front.count, 0)
            rank |= behind * (1 << split.bit)
            at = split.backs(at, front).or_else(front, behind)
        found: Column = np.where(
            there, np.append(self.different, NEVER).take(np.where(there, rank, -1)), NEVER
        )
        return found

    def up_to(self, at: Slices, most: Column) -> Column:
        """How many numbers of each stretch are up to one."""
        count = np.zeros(len(at.first), np.int64)
        for _, front, behind in self._below(at, most):
            count += np.where(behind, front.count, 0)
        return count

    def weights_up_to(self, at: Slices, most: Column) -> list[Column]:
        """For each kind of weight the sum over the numbers of each stretch that are up to one."""
        sums = np.zeros((len(self.splits[0].sums), len(at.first)), np.int64)
        for split, front, behind in self._below(at, most):
            for kind, each in enumerate(split.sums):
                sums[kind] += np.where(behind, each.take(front.end) - each.take(front.first), 0)
        return [*sums]

    def highest_up_to(self, at: Slices, most: Column) -> Column:
        """The largest height of the numbers of each stretch that are up to one; NOTHING if there is none."""
        highest, longest = np.full(len(at.first), np.int64(NOTHING)), at.longest
        for split, front, behind in self._below(at, most):
            there = Peaks.of(split.heights, longest).largest(front.first, front.end)
            highest = np.maximum(highest, np.where(behind, there, NOTHING))
        return highest

    def least_from(self, at: Slices, height: Column) -> Column:
        """The least number of each stretch that has at least some height; NEVER if none has it."""
        rank, longest, there = np.zeros(len(at.first), np.int64), at.longest, np.ones(len(at.first), np.bool_)
        for split in self.splits:
            front, peaks = split.fronts(at), Peaks.of(split.heights, longest)
            back = split.backs(at, front)
            behind = peaks.largest(front.first, front.end) < height
            # From the second split on it is known that there is one.
            there = there & (~behind | (peaks.largest(back.first, back.end) >= height))
            rank |= behind * (1 << split.bit)
            at = back.or_else(front, behind)
        found: Column = np.append(self.different, NEVER).take(np.where(there, rank, -1))
        return found

    def _below(self, at: Slices, most: Column) -> Iterator[tuple[_Split, Slices, Mask]]:
        """Each split with the parts that go to the front, and where these are up to a number for certain."""
        # Those of lower ranks than that of the first number beyond are.
        beyond = np.searchsorted(self.different, most, "right")
        for split in self.splits:
            front = split.fronts(at)
            behind = (beyond >> split.bit & 1).astype(np.bool_)
            yield split, front, behind
            at = split.backs(at, front).or_else(front, behind)


def _sums(weights: Column) -> Column:
    """The sum of the weights before each place."""
    sums = np.zeros(len(weights) + 1, np.int64)
    np.cumsum(weights, out=sums[1:])
    return sums
