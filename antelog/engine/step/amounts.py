"""Aggregates over windows: the values they may have, and when a comparison of these is decided.

count(Fail(wt2, _, 0..3)) >= 3     open with 1 at tick 0 and 2 at 2, as any number may come; true with 3 at 3
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any, NamedTuple, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from antelog.compile.literals.aggregate import Aggregate, Aggregation
from antelog.compile.literals.terms import text_of, variables_in
from antelog.engine.columns.ranked import Totals
from antelog.engine.columns.tables import NEVER, Column, ColumnSet, Mask, inverse, marked, sorting
from antelog.engine.step.derivations import AmountSoFar, Truth
from antelog.engine.step.rows import Rows, numbers_of
from antelog.engine.step.windows import ANY, Openings, RowArrivals, Windows, least
from antelog.engine.values.numbers import Numbers, Summands, after_steps
from antelog.engine.values.values import Values
from antelog.language.literals.aggregate import Affine
from antelog.language.literals.comparison import HOLDS

QUARTERS = 4  # a value that rises towards its goal is reported at each of so many parts of the way


class _Limit(NamedTuple):
    """The least or the largest possible value: a number, or `beyond` all (-1, 1). Scalars serve all rows."""

    number: Numbers
    beyond: NDArray[np.int8]

    def compared(self, test: Callable[[Any, Any], Any], other: _Limit) -> Mask:
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
    """The possible values: from `least` to `largest`, in whole steps if it `counts`."""

    least: _Limit
    largest: _Limit
    counts: bool
    none: Mask  # rows that have no value for certain
    open: Mask  # rows that may have none, or any
    rising: Mask  # rows that may have less

    @property
    def one(self) -> Mask:
        """Where only one value is possible."""
        near = (self.least.beyond == 0) & (self.largest.beyond == 0)
        result: Mask = near & self.least.number.compared(HOLDS["="], self.largest.number)
        return result


def between(aggregate: Aggregate, now: Numbers, coming: Column, rises: Mask, is_open: Mask) -> Between:
    """The possible values of an aggregate that comes to `now`, where so many members may still come."""
    found = _of_whole(aggregate.function, now, coming, rises)
    if is_open.any():  # its variables leave some of the members out
        below = np.where(is_open, -1, found.least.beyond).astype(np.int8)
        least = _Limit(found.least.number, below)
        may_lack = np.where(is_open, ~rises, found.open)
        found = replace(found, least=least, none=found.none & ~is_open, open=may_lack, rising=is_open)
    return _after(found, aggregate.steps)


def _of_whole(function: str, now: Numbers, coming: Column, rises: Mask) -> Between:
    """The possible values of an aggregate whose variables all have values."""
    settled, nothing, near = coming == 0, ~now.there, np.zeros(coming.shape, np.int8)
    no = near > 0
    below, above = (np.where(settled, 0, beyond).astype(np.int8) for beyond in (-1, 1))
    if function == "count":
        any_ = coming == ANY
        largest = _Limit(Numbers.of_ticks(now.whole + np.where(any_, 0, coming)), any_.astype(np.int8))
        return Between(_Limit(now, near), largest, True, no, no, no)
    if function == "sum":
        # One beyond the doubles has no value, unless others can bring it back.
        below = np.where(rises, 0, below).astype(np.int8)
        return Between(_Limit(now, below), _Limit(now, above), False, nothing & (below == 0), no, no)
    if function == "max":
        below = np.where(nothing, below, 0).astype(np.int8)
    elif function == "min":
        above = np.where(nothing, above, 0).astype(np.int8)
    may_lack = nothing if function != "avg" else np.ones(len(nothing), np.bool_)
    return Between(_Limit(now, below), _Limit(now, above), False, nothing & settled, may_lack & ~settled, no)


def of_number(number: Numbers, *, known: bool = True) -> Between:
    """A single value, or none; any value if it is not `known`."""
    least, largest = (_Limit(number, np.full((), 0 if known else sign, np.int8)) for sign in (-1, 1))
    return Between(
        least, largest, False, known & ~number.there, np.full((), not known), np.zeros((), np.bool_)
    )


def _after(values: Between, steps: Sequence[Affine]) -> Between:
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
    """The limit after a step of arithmetic; 0 times any number is 0."""
    far, number = limit.beyond != 0, limit.number
    near = Numbers(np.where(far, 0, number.real), np.where(far, 0, number.whole), number.is_whole | far)
    return _Limit(after_steps(near, (step,)), limit.beyond * np.int8(step.sign))


def outcome_of(operator: str, left: Between, right: Between) -> NDArray[np.int8]:
    """Whether a comparison holds for all possible values (1), fails for all (0), or neither (-1)."""
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
    if left.counts or right.counts:  # these are much smaller than what doubles round
        low = np.ceil(np.maximum(left.least.real, right.least.real))
        return low <= np.floor(np.minimum(left.largest.real, right.largest.real))
    at_most = HOLDS["<="]
    return left.least.compared(at_most, right.largest) & right.least.compared(at_most, left.largest)


def quarter_reached(now: Numbers, number: Column, goal: Numbers) -> Mask:
    """For each row, whether a number has come so many quarters of the way to its goal."""
    found = now.real >= number * (goal.real / QUARTERS)
    # From here on doubles cannot tell apart all quarters of whole numbers.
    large = now.is_whole & goal.is_whole & (np.abs(goal.real) >= 2.0**51)
    for row in marked(large).tolist():
        found[row] = QUARTERS * int(now.whole[row]) >= int(number[row]) * int(goal.whole[row])
    return found


ToValue: TypeAlias = Callable[[Totals], Numbers]  # an aggregate's value, from the totals of its members


@dataclass(frozen=True, eq=False)
class WindowAmount(ColumnSet):
    """An aggregate over windows: its `members`, those that are `counted`, and how many may still come."""

    aggregate: Aggregate
    open: bool  # whether it has open variables, which leave some members out
    members: RowArrivals
    counted: RowArrivals
    value: ToValue
    openings: Openings
    rises: Mask  # where more members can only make it larger

    @classmethod
    def of(cls, aggregate: Aggregate, windows: Windows, rows: Rows, values: Values) -> Self:
        is_open = not aggregate.variables <= rows.bound.keys()
        aggregate = aggregate.with_any(rows.bound.keys())
        members, rises = windows.members.by_row(windows.as_of), _rising(aggregate, rows, values)
        counted, value = _counted(aggregate.function, windows, values)
        found = cls(aggregate, is_open, members, counted, value, windows.openings, rises)
        if aggregate.function == "sum" and not found.at(None).there.all():
            # Keeps in mind which sum it is that has no value.
            before, time, after = aggregate.around
            values.without.add(text_of([*before, time, *after]))
        return found

    def at(self, tick: Column | None) -> Numbers:
        """The value in each row at a tick; the final one if there is no tick."""
        return self.value(self.counted.up_to(tick))

    def values(self, row: Column, tick: Column) -> Numbers:
        """The values in some rows at some ticks; not a number where there is none."""
        return self.take(row).at(tick)

    def between(self, tick: Column) -> Between:
        coming = self.openings.coming(tick)
        is_open = np.full((), self.open)
        if self.open:
            is_open = (coming > 0) | (self.members.up_to(tick).count > 0)
        return between(self.aggregate, self.at(tick), coming, self.rises, is_open)

    def between_any(self, totals: Totals) -> Between:
        """The possible values while any number of members may come."""
        coming, is_open = np.full((), ANY), np.full((), self.open)
        return between(self.aggregate, self.value(totals), coming, self.rises, is_open)

    def quarters(self, goal: Numbers) -> Column:
        """For each quarter the ticks by which rising values have come so far towards a goal."""
        rising = marked(self.rises & (goal.real > 0))
        found = np.full((QUARTERS, len(self.rises)), NEVER)
        if not len(rising):
            return found
        # All quarters are looked for together, where the values come so far in the end.
        number, row = np.repeat(np.arange(QUARTERS) + 1, len(rising)), np.tile(rising, QUARTERS)
        some = marked(_is_enough(self.at(None).take(row), number, goal.take(row)))
        number, row = number.take(some), row.take(some)
        those, goal = self.take(row), goal.take(row)
        reached = those.counted.first(lambda totals: _is_enough(those.value(totals), number, goal))
        if self.aggregate.function == "sum":  # which may be beyond the doubles
            there = those.at(np.where(reached < NEVER, reached, -1)).there
            reached = np.where(there, reached, NEVER)
        found[number - 1, row] = reached
        return found


def _is_enough(now: Numbers, number: Column, goal: Numbers) -> Mask:
    return quarter_reached(now, number, goal) | ~now.there


def _rising(aggregate: Aggregate, rows: Rows, values: Values) -> Mask:
    """For each row, whether the value can only rise: a count, or a sum of values that are at least 0."""
    rises = np.full(rows.count, aggregate.function == "count")
    if aggregate.function == "sum":
        for least_value in aggregate.least_values:
            rises |= np.broadcast_to(numbers_of(least_value, rows.bound, values).real >= 0, rows.count)
    return rises


def _counted(function: str, windows: Windows, values: Values) -> tuple[RowArrivals, ToValue]:
    """The members that count (numbers only, unless they are counted), and how their value is found."""
    table, as_of = windows.members, windows.as_of
    if function == "count":
        return windows.values or table.by_row(as_of), lambda totals: Numbers.of_ticks(totals.count)
    numbers = Numbers.of_cells(table.value, values)
    if not numbers.there.all():
        at = marked(numbers.there)
        table, numbers = table.take(at), numbers.take(at)
    if function in ("min", "max"):
        order = numbers.order if function == "max" else numbers.order[::-1]
        arrivals = table.ranked((), (inverse(order).astype(np.int32),))
        # The highest is nearest to being the value; behind all of them is that of no member.
        ordered = numbers.or_none(np.append(order, -1))
        return RowArrivals(arrivals, table.slices, as_of), lambda totals: ordered.take(totals.highest[0])
    summands, mean = Summands.of(numbers), function == "avg"
    arrivals = table.ranked(summands.parts, ())
    return (
        RowArrivals(arrivals, table.slices, as_of),
        lambda totals: summands.added(totals.sums, totals.count if mean else None),
    )


# ---- comparisons ----


@dataclass(frozen=True, eq=False)
class Fixed(ColumnSet):
    """A number that an aggregate is compared with; unknown if its variables are open."""

    number: Numbers
    known: bool = True

    def between(self, _: Column) -> Between:
        return of_number(self.number, known=self.known)


@dataclass(frozen=True, eq=False)
class Compared:
    """The truth of a comparison in some rows, and the values of its aggregate `so_far`."""

    truth: Truth
    so_far: AmountSoFar
    quarters: Callable[[], Column]  # finds when each row comes a quarter further towards the other side

    @classmethod
    def joined(cls, parts: Sequence[Compared]) -> Compared:
        """The comparisons of several tables of rows, one after the other."""
        if len(parts) == 1:
            return parts[0]
        truth = Truth(*map(np.concatenate, zip(*(each.truth for each in parts), strict=True)))
        begins = np.cumsum([0, *(len(each.truth.true_at) for each in parts)])
        so_far = partial(_in_parts, [each.so_far for each in parts], begins)
        quarters = cache(lambda: np.concatenate([each.quarters() for each in parts], axis=1))
        return cls(truth, so_far, quarters)


def _in_parts(parts: Sequence[AmountSoFar], begins: Column, row: Column, tick: Column) -> Numbers:
    """The values of several tables of rows, of which each begins at some row."""
    part = np.searchsorted(begins, row, "right") - 1
    order, found = sorting(part), list[Numbers]()
    for number, values in enumerate(parts):
        mine = order[part.take(order) == number]
        found.append(values(row.take(mine) - begins[number], tick.take(mine)))
    return Numbers.and_then(*found).take(inverse(order))


def compared(node: Aggregation, found: Sequence[Windows], rows: Rows, values: Values) -> Compared:
    """The truth of a comparison over time, with the values that its aggregate has meanwhile."""
    truth, (left, right) = comparison(node, found, rows, values)
    if isinstance(right, Fixed) and node.variables <= rows.bound.keys():
        quarters = partial(left.quarters, right.number)
    else:
        quarters = partial(np.full, (QUARTERS, rows.count), NEVER)
    return Compared(truth, left.values, cache(quarters))


def comparison(
    node: Aggregation, found: Sequence[Windows], rows: Rows, values: Values
) -> tuple[Truth, tuple[WindowAmount, WindowAmount | Fixed]]:
    """The truth of a comparison over time, and its sides."""
    left, *other = (
        WindowAmount.of(aggregate, windows, rows, values)
        for aggregate, windows in zip(node.aggregates, found, strict=True)
    )
    right: WindowAmount | Fixed
    if isinstance(node.right, Aggregate):
        (right,) = other
    elif not variables_in([node.right]) <= rows.bound.keys():
        right = Fixed(Numbers.of_ticks(np.zeros(rows.count, np.int64)), known=False)
    else:
        numbers = numbers_of(node.right, rows.bound, values)
        # A constant has one row.
        right = Fixed(numbers.take(np.zeros(rows.count, np.int64)) if len(numbers.real) == 1 else numbers)
    ticks = _when_decided(node.operator, left, right)
    outcome = outcome_of(node.operator, left.between(ticks), right.between(ticks))
    true_at, false_at = np.where(outcome == 1, ticks, NEVER), np.where(outcome == 0, ticks, NEVER)
    decided = np.maximum.reduce([each.openings.decided for each in (left, *other)])
    return Truth(true_at, false_at, decided), (left, right)


def _when_decided(operator: str, left: WindowAmount, right: WindowAmount | Fixed) -> Column:
    """The tick by which a comparison is decided (-1: before anything comes), or the last if it never is."""
    if isinstance(right, Fixed) and left.openings.is_any:
        other = of_number(right.number, known=right.known)

        # Nothing but an arrival, or that none can come any more, decides it.
        def is_decided(totals: Totals) -> Mask:
            return outcome_of(operator, left.between_any(totals), other) >= 0

        end = left.openings.end
        found = np.minimum(left.counted.first(is_decided), end)
        return np.where(is_decided(left.counted.nothing), -1, found)
    sides = [left.openings] if isinstance(right, Fixed) else [left.openings, right.openings]
    begin = np.minimum.reduce([each.begin for each in sides])
    end = np.maximum.reduce([begin, *(each.end for each in sides)])

    def is_known(row: Column, tick: Column) -> Mask:
        return outcome_of(operator, left.take(row).between(tick), right.take(row).between(tick)) >= 0

    found = least(begin, end, is_known)
    return np.where(found == begin, -1, found)
