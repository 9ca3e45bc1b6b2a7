"""Aggregates over windows, compared with something: from when on that is true or false.

count(Fail(X, _, T-60..T)) >= 3     true with the third arrival in the window of a row
max(V : Temp(X, V, T-60..T)) > 90   true with the first arrival of more than 90
avg(V : Temp(X, V, T-60..T)) > 47   decided with the last arrival, or once none can come
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from antelog.compile.literals.aggregate import Aggregate, Aggregation
from antelog.engine.columns.ranked import Ranked
from antelog.engine.columns.tables import NEVER, Column, Mask, inverse, marked
from antelog.engine.step.amounts import (
    QUARTERS,
    Amount,
    Between,
    Compared,
    between,
    of_number,
    outcome_of,
    quarter_reached,
    rising,
    tell_lost,
)
from antelog.engine.step.derivations import Knowledge, Truth, atoms_of
from antelog.engine.step.rows import Rows, numbers_of
from antelog.engine.step.window_atoms import WindowAtoms, least
from antelog.engine.step.windows import Windows, windows_of
from antelog.engine.values.exact_sums import Summands
from antelog.engine.values.numbers import Numbers, after_steps
from antelog.engine.values.values import Values
from antelog.language.literals.comparison import HOLDS

_MOST = 2**60
"""More than there can be in a window."""


@dataclass(frozen=True, eq=False)
class WindowAmount:
    """An aggregate over windows: how many members there are, or different values; `rises` as an `Amount`."""

    aggregate: Aggregate
    windows: Windows
    rises: Mask

    def at(self, tick: Column | None, row: Column | None = None) -> Numbers:
        """The value in each row, or in some, at a tick; in the end if there is none."""
        return Numbers.of_ticks(self.windows.counts(tick, row))

    def values(self, row: Column, tick: Column) -> Numbers:
        """The values in some rows at some ticks; not a number where there is none."""
        return self.at(tick, row)

    @property
    def in_the_end(self) -> Numbers:
        """The values that are compared in the end."""
        return after_steps(self.at(None), self.aggregate.steps)

    def between(self, tick: Column) -> Between:
        """All values that may be compared, as of some ticks."""
        no = np.zeros(len(tick), np.bool_)
        return between(Amount(self.aggregate, self.at(tick), self.windows.coming(tick), self.rises, no))

    def quarter(self, number: int, goal: Numbers) -> Column:
        """The tick from which on the value has come so many quarters of the way to a goal."""
        least_count = np.ceil(np.minimum(np.nan_to_num(number * (goal.real / QUARTERS), nan=_MOST), _MOST))
        return self.windows.reached(least_count.astype(np.int64))


@dataclass(frozen=True, eq=False)
class _Total(WindowAmount):
    """A sum or a mean; `summands` are what is added up of the `members` that are numbers.

    `arrivals` are those of the members, each with the parts of what is added up.
    """

    members: WindowAtoms
    arrivals: Ranked
    summands: Summands

    @classmethod
    def of(cls, aggregate: Aggregate, windows: Windows, rises: Mask, values: Values) -> Self:
        atoms, numbers = _numbers(aggregate, windows, values)
        summands = Summands.of(numbers)
        return cls(aggregate, windows, rises, atoms, Ranked.of(atoms.arrival, summands.parts), summands)

    def at(self, tick: Column | None, row: Column | None = None) -> Numbers:
        atoms, known = self.members, self.windows.known(tick, row)
        window = atoms.slices if row is None else atoms.slices.take(row)
        mean = self.aggregate.function == "avg"
        if known is None:
            total = self.summands.stretches(window.first, window.end, mean=mean)
        else:
            counts = self.arrivals.up_to(window, known) if mean else None
            total = self.summands.added(self.arrivals.weights_up_to(window, known), counts)
        return total

    def quarter(self, number: int, goal: Numbers) -> Column:
        reached = self._first(lambda now: quarter_reached(now, number, goal))
        return self.having_value(reached)

    def having_value(self, tick: Column) -> Column:
        """Ticks at which there is a value, NEVER in place of others: a sum may be beyond the doubles."""
        if not self.summands.far:
            return tick
        there = self.at(np.where(tick < NEVER, tick, -1)).there
        return np.where(there, tick, NEVER)

    def passed(self, beyond: str, other: Numbers) -> Column:
        """The tick from which on a sum that can only rise lies beyond a number; NEVER if it does not.

        It lies beyond all numbers where it has no value.
        """
        return self._first(lambda now: now.compared(HOLDS[beyond], other))

    def _first(self, holds: Callable[[Numbers], Mask]) -> Column:
        atoms, seen = self.members, self.windows.known(None)
        window = atoms.slices
        there = window.count if seen is None else self.arrivals.up_to(window, seen)

        def tick_of(count: Column) -> Column:
            arrived = self.arrivals.least(window, np.minimum(count, there))
            return np.where(count > 0, arrived, -1)

        def is_enough(count: Column) -> Mask:
            now = self.at(tick_of(count))
            return holds(now) | ~now.there

        count = least(np.zeros_like(there), there + 1, is_enough)
        return np.where(count > there, NEVER, tick_of(count))


@dataclass(frozen=True, eq=False)
class _Extreme(WindowAmount):
    """The largest value, or the least: the highest of the `members` that are numbers.

    How high a member is is its place in `ordered`, which begins with what is furthest from being the value.
    `arrivals` are those of the members, each with that height.
    """

    members: WindowAtoms
    arrivals: Ranked
    ordered: Numbers

    @classmethod
    def of(cls, aggregate: Aggregate, windows: Windows, rises: Mask, values: Values) -> Self:
        atoms, numbers = _numbers(aggregate, windows, values)
        order = numbers.order
        order = order if aggregate.function == "max" else order[::-1]
        arrivals = Ranked.of(atoms.arrival, (), inverse(order).astype(np.int32))
        return cls(aggregate, windows, rises, atoms, arrivals, numbers.take(order))

    def at(self, tick: Column | None, row: Column | None = None) -> Numbers:
        atoms, known = self.members, self.windows.known(tick, row)
        window = atoms.slices if row is None else atoms.slices.take(row)
        known = np.full(len(window.first), NEVER) if known is None else known
        return self.ordered.or_none(self.arrivals.highest_up_to(window, known))

    def passed(self, beyond: str, other: Numbers) -> Column:
        """The tick from which on a value lies beyond a number; NEVER if none does."""
        count, ordered = len(self.ordered.real), self.ordered
        none = np.zeros(len(other.real), np.int64)
        height = least(none, none + count, lambda at: ordered.or_none(at).compared(HOLDS[beyond], other))
        found = self.arrivals.least_from(self.members.slices, height)
        seen = self.windows.known(None)
        return found if seen is None else np.where(found > seen, NEVER, found)


def _numbers(aggregate: Aggregate, windows: Windows, values: Values) -> tuple[WindowAtoms, Numbers]:
    """The members that are numbers, and these."""
    atoms = windows.members
    numbers = Numbers.of_cells(atoms.cells[aggregate.value_column], values)
    if numbers.there.all():
        return atoms, numbers
    at = marked(numbers.there)
    return atoms.take(at), numbers.take(at)


def _amount(aggregate: Aggregate, windows: Windows, rows: Rows, values: Values) -> WindowAmount:
    rises = rising(aggregate, rows, values)
    match aggregate.function:
        case "count":
            return WindowAmount(aggregate, windows, rises)
        case "min" | "max":
            return _Extreme.of(aggregate, windows, rises, values)
        case _:
            return _Total.of(aggregate, windows, rises, values)


def in_windows(known: Knowledge, node: Aggregation, rows: Rows) -> Compared | None:
    """A comparison over time, if its members are those of windows over a table of facts."""
    found = list[Windows]()
    for each in node.aggregates:
        asked = atoms_of(each.inside.reference, rows, known.values)
        windows = windows_of(known, asked, each, rows)
        if windows is None:
            return None
        found.append(windows)
    return _compared(node, found, rows, known.values)


def _compared(node: Aggregation, found: Sequence[Windows], rows: Rows, values: Values) -> Compared:
    """The comparison over time."""
    amounts = [
        _amount(aggregate, windows, rows, values)
        for aggregate, windows in zip(node.aggregates, found, strict=True)
    ]
    for each in amounts:
        if isinstance(each, _Total) and each.summands.far:
            tell_lost(each.aggregate, each.at(None), values)
    left, decided = amounts[0], np.maximum.reduce([each.decided for each in found])
    rises = np.logical_or.reduce([each.rises for each in amounts])
    quarters = np.full((QUARTERS, rows.count), NEVER)
    fixed = any(step.sign == 0 for each in node.aggregates for step in each.steps)
    moves = rises.any() or fixed or any(isinstance(each, _Extreme) for each in amounts)
    if isinstance(node.right, Aggregate):
        ticks = (_searched if moves else _in_the_end)(node.operator, amounts, None)
        return Compared(Truth(*ticks, decided), left, quarters)
    other = numbers_of(node.right, rows.bound, values)
    if len(other.real) == 1:  # a constant has one row
        other = other.take(np.zeros(rows.count, np.int64))
    if not moves:
        true_at, false_at = _in_the_end(node.operator, amounts, other)
    elif left.aggregate.steps:
        true_at, false_at = _searched(node.operator, amounts, other)
    elif isinstance(left, _Total | _Extreme):
        true_at, false_at = _total(left, node.operator, other, rises | isinstance(left, _Extreme))
    else:
        true_at, false_at = _count(left, node.operator, other)
    if rises.any():
        goal = other.or_none(np.where(rises & (other.real > 0), np.arange(rows.count), -1))
        quarters = np.stack([left.quarter(number, goal) for number in range(1, QUARTERS + 1)])
    true_at, false_at = np.where(other.there, true_at, NEVER), np.where(other.there, false_at, -1)
    return Compared(Truth(true_at, false_at, decided), left, quarters)


def _in_the_end(
    operator: str, amounts: Sequence[WindowAmount], number: Numbers | None
) -> tuple[Column, Column]:
    """The ticks at which a comparison is true and false if the values are known in the end only."""
    sides, settled = [each.in_the_end for each in amounts], [each.windows.settled for each in amounts]
    if number is not None:
        sides, settled = [*sides, number], [*settled, np.full(len(number.real), -1)]
    one, other = sides
    # A side without a value makes it false as soon as that is certain.
    lacking = [np.where(end.there, NEVER, when) for end, when in zip(sides, settled, strict=True)]
    when = np.where(one.there & other.there, np.maximum(*settled), np.minimum(*lacking))
    true = one.compared(HOLDS[operator], other)
    return np.where(true, when, NEVER), np.where(true, NEVER, when)


def _searched(
    operator: str, amounts: Sequence[WindowAmount], number: Numbers | None
) -> tuple[Column, Column]:
    """The ticks at which a comparison is true and false: the first at which it is decided is looked for."""
    last = [] if number is None else [of_number(number)]

    def outcome(tick: Column) -> NDArray[np.int8]:
        return outcome_of(operator, *(each.between(tick) for each in amounts), *last)

    begin = np.minimum.reduce([each.windows.before_any for each in amounts])
    end = np.maximum.reduce([begin, *(each.windows.ticks.deadline for each in amounts)])
    found = least(begin, end, lambda tick: outcome(tick) >= 0)
    holds, when = outcome(found) == 1, np.where(found == begin, -1, found)
    return np.where(holds, when, NEVER), np.where(holds, NEVER, when)


def _count(left: WindowAmount, operator: str, other: Numbers) -> tuple[Column, Column]:
    """The ticks at which a comparison of counts is true and false."""
    windows, real = left.windows, np.clip(np.nan_to_num(other.real), -_MOST, _MOST)
    whole = np.clip(np.where(other.is_whole, other.whole, np.floor(real).astype(np.int64)), -_MOST, _MOST)
    fraction = ~other.is_whole & (np.floor(real) != real)
    more = whole + 1
    if operator in ("=", "!="):
        equal = np.maximum(windows.reached(whole), windows.missed(more))
        different = np.minimum(windows.missed(whole), windows.reached(more))
        equal, different = np.where(fraction, NEVER, equal), np.where(fraction, -1, different)
        return (equal, different) if operator == "=" else (different, equal)
    at_least = more if operator in (">", "<=") else np.where(fraction, more, whole)
    enough, too_few = windows.reached(at_least), windows.missed(at_least)
    return (enough, too_few) if operator in (">", ">=") else (too_few, enough)


_PASSED = {
    "max": {">": ">", ">=": ">=", "<": ">=", "<=": ">", "=": ">", "!=": ">"},
    "min": {"<": "<", "<=": "<=", ">": "<=", ">=": "<", "=": "<", "!=": "<"},
}
"""How a value lies to the other side once it settles a comparison early; a rising sum is like a largest."""


def _total(left: _Total | _Extreme, operator: str, other: Numbers, moves: Mask) -> tuple[Column, Column]:
    """The ticks at which a comparison is true and false: in the end, or once something is passed.

    That is where a value `moves` one way only.
    """
    true, settled = left.at(None).compared(HOLDS[operator], other), left.windows.settled
    true_at, false_at = np.where(true, settled, NEVER), np.where(true, NEVER, settled)
    beyond = _PASSED["min" if left.aggregate.function == "min" else "max"][operator]
    passed = np.where(moves, left.passed(beyond, other), NEVER)
    never = passed < NEVER
    if operator in (beyond, "!="):
        reached = left.having_value(passed) if isinstance(left, _Total) else passed
        lost = never & (reached == NEVER)
        true_at, false_at = np.minimum(true_at, reached), np.where(never, NEVER, false_at)
        return true_at, np.where(lost, passed, false_at)
    return np.where(never, NEVER, true_at), np.minimum(false_at, passed)
