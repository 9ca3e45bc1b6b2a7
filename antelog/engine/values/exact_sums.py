"""Sums of columns of numbers that are exact, and rounded once: no order of the numbers makes a difference.

    0.1 + 0.2 + ... ten times: each is a whole multiple of 2**-55, and so is their sum

Multiples that do not fit into 64 bits are cut into parts of 30 bits, which are added up each for itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from antelog.engine.columns.tables import Column
from antelog.engine.values.numbers import Numbers

_SURE = 2.0**62
"""Below this a sum of whole numbers surely fits into 64 bits."""

_LARGEST = 2**53
"""Whole numbers up to this are doubles."""

_BITS = 30
_MASK = (1 << _BITS) - 1


@dataclass(frozen=True, eq=False)
class Summands:
    """Numbers as whole multiples of 2**-shift, in `parts`, the lowest first, that are to be added up."""

    shift: int
    parts: tuple[Column, ...]

    @classmethod
    def of(cls, numbers: Numbers) -> Self:
        if numbers.is_whole.all() and np.abs(numbers.real).sum() < _SURE:
            return cls(0, (numbers.whole,))
        large = numbers.is_whole & (np.abs(numbers.whole) > _LARGEST)
        if large.any():  # which doubles do not tell apart
            different, which = numbers.real, np.arange(len(numbers.real))
        else:
            different, which = np.unique(numbers.real, return_inverse=True)
        exact = {row: (int(numbers.whole[row]), 1) for row in np.flatnonzero(large).tolist()}
        ratios = [exact.get(at) or real.as_integer_ratio() for at, real in enumerate(different.tolist())]
        shift = max((below.bit_length() - 1 for _, below in ratios), default=0)
        scaled = [above << (shift - below.bit_length() + 1) for above, below in ratios]
        count = max((each.bit_length() for each in scaled), default=0) // _BITS + 1
        cut = [
            [each >> _BITS * part & _MASK for each in scaled]
            if part < count - 1
            else [each >> _BITS * part for each in scaled]
            for part in range(count)
        ]
        return cls(shift, tuple(np.array(each, np.int64).take(which) for each in cut))

    def take(self, at: Column) -> Summands:
        return Summands(self.shift, tuple(each.take(at) for each in self.parts))

    def stretches(self, first: Column, end: Column) -> Numbers:
        """The sum of each stretch, from `first` to before `end`."""
        before = [np.concatenate([[0], each.cumsum()]) for each in self.parts]
        return self.added([each.take(end) - each.take(first) for each in before])

    def added(self, sums: Sequence[Column]) -> Numbers:
        """Sums of the parts, as numbers; one that no double can hold is not a number."""
        if self.shift == 0 and len(sums) == 1:
            return Numbers(sums[0].astype(np.float64), sums[0], np.ones(len(sums[0]), np.bool_))
        exact = [
            sum(part << _BITS * place for place, part in enumerate(parts))
            for parts in zip(*(each.tolist() for each in sums), strict=True)
        ]
        real = np.array([_rounded(each, self.shift) for each in exact], np.float64)
        large = ((row, each >> self.shift) for row, each in enumerate(exact) if each % (1 << self.shift) == 0)
        return Numbers.of_doubles(real).with_exact({row: each for row, each in large if abs(each) > _LARGEST})


def _rounded(scaled: int, shift: int) -> float:
    try:
        return scaled / (1 << shift)
    except OverflowError:
        return np.nan
