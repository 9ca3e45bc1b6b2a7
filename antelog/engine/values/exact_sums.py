"""Exact sums and means, rounded once, so that the order of the numbers makes no difference.

    0.1 + 0.2 + ... ten times: each is a whole multiple of 2**-55, and so is their sum

Multiples beyond 64 bits are cut into parts of 30 bits, which are added up separately.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from antelog.engine.columns.column_set import ColumnSet
from antelog.engine.columns.tables import Column, marked
from antelog.engine.values.numbers import Numbers

_SURE = 2.0**62
"""Below this a sum of whole numbers surely fits into 64 bits."""

_LARGEST = 2**53
"""Doubles hold all whole numbers up to this."""

_BITS = 30
_MASK = (1 << _BITS) - 1


@dataclass(frozen=True, eq=False)
class Summands(ColumnSet):
    """Numbers as multiples of 2**-shift, cut into `parts`, the lowest first; sums may be `far` too large."""

    shift: int
    parts: tuple[Column, ...]
    far: bool = False

    @classmethod
    def of(cls, numbers: Numbers) -> Self:
        with np.errstate(over="ignore"):
            most = np.abs(numbers.real).sum()
        if numbers.is_whole.all() and most < _SURE:
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
        parts = tuple(np.array(each, np.int64).take(which) for each in cut)
        return cls(shift, parts, far=not np.isfinite(most))

    def added(self, sums: Sequence[Column], counts: Column | None = None) -> Numbers:
        """Sums of the parts, divided by `counts` if given; not-a-number for a 0 there, and beyond doubles."""
        if self.shift == 0 and len(sums) == 1:
            (whole,) = sums
            if counts is None:
                return Numbers(whole.astype(np.float64), whole, np.ones(len(whole), np.bool_))
            if np.abs(whole).max(initial=0) <= _LARGEST:
                return Numbers.of_doubles(whole / np.where(counts == 0, np.nan, counts))
        exact = [
            sum(part << _BITS * place for place, part in enumerate(parts))
            for parts in zip(*(each.tolist() for each in sums), strict=True)
        ]
        below = [each << self.shift for each in ([1] * len(exact) if counts is None else counts.tolist())]
        real = np.array([_rounded(*each) for each in zip(exact, below, strict=True)], np.float64)
        found = Numbers.of_doubles(real)
        large = marked(found.is_whole & (np.abs(real) >= _LARGEST) | (np.abs(real) == 2.0**63)).tolist()
        return found.with_exact({i: exact[i] // below[i] for i in large if exact[i] % below[i] == 0})


def _rounded(above: int, below: int) -> float:
    try:
        return above / below if below else np.nan
    except OverflowError:
        return np.nan
