"""Amounts: the value of an aggregate over time, and when its comparison is decided.

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
from functools import partial
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from antelog.compile.literals.aggregate import Aggregate, Aggregation
from antelog.compile.literals.terms import text_of, variables_in
from antelog.engine.columns.tables import NEVER, Column, Mask, changed, groups, keys_of, marked
from antelog.engine.step.amount_lines import AmountSoFar, AmountTable, TickTable, UpTo
from antelog.engine.step.derivations import Truth
from antelog.engine.step.members import Members
from antelog.engine.step.rows import Rows, numbers_of
from antelog.engine.values.exact_sums import Summands
from antelog.engine.values.numbers import Numbers, after_steps
from antelog.engine.values.values import Values
from antelog.language.literals.aggregate import Affine
from antelog.language.literals.comparison import HOLDS

Test: TypeAlias = Callable[[Any, Any], Any]

QUARTERS = 4
"""A value that rises towards the number it is compared with is told again at each of so many parts."""

ANY = np.int64(2**62)
"""The number of atoms that may still come, where that is any number."""


@dataclass(frozen=True, eq=False)
class Amount:
    """The value of an aggregate at each of some ticks: that of the members there, and how many may come.

    Where there is no value, it is not a number. Where it `rises`, more members can only make it larger. With
    `open` variables some of the members will be left out, unless there are none, and none can come.
    """

    aggregate: Aggregate
    now: Numbers
    coming: Column
    rises: Mask
    open: Mask


def amount(aggregate: Aggregate, found: Members, at: TickTable, rows: Rows, values: Values) -> Amount:
    """The value of an aggregate at each tick, with any value for the variables that rows leave open."""
    aggregate, is_open = aggregate.with_any(rows.bound.keys()), not aggregate.variables <= rows.bound.keys()
    coming = at.up_to(found.coming, found.until)
    left = np.where(at.tick < found.any_until.take(at.row), ANY, coming.last - coming.end)
    row, true_at, cells = found.row, found.true_at, found.value
    rises, there = rising(aggregate, rows, values), at.up_to(row, true_at)
    open_ = is_open & ((left > 0) | (there.end > there.first))
    if aggregate.function != "count":
        numbers = marked(Numbers.of_cells(cells, values).there)
        row, true_at, cells = row.take(numbers), true_at.take(numbers), cells.take(numbers)
    members = at.up_to(row, true_at)
    running = _RUNNING["distinct" if aggregate.distinct else aggregate.function]
    now = running(members, cells.take(members.order), values)
    return Amount(aggregate, now, left, rises.take(at.row), open_)


def rising(aggregate: Aggregate, rows: Rows, values: Values) -> Mask:
    """For each row, whether a value can only rise: a count, or a sum whose values are at least 0."""
    rises = np.full(rows.count, aggregate.function == "count")
    if aggregate.function == "sum":
        for least in aggregate.least_values:
            rises |= np.broadcast_to(numbers_of(least, rows.bound, values).real >= 0, rows.count)
    return rises


# ---- values of members ----


def _whole(numbers: Column) -> Numbers:
    return Numbers(numbers.astype(np.float64), numbers, np.ones(len(numbers), np.bool_))


def _distinct(found: UpTo, cells: Column, _values: Values) -> Numbers:
    (key,) = keys_of([[found.row, cells]])
    fresh = np.zeros(len(cells) + 1, np.int64)
    fresh[groups(key).first + 1] = 1
    before = fresh.cumsum()
    return _whole(before.take(found.end) - before.take(found.first))


def _sum(found: UpTo, cells: Column, values: Values, *, mean: bool = False) -> Numbers:
    """Sums that are exact and rounded once, so that no order of members matters; or means."""
    return Summands.of(Numbers.of_cells(cells, values)).stretches(found.first, found.end, mean=mean)


def _extreme(found: UpTo, cells: Column, values: Values, better: Any) -> Numbers:
    """The least or the largest value of the members."""
    numbers = Numbers.of_cells(cells, values)
    order = numbers.order
    rank = np.empty(len(cells), np.int64)
    rank[order] = np.arange(len(cells))
    # Rows follow each other, so that the ranks of a row are beyond those of all rows before it.
    size = max(len(cells), 1)
    row = found.row if better is np.maximum else -found.row
    best = better.accumulate(row * size + rank) - row * size if len(cells) else rank
    there = marked(found.end > found.first)
    at = np.full(len(found.end), -1)
    at[there] = order.take(best.take(found.end.take(there) - 1))
    return numbers.or_none(at)


_RUNNING: dict[str, Callable[[UpTo, Column, Values], Numbers]] = {
    "count": lambda found, *_: _whole(found.end - found.first),
    "distinct": _distinct,
    "sum": _sum,
    "avg": partial(_sum, mean=True),
    "min": partial(_extreme, better=np.minimum),
    "max": partial(_extreme, better=np.maximum),
}
"""For each function the value of the members that are there, None of which is a text but for counts."""


# ---- comparisons ----


class _Limit(NamedTuple):
    """The least or the largest value there may be: a number, or `beyond` all of them (-1, 1)."""

    number: Numbers
    beyond: NDArray[np.int8]

    def compared(self, test: Test, other: _Limit) -> Mask:
        found = self.number.compared(test, other.number)
        far = (self.beyond != 0) | (other.beyond != 0)
        result: Mask = np.where(far, test(self.beyond, other.beyond), found)
        return result

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
    nothing, near = ~now.there, np.zeros(len(of.coming), np.int8)
    no = near > 0
    below, above = (np.where(settled, 0, beyond).astype(np.int8) for beyond in (-1, 1))
    if function == "count":
        coming = np.where(of.coming == ANY, 0, of.coming)
        largest = _Limit(_whole(now.whole + coming), np.where(of.coming == ANY, 1, 0).astype(np.int8))
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
    count = len(number.real)
    least, largest = (_Limit(number, np.full(count, 0 if known else sign, np.int8)) for sign in (-1, 1))
    no = np.zeros(count, np.bool_)
    return Between(least, largest, False, known & ~number.there, no | (not known), no)


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
    found = np.where(left.open | right.open, -1, found)
    return np.where(left.none | right.none, 0, found).astype(np.int8)


def _may_equal(left: Between, right: Between) -> Mask:
    """Whether some value is possible on both sides."""
    if left.counts or right.counts:  # these are much smaller than what doubles round
        low = np.ceil(np.maximum(left.least.real, right.least.real))
        return low <= np.floor(np.minimum(left.largest.real, right.largest.real))
    at_most = HOLDS["<="]
    return left.least.compared(at_most, right.largest) & right.least.compared(at_most, left.largest)


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
        truth = Truth(*map(np.concatenate, zip(*(each.truth for each in parts), strict=True)))
        begins = np.cumsum([0, *(len(each.truth.true_at) for each in parts)])
        tables = [each.so_far for each in parts if isinstance(each.so_far, AmountTable)]
        rows = [each.at.row + begin for each, begin in zip(tables, begins, strict=False)]
        at = TickTable(np.concatenate(rows), np.concatenate([each.at.tick for each in tables]))
        so_far = AmountTable(at, Numbers.and_then(*(each.now for each in tables)))
        return cls(truth, so_far, np.concatenate([each.quarters for each in parts], axis=1))


def quarter_reached(now: Numbers, number: int, goal: Numbers) -> Mask:
    """For each row, whether a number has come so many quarters of the way to another."""
    found = now.real >= number * (goal.real / QUARTERS)
    large = now.is_whole & goal.is_whole & (np.abs(goal.real) >= _ROUNDED)
    for row in marked(large).tolist():
        found[row] = QUARTERS * int(now.whole[row]) >= number * int(goal.whole[row])
    return found


_ROUNDED = 2.0**51
"""From here on doubles do not tell apart all quarters of whole numbers."""


def tell_lost(aggregate: Aggregate, now: Numbers, values: Values) -> None:
    """Keeps in mind which sum it is that has no value."""
    if aggregate.function == "sum" and not now.there.all():
        before, time, after = aggregate.around
        values.without.add(text_of([*before, time, *after]))


def compared(node: Aggregation, found: Sequence[Members], rows: Rows, values: Values) -> Compared:
    """The comparison over time."""
    every = np.arange(rows.count)
    row = [every, *(column for each in found for column in (each.row, each.coming, every))]
    tick = [
        np.full(rows.count, np.int64(-1)),
        *(column for each in found for column in (each.true_at, each.until, each.any_until)),
    ]
    at = TickTable.of(np.concatenate(row), np.concatenate(tick))
    amounts = [amount(each, its, at, rows, values) for each, its in zip(node.aggregates, found, strict=True)]
    for each in amounts:
        tell_lost(each.aggregate, each.now, values)
    left = between(amounts[0])
    if isinstance(node.right, Aggregate):
        right = between(amounts[1])
    elif not variables_in([node.right]) <= rows.bound.keys():
        right = of_number(_whole(np.zeros(len(at.row), np.int64)), known=False)
    else:
        numbers = numbers_of(node.right, rows.bound, values)
        place = np.zeros_like(at.row) if len(numbers.real) == 1 else at.row
        right = of_number(numbers.or_none(place))
    outcome = outcome_of(node.operator, left, right)
    true_at, false_at = np.full((2, rows.count), NEVER)
    settled = marked(outcome >= 0)
    first = settled.take(marked(changed(at.row.take(settled))))
    holds, decided, when = outcome.take(first) == 1, at.row.take(first), at.tick.take(first)
    true_at[decided[holds]], false_at[decided[~holds]] = when[holds], when[~holds]
    until = np.maximum.reduce([each.settled for each in found])
    quarters = np.full((QUARTERS, rows.count), NEVER)
    if node.variables <= rows.bound.keys() and not isinstance(node.right, Aggregate):
        now, goal = amounts[0].now, right.least.number
        rising = amounts[0].rises & (goal.real > 0)
        for number, line in enumerate(quarters, 1):
            reached = marked(rising & quarter_reached(now, number, goal))
            np.minimum.at(line, at.row.take(reached), at.tick.take(reached))
    now = amounts[0].now
    differs = marked(changed(at.row) | changed(now.real.view(np.int64)) | changed(now.whole))
    so_far = AmountTable(TickTable(at.row.take(differs), at.tick.take(differs)), now.take(differs))
    return Compared(Truth(true_at, false_at, until), so_far, quarters)
