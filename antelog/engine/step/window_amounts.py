"""Aggregates over windows, compared with something: from when on that is true or false.

count(Fail(X, _, T-60..T)) >= 3     true with the third arrival in the window of a row
max(V : Temp(X, V, T-60..T)) > 90   true with the first arrival of more than 90
avg(V : Temp(X, V, T-60..T)) > 47   decided with the last arrival, or once none can come
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from antelog.compile.literals.aggregate import Aggregate, Aggregation
from antelog.compile.literals.terms import text_of, variables_in
from antelog.engine.columns.column_set import ColumnSet
from antelog.engine.columns.ranked import Totals
from antelog.engine.columns.tables import NEVER, Column, Mask, inverse, marked, sorting
from antelog.engine.step.amount_lines import AmountSoFar
from antelog.engine.step.amounts import (
    QUARTERS,
    Amount,
    Between,
    between,
    of_number,
    outcome_of,
    quarter_reached,
)
from antelog.engine.step.derivations import Truth
from antelog.engine.step.rows import Rows, numbers_of
from antelog.engine.step.windows import ANY, Openings, RowArrivals, Windows, least
from antelog.engine.values.numbers import Numbers, Summands
from antelog.engine.values.values import Values

ToValue: TypeAlias = Callable[[Totals], Numbers]
"""The value of an aggregate, of what its members come to."""


@dataclass(frozen=True, eq=False)
class WindowAmount(ColumnSet):
    """An aggregate over windows: its `members`, those of them that are counted, and how many may come.

    Where it `rises`, more members can only make it larger. With `open` variables some members will be left
    out.
    """

    aggregate: Aggregate
    open: bool
    members: RowArrivals
    counted: RowArrivals
    value: ToValue
    openings: Openings
    rises: Mask

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
        """The value in each row at a tick; in the end if there is none."""
        return self.value(self.counted.up_to(tick))

    def values(self, row: Column, tick: Column) -> Numbers:
        """The values in some rows at some ticks; not a number where there is none."""
        return self.take(row).at(tick)

    def between(self, tick: Column) -> Between:
        """All values that may be compared, as of some ticks."""
        coming = self.openings.coming(tick)
        is_open = np.full((), self.open)
        if self.open:
            is_open = (coming > 0) | (self.members.up_to(tick).count > 0)
        return between(Amount(self.aggregate, self.at(tick), coming, self.rises, is_open))

    def between_any(self, totals: Totals) -> Between:
        """All values that may be compared, while any number of members may come."""
        coming, is_open = np.full((), ANY), np.full((), self.open)
        return between(Amount(self.aggregate, self.value(totals), coming, self.rises, is_open))

    def quarters(self, goal: Numbers) -> Column:
        """For each quarter the ticks by which the values have come so far towards a goal, if they rise."""
        rising = marked(self.rises & (goal.real > 0))
        found = np.full((QUARTERS, len(self.rises)), NEVER)
        if not len(rising):
            return found
        # All quarters are looked for together.
        each = np.tile(rising, QUARTERS)
        some, goal, number = self.take(each), goal.take(each), np.repeat(np.arange(QUARTERS) + 1, len(rising))

        def is_enough(totals: Totals) -> Mask:
            now = some.value(totals)
            return quarter_reached(now, number, goal) | ~now.there

        reached = some.counted.first(is_enough)
        if self.aggregate.function == "sum":  # which may be beyond the doubles
            there = some.at(np.where(reached < NEVER, reached, -1)).there
            reached = np.where(there, reached, NEVER)
        found[:, rising] = reached.reshape(QUARTERS, len(rising))
        return found


def _rising(aggregate: Aggregate, rows: Rows, values: Values) -> Mask:
    """For each row, whether a value can only rise: a count, or a sum whose values are at least 0."""
    rises = np.full(rows.count, aggregate.function == "count")
    if aggregate.function == "sum":
        for least_value in aggregate.least_values:
            rises |= np.broadcast_to(numbers_of(least_value, rows.bound, values).real >= 0, rows.count)
    return rises


def _counted(function: str, windows: Windows, values: Values) -> tuple[RowArrivals, ToValue]:
    """The members that are counted, or those that are numbers, and how the value of these is found."""
    table, as_of = windows.members, windows.as_of
    if function == "count":
        return windows.values or table.by_row(as_of), _count
    numbers = Numbers.of_cells(table.value, values)
    if not numbers.there.all():
        at = marked(numbers.there)
        table, numbers = table.take(at), numbers.take(at)
    if function in ("min", "max"):
        order = numbers.order if function == "max" else numbers.order[::-1]
        arrivals = table.ranked((), (inverse(order).astype(np.int32),))
        # The highest is nearest to being the value; behind all of them is that of no member.
        value: ToValue = partial(_highest, numbers.or_none(np.append(order, -1)))
    else:
        summands = Summands.of(numbers)
        arrivals = table.ranked(summands.parts, ())
        value = partial(_mean if function == "avg" else _sum, summands)
    return RowArrivals(arrivals, table.slices, as_of), value


def _count(totals: Totals) -> Numbers:
    return Numbers.of_ticks(totals.count)


def _highest(ordered: Numbers, totals: Totals) -> Numbers:
    return ordered.take(totals.highest[0])


def _sum(summands: Summands, totals: Totals) -> Numbers:
    return summands.added(totals.sums)


def _mean(summands: Summands, totals: Totals) -> Numbers:
    return summands.added(totals.sums, totals.count)


# ---- comparisons ----


@dataclass(frozen=True, eq=False)
class Fixed(ColumnSet):
    """A number that an aggregate is compared with, or none that is known."""

    number: Numbers
    known: bool = True

    def between(self, _: Column) -> Between:
        return of_number(self.number, known=self.known)


@dataclass(frozen=True, eq=False)
class Compared:
    """An aggregate compared with something, for some rows: its truth, and its values `so_far`.

    `quarters` has for each row the ticks at which it has come a quarter further towards the other side.
    """

    truth: Truth
    so_far: AmountSoFar
    quarters: Column

    @classmethod
    def joined(cls, parts: Sequence[Compared]) -> Compared:
        """The comparisons of several tables of rows, one after the other."""
        if len(parts) == 1:
            return parts[0]
        truth = Truth(*map(np.concatenate, zip(*(each.truth for each in parts), strict=True)))
        begins = np.cumsum([0, *(len(each.truth.true_at) for each in parts)])
        so_far = _InParts([each.so_far for each in parts], begins)
        return cls(truth, so_far, np.concatenate([each.quarters for each in parts], axis=1))


@dataclass(frozen=True, eq=False)
class _InParts:
    """The values of several tables of rows, of which each begins at some row."""

    parts: Sequence[AmountSoFar]
    begins: Column

    def values(self, row: Column, tick: Column) -> Numbers:
        part = np.searchsorted(self.begins, row, "right") - 1
        order, found = sorting(part), list[Numbers]()
        for number, each in enumerate(self.parts):
            mine = order[part.take(order) == number]
            found.append(each.values(row.take(mine) - self.begins[number], tick.take(mine)))
        return Numbers.and_then(*found).take(inverse(order))


def compared(node: Aggregation, found: Sequence[Windows], rows: Rows, values: Values) -> Compared:
    """The comparison over time, with the values that it has meanwhile."""
    truth, (left, right) = _comparison(node, found, rows, values)
    if isinstance(right, Fixed) and node.variables <= rows.bound.keys():
        quarters = left.quarters(right.number)
    else:
        quarters = np.full((QUARTERS, rows.count), NEVER)
    return Compared(truth, left, quarters)


def truth_of(node: Aggregation, found: Sequence[Windows], rows: Rows, values: Values) -> Truth:
    """From when on the comparison is true or false."""
    truth, _ = _comparison(node, found, rows, values)
    return truth


def _comparison(
    node: Aggregation, found: Sequence[Windows], rows: Rows, values: Values
) -> tuple[Truth, tuple[WindowAmount, WindowAmount | Fixed]]:
    """The truth of a comparison, and its sides."""
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
    outcome = _outcome(node.operator, left, right, ticks)
    true_at, false_at = np.where(outcome == 1, ticks, NEVER), np.where(outcome == 0, ticks, NEVER)
    decided = np.maximum.reduce([each.openings.decided for each in (left, *other)])
    return Truth(true_at, false_at, decided), (left, right)


def _outcome(
    operator: str, left: WindowAmount, right: WindowAmount | Fixed, tick: Column
) -> NDArray[np.int8]:
    """Whether a comparison holds at some ticks whatever comes (1), fails (0), or neither (-1)."""
    return outcome_of(operator, left.between(tick), right.between(tick))


def _when_decided(operator: str, left: WindowAmount, right: WindowAmount | Fixed) -> Column:
    """The tick from which on a comparison holds or fails whatever comes, or the last one if it never does.

    That is -1 where it is so before anything has come.
    """
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
    found = least(
        begin, end, lambda row, tick: _outcome(operator, left.take(row), right.take(row), tick) >= 0
    )
    return np.where(found == begin, -1, found)
