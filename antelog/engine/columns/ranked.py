"""Numbers in a fixed sequence, of any stretch of which the least ones are found without looking at each.

    5 2 9 2 7     of the second to the fourth the least is 2, the second least 2, the third 9; two are up to 5

The numbers are split by their highest bit: those without it go to the front, the rest behind them, each part
in its order. Both parts are split by the next bit, and so on. How many numbers without the bit stand before
each place says where a stretch lies after each split, and how many of its numbers are in either part. So each
question takes as many steps as there are bits, for all questions at once. (This is a *wavelet matrix*.)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from antelog.engine.columns.tables import NEVER, Column, numbered


@dataclass(frozen=True, eq=False)
class _Split:
    """One split: how many numbers before each place go to the front, and the sums of weights after it."""

    bit: int
    before: NDArray[np.int32]
    sums: tuple[Column, ...]

    def fronts(self, at: Column) -> Column:
        return self.before.take(at).astype(np.int64)

    @property
    def front(self) -> int:
        """The length of the front part."""
        return int(self.before[-1])


@dataclass(frozen=True, eq=False)
class Ranked:
    """A sequence of numbers, with what its stretches, each from `first` to before `end`, are asked for."""

    different: Column
    splits: tuple[_Split, ...]

    @classmethod
    def of(cls, numbers: Column, weights: Sequence[Column] = ()) -> Self:
        """Numbers, each with some weights, which are added up."""
        different, rank = numbered(numbers)
        splits = list[_Split]()
        for bit in reversed(range(max(len(different).bit_length(), 1))):
            behind = (rank >> bit & 1).astype(np.bool_)
            order = np.concatenate([np.flatnonzero(~behind), np.flatnonzero(behind)])
            rank, weights = rank.take(order), [each.take(order) for each in weights]
            before = np.zeros(len(rank) + 1, np.int32)
            np.cumsum(~behind, out=before[1:])
            splits.append(_Split(bit, before, tuple(_sums(each) for each in weights)))
        return cls(different, tuple(splits))

    def least(self, first: Column, end: Column, number: Column) -> Column:
        """The least of each stretch (`number` 1), the second least (2), …; NEVER if it has fewer."""
        there = (number >= 1) & (number <= end - first)
        left, rank = np.where(there, number, 1), np.zeros(len(first), np.int64)
        for split in self.splits:
            one, other = split.fronts(first), split.fronts(end)
            behind = left > other - one
            left = left - np.where(behind, other - one, 0)
            rank |= behind * (1 << split.bit)
            first, end = _moved(split, first, one, behind), _moved(split, end, other, behind)
        found: Column = np.where(
            there, np.append(self.different, NEVER).take(np.where(there, rank, -1)), NEVER
        )
        return found

    def up_to(self, first: Column, end: Column, most: Column) -> Column:
        """How many numbers of each stretch are up to one."""
        return self._found(first, end, most)[0]

    def weights_up_to(self, first: Column, end: Column, most: Column) -> list[Column]:
        """For each kind of weight the sum over the numbers of each stretch that are up to one."""
        return self._found(first, end, most)[1]

    def _found(self, first: Column, end: Column, most: Column) -> tuple[Column, list[Column]]:
        kinds = len(self.splits[0].sums)
        count, sums = np.zeros(len(first), np.int64), np.zeros((kinds, len(first)), np.int64)
        # Those of lower ranks than that of the first number beyond are counted.
        beyond = np.searchsorted(self.different, most, "right")
        for split in self.splits:
            one, other = split.fronts(first), split.fronts(end)
            behind = (beyond >> split.bit & 1).astype(np.bool_)
            count += np.where(behind, other - one, 0)
            for kind, each in enumerate(split.sums):
                sums[kind] += np.where(behind, each.take(other) - each.take(one), 0)
            first, end = _moved(split, first, one, behind), _moved(split, end, other, behind)
        return count, [*sums]


def _sums(weights: Column) -> Column:
    """The sum of the weights before each place."""
    sums = np.zeros(len(weights) + 1, np.int64)
    np.cumsum(weights, out=sums[1:])
    return sums


def _moved(split: _Split, place: Column, fronts: Column, behind: NDArray[np.bool_]) -> Column:
    """Where places lie after a split, in the part that is looked at further, with so many fronts before."""
    moved: Column = np.where(behind, split.front + place - fronts, fronts)
    return moved
