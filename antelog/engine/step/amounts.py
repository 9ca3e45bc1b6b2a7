"""Amounts: the values that an aggregate may have, and when a comparison of these is decided.

    count(Fail(wt2, _, 0..3)) >= 3     members from 0, 2 and 3 on, any number until 4
    tick          0      2      3
    so far        1      2      3
    may become    any    any    any
    comparison    open   open   true

A comparison is true once it holds for all values that there may be, and false once it fails for all.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from antelog.compile.literals.aggregate import Aggregate
from antelog.engine.columns.tables import Column, Mask, marked
from antelog.engine.step.windows import ANY
from antelog.engine.values.numbers import Numbers, after_steps
from antelog.language.literals.aggregate import Affine
from antelog.language.literals.comparison import HOLDS

Test: TypeAlias = Callable[[Any, Any], Any]

QUARTERS = 4
"""A value that rises towards the number it is compared with is told again at each of so many parts."""


@dataclass(frozen=True, eq=False)
class Amount:
    """The value of an aggregate in each of some rows: that of the members there, and how many may come.

    Where there is no value, it is not a number. Where it `rises`, more members can only make it larger. With
    `open` variables some of the members will be left out, unless there are none, and none can come.
    """

    aggregate: Aggregate
    now: Numbers
    coming: Column
    rises: Mask
    open: Mask


# ---- comparisons ----


class _Limit(NamedTuple):
    """The least or the largest value there may be: a number, or `beyond` all of them (-1, 1).

    That, and what else is the same for all rows, may be a single value instead of a column.
    """

    number: Numbers
    beyond: NDArray[np.int8]

    def compared(self, test: Test, other: _Limit) -> Mask:
        far = (self.beyond != 0) | (other.beyond != 0)
        if not far.any():
            return self.number.compared(test, other.number)
        beyond: Mask = test(self.beyond, other.beyond)
        return beyond if far.all() else np.where(far, beyond, self.number.compared(test, other.number))

    @property
    def real(self) -> NDArray[np.float64]:
        return np.where(self.beyond == 0, self.number.real, np.copysign(np.inf, self.beyond))


@dataclass(frozen=True, eq=False)
class Between:
    """The values there may be: from `least` to `largest`, in whole steps if it counts.

    `none` has no value for certain, `open` may have none, or any. What is `rising` may be less than that.
    """

    least: _Limit
    largest: _Limit
    counts: bool
    none: Mask
    open: Mask
    rising: Mask

    @property
    def one(self) -> Mask:
        """Where there is one value only."""
        near = (self.least.beyond == 0) & (self.largest.beyond == 0)
        result: Mask = near & self.least.number.compared(HOLDS["="], self.largest.number)
        return result


def between(of: Amount) -> Between:
    """The values that an aggregate may have, for all values of its open variables."""
    found = _of_whole(of)
    if of.open.any():
        below = np.where(of.open, -1, found.least.beyond).astype(np.int8)
        is_open = np.where(of.open, ~of.rises, found.open)
        least = _Limit(found.least.number, below)
        found = replace(found, least=least, none=found.none & ~of.open, open=is_open, rising=of.open)
    return _after(found, of.aggregate.steps)


def _of_whole(of: Amount) -> Between:
    """The values that an aggregate may have, by what is there and what may still come."""
    now, settled, function = of.now, of.coming == 0, of.aggregate.function
    nothing, near = ~now.there, np.zeros(of.coming.shape, np.int8)
    no = near > 0
    below, above = (np.where(settled, 0, beyond).astype(np.int8) for beyond in (-1, 1))
    if function == "count":
        coming = np.where(of.coming == ANY, 0, of.coming)
        above = np.where(of.coming == ANY, 1, 0).astype(np.int8)
        largest = _Limit(Numbers.of_ticks(now.whole + coming), above)
        return Between(_Limit(now, near), largest, True, no, no, no)
    if function == "sum":
        # One beyond the doubles has no value, unless others can bring it back.
        below = np.where(of.rises, 0, below).astype(np.int8)
        return Between(_Limit(now, below), _Limit(now, above), False, nothing & (below == 0), no, no)
    if function == "max":
        below = np.where(nothing, below, 0).astype(np.int8)
    elif function == "min":
        above = np.where(nothing, above, 0).astype(np.int8)
    may_lack = nothing if function != "avg" else np.ones(len(nothing), np.bool_)
    least, largest = _Limit(now, below), _Limit(now, above)
    return Between(least, largest, False, nothing & settled, may_lack & ~settled, no)


def of_number(number: Numbers, *, known: bool = True) -> Between:
    """One value, or none; if it is not `known` it may be any."""
    least, largest = (_Limit(number, np.full((), 0 if known else sign, np.int8)) for sign in (-1, 1))
    return Between(
        least, largest, False, known & ~number.there, np.full((), not known), np.zeros((), np.bool_)
    )


def _after(values: Between, steps: Sequence[Affine]) -> Between:
    """The values after some steps."""
    for step in steps:
        ends = [_limit_after(each, step) for each in (values.least, values.largest)]
        # One that is divided by 0 or beyond the doubles has no value.
        no, other = (
            ~end.number.there & (was.number.there | (was.beyond != 0))
            for end, was in zip(ends, (values.least, values.largest), strict=True)
        )
        least, largest = ends if step.sign >= 0 else ends[::-1]
        counts = values.counts and step.operator in "+-" and isinstance(step.number, int)
        none, is_open = values.none | (no & other), values.open | (no ^ other)
        values = replace(values, least=least, largest=largest, counts=counts, none=none, open=is_open)
    return values


def _limit_after(limit: _Limit, step: Affine) -> _Limit:
    """The limit after a step; 0 times any number is 0."""
    far, number = limit.beyond != 0, limit.number
    near = Numbers(np.where(far, 0, number.real), np.where(far, 0, number.whole), number.is_whole | far)
    return _Limit(after_steps(near, (step,)), limit.beyond * np.int8(step.sign))


def outcome_of(operator: str, left: Between, right: Between) -> NDArray[np.int8]:
    """Whether a comparison holds for all values (1), fails for all (0), or neither (-1)."""
    if operator in ("=", "!="):
        equal = _may_equal(left, right)
        different = ~(left.one & right.one & left.least.compared(HOLDS["="], right.least))
        holds, fails = (equal, different) if operator == "=" else (different, equal)
        found = np.where(~holds, 0, np.where(~fails, 1, -1))
    else:
        test = HOLDS[operator]
        one = left.least.compared(test, right.largest)
        other = left.largest.compared(test, right.least)
        found = np.where(one & other, 1, np.where(one | other, -1, 0))
    rising = left.rising | right.rising
    if rising.any():
        # Nothing but that it does not come so far.
        found = np.where(rising & ((found == 1) | (operator in ("=", "!="))), -1, found)
    is_open = left.open | right.open
    if is_open.any():
        found = np.where(is_open, -1, found)
    return np.where(left.none | right.none, 0, found).astype(np.int8)


def _may_equal(left: Between, right: Between) -> Mask:
    """Whether some value is possible on both sides."""
    if left.counts or right.counts:  # these are much smaller than what doubles round
        low = np.ceil(np.maximum(left.least.real, right.least.real))
        return low <= np.floor(np.minimum(left.largest.real, right.largest.real))
    at_most = HOLDS["<="]
    return left.least.compared(at_most, right.largest) & right.least.compared(at_most, left.largest)


def quarter_reached(now: Numbers, number: Column, goal: Numbers) -> Mask:
    """For each row, whether a number has come so many quarters of the way to another."""
    found = now.real >= number * (goal.real / QUARTERS)
    large = now.is_whole & goal.is_whole & (np.abs(goal.real) >= _ROUNDED)
    for row in marked(large).tolist():
        found[row] = QUARTERS * int(now.whole[row]) >= int(number[row]) * int(goal.whole[row])
    return found


_ROUNDED = 2.0**51
"""From here on doubles do not tell apart all quarters of whole numbers."""
