"""Arithmetic on columns: whole numbers stay whole if they can, everything else follows IEEE 754."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any, Self

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from antelog.arrow.ticks import begins
from antelog.engine.columns.tables import Column, ColumnSet, Mask, marked
from antelog.engine.values.functions import ON_DOUBLES, ON_TIMES, ON_WHOLE
from antelog.engine.values.values import Values
from antelog.language.functions import calculated
from antelog.language.literals.aggregate import Affine
from antelog.language.moments import Timescale
from antelog.language.terms import WHOLE

_EDGE = 2.0**63  # from here on a whole number needs more than 64 bits

_BELOW = float(np.nextafter(_EDGE, 0))


@dataclass(frozen=True)
class Numbers(ColumnSet):
    """A number in each row, as a double and, if it `is_whole`, as a whole number; not-a-number is none."""

    real: NDArray[np.float64]
    whole: Column
    is_whole: Mask

    @classmethod
    def of_doubles(cls, real: NDArray[np.float64]) -> Numbers:
        finite = np.isfinite(real)
        if not finite.all():
            real = np.where(finite, real, np.nan)
        with np.errstate(invalid="ignore"):  # what does not fit is not whole
            whole = real.astype(np.int64)
        is_whole = (whole == real) & (real < _EDGE)
        return cls(real, whole if is_whole.all() else np.where(is_whole, whole, 0), is_whole)

    @classmethod
    def of_ticks(cls, ticks: Column) -> Numbers:
        return cls(ticks.astype(np.float64), ticks, np.ones(len(ticks), np.bool_))

    @classmethod
    def of_cells(cls, cells: Column, values: Values) -> Numbers:
        found, exact = cls.of_doubles(values.numbers(cells)), values.whole_numbers(cells)
        if exact is None:
            return found
        large = exact != 0
        return cls(found.real, np.where(large, exact, found.whole), found.is_whole | large)

    @property
    def there(self) -> Mask:
        return ~np.isnan(self.real)

    @property
    def as_doubles(self) -> NDArray[np.float64]:
        """Doubles in the order of the numbers; that of a whole one within 64 bits is below 2**63."""
        return np.where(self.is_whole, np.minimum(self.real, _BELOW), self.real)

    @property
    def order(self) -> Column:
        return np.lexsort((self.whole, self.as_doubles))

    def value(self, row: int) -> int | float | None:
        if self.is_whole[row]:
            return int(self.whole[row])
        return None if np.isnan(self.real[row]) else float(self.real[row])

    def or_none(self, at: Column) -> Numbers:
        """Selects numbers; none for -1, and for the place after the last."""
        real, whole = np.append(self.real, np.nan), np.append(self.whole, 0)
        return Numbers(real[at], whole[at], np.append(self.is_whole, False)[at])

    def with_exact(self, exact: Mapping[int, int | float]) -> Numbers:
        if not exact:
            return self
        real, whole, is_whole = self.real.copy(), self.whole.copy(), self.is_whole.copy()
        for row, number in exact.items():
            real[row], is_whole[row] = number, isinstance(number, int) and number in WHOLE
            whole[row] = number if is_whole[row] else 0
        return Numbers(real, whole, is_whole)

    @property
    def rounded(self) -> Mask:
        """Masks the whole numbers of which the double lacks digits."""
        large = self.is_whole & (np.abs(self.real) >= 2.0**53)
        if large.any():
            with np.errstate(invalid="ignore"):  # one that is too large has not
                large &= (self.real >= _EDGE) | (self.real.astype(np.int64) != self.whole)
        return large

    def cells(self, values: Values) -> Column:
        """The cells of the numbers, UNBOUND where there is none."""
        cells = values.encode(pa.array(self.real, from_pandas=True))
        large = marked(self.is_whole & (np.abs(self.real) >= 2.0**53))
        if len(large):
            cells[large] = values.encode(pa.array(self.whole.take(large)))
        return cells

    def compared(self, test: Callable[[Any, Any], Any], other: Numbers) -> Mask:
        """Masks the rows for which a comparison holds; a missing number compares false."""
        both = self.is_whole & other.is_whole
        found: Mask = test(self.whole, other.whole)
        if both.all():
            return found
        result: Mask = np.where(both, found, test(self.as_doubles, other.as_doubles))
        return result & self.there & other.there


def calculate(function: str, arguments: Sequence[Numbers]) -> Numbers:
    with np.errstate(all="ignore"):
        found = Numbers.of_doubles(ON_DOUBLES[function](*(each.real for each in arguments)))
    whole = ON_WHOLE.get(function)
    all_whole = reduce(np.logical_and, (each.is_whole for each in arguments))
    if whole is None or not all_whole.any():
        return found
    # Where a double can hold the result it is the same; where it cannot, whole numbers still may.
    exact = all_whole & (np.abs(found.real) < _SURE)
    if exact.all():
        results = whole(*(each.whole for each in arguments))
        return Numbers(results.astype(np.float64), results, exact)
    results = np.where(exact, whole(*(each.whole for each in arguments)), found.whole)
    real = np.where(exact, results.astype(np.float64), found.real)
    found = Numbers(real, results, exact | found.is_whole)
    at_the_edge = marked(all_whole & ~exact)
    return found.with_exact(
        {
            row: number
            for row in at_the_edge.tolist()
            if (number := calculated(function, [_at(each.whole, row) for each in arguments])) is not None
        }
    )


def after_steps(numbers: Numbers, steps: Sequence[Affine]) -> Numbers:
    """Applies the steps of a calculation with an aggregate's value."""
    for each in steps:
        number = Numbers.of_doubles(np.zeros(1)).with_exact({0: each.number})
        numbers = calculate(each.operator, [number, numbers] if each.first else [numbers, number])
    return numbers


def calendar_numbers(function: str, ticks: Column, timescale: Timescale) -> Numbers:
    here = (ticks >= 0) & (ticks < timescale.ticks.stop)
    times = begins(pa.array(np.where(here, ticks, 0)), timescale)
    numbers = np.asarray(ON_TIMES[function](times), np.float64)
    return Numbers.of_doubles(np.where(here, numbers, np.nan))


def _at(column: Column, row: int) -> int:
    """The number of a row; a constant has one row."""
    return int(column[row if len(column) > 1 else 0])


_SURE = 2.0**62  # below this a result, or a sum, of whole numbers surely fits into 64 bits


# ---- exact sums ----
#
#     0.1 + 0.2 + ... ten times: each is a whole multiple of 2**-55, and so is their sum
#
# Sums and means are rounded once, so that the order of the numbers makes no difference. Multiples beyond 64
# bits are cut into parts of 30 bits, which are added up separately.

_LARGEST = 2**53  # doubles hold all whole numbers up to this

_BITS = 30
_MASK = (1 << _BITS) - 1


@dataclass(frozen=True, eq=False)
class Summands(ColumnSet):
    """Numbers as whole multiples of 2**-shift, cut into `parts`, the lowest first."""

    shift: int
    parts: tuple[Column, ...]

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
        return cls(shift, parts)

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
