"""Counts, sums and averages over windows, compared with something: from when on that is true or false.

count(Fail(X, _, T-60..T)) >= 3     true with the third arrival in the window of a row
avg(V : Temp(X, V, T-60..T)) > 47   decided with the last arrival, or once none can come
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from antelog.compile.literals.aggregate import Aggregate, Aggregation
from antelog.engine.columns.tables import NEVER, Column, Mask, marked
from antelog.engine.step.amounts import QUARTERS, Compared, rising
from antelog.engine.step.derivations import Knowledge, Truth, atoms_of
from antelog.engine.step.rows import Rows, numbers_of
from antelog.engine.step.windows import WindowAtoms, Windows, least, windows_of
from antelog.engine.values.exact_sums import Summands
from antelog.engine.values.numbers import Numbers, calculate
from antelog.engine.values.values import Values
from antelog.language.literals.comparison import HOLDS

_MOST = 2**60
"""More than there can be in a window."""


def _has_window(aggregate: Aggregate) -> bool:
    """Whether an aggregate can be looked up in windows."""
    return aggregate.function in ("count", "sum", "avg") and not aggregate.distinct


@dataclass(frozen=True, eq=False)
class WindowAmount:
    """An aggregate over windows; `sums` are what is added up of the members that are numbers."""

    aggregate: Aggregate
    windows: Windows
    numbers: WindowAtoms
    summands: Summands | None

    @classmethod
    def of(cls, aggregate: Aggregate, windows: Windows, values: Values) -> WindowAmount:
        if aggregate.value is None or aggregate.function == "count":
            return cls(aggregate, windows, windows.members, None)
        place = aggregate.inside.arguments.index(aggregate.value)
        numbers = Numbers.of_cells(windows.members.cells[place], values)
        atoms = windows.members
        if not numbers.there.all():
            at = marked(numbers.there)
            atoms, numbers = atoms.take(at), numbers.take(at)
        summands = Summands.of(numbers)
        return cls(aggregate, windows, atoms.weighted(summands.parts), summands)

    def at(self, tick: Column | None, row: Column | None = None) -> Numbers:
        """The value in each row, or in some, at a tick; in the end if there is none."""
        atoms, known = self.numbers, self.windows.known(tick, row)
        first, end = (each if row is None else each.take(row) for each in (atoms.first, atoms.end))
        count = end - first if known is None else atoms.arrivals.up_to(first, end, known)
        if self.summands is None:
            return Numbers.of_ticks(count)
        if known is None:
            total = self.summands.stretches(first, end)
        else:
            total = self.summands.added(atoms.arrivals.weights_up_to(first, end, known))
        if self.aggregate.function == "sum":
            return total
        return calculate("/", [total, Numbers.of_doubles(count.astype(np.float64))])

    def values(self, row: Column, tick: Column) -> NDArray[np.float64]:
        """The values in some rows at some ticks; not a number where there is none."""
        return self.at(tick, row).real

    def first(self, holds: Callable[[Numbers], Mask]) -> Column:
        """The tick from which on something holds of a value that can only rise; NEVER if it does not."""
        atoms, seen = self.numbers, self.windows.known(None)
        there = (
            atoms.end - atoms.first if seen is None else atoms.arrivals.up_to(atoms.first, atoms.end, seen)
        )

        def tick_of(count: Column) -> Column:
            arrived = atoms.arrivals.least(atoms.first, atoms.end, np.minimum(count, there))
            return np.where(count > 0, arrived, -1)

        count = least(np.zeros_like(there), there + 1, lambda count: holds(self.at(tick_of(count))))
        return np.where(count > there, NEVER, tick_of(count))


def in_windows(known: Knowledge, node: Aggregation, rows: Rows) -> Compared | None:
    """A comparison over time, if its members are those of windows over a table of facts."""
    found = list[Windows]()
    for each in node.aggregates:
        asked = atoms_of(each.inside.reference, rows, known.values)
        windows = windows_of(known, asked, each, rows) if _has_window(each) else None
        if windows is None:
            return None
        found.append(windows)
    return _compared(node, found, rows, known.values)


def _compared(node: Aggregation, found: Sequence[Windows], rows: Rows, values: Values) -> Compared | None:
    """The comparison over time; None if it has to be looked at step by step."""
    amounts = [
        WindowAmount.of(aggregate, windows, values)
        for aggregate, windows in zip(node.aggregates, found, strict=True)
    ]
    left, decided = amounts[0], np.maximum.reduce([each.decided for each in found])
    rises = np.logical_or.reduce([rising(each, rows, values) for each in node.aggregates])
    quarters = np.full((QUARTERS, rows.count), NEVER)
    if isinstance(node.right, Aggregate):
        if rises.any():
            return None
        return Compared(Truth(*_of_two(node, amounts, values), decided), left, quarters)
    other = _for_each(numbers_of(node.right, rows.bound, values), rows.count)
    compare = _count if node.left.function == "count" else _total
    true_at, false_at = compare(left, node.operator, other, rises)
    if rises.any():
        goal = np.where(rises & (other.real > 0), other.real, np.nan)
        quarters = np.stack([_share(left, number, goal) for number in range(1, QUARTERS + 1)])
    true_at, false_at = np.where(other.there, true_at, NEVER), np.where(other.there, false_at, -1)
    return Compared(Truth(true_at, false_at, decided), left, quarters)


def _of_two(node: Aggregation, amounts: Sequence[WindowAmount], values: Values) -> tuple[Column, Column]:
    """The ticks at which a comparison of two aggregates is true and false: both are known in the end."""
    one, other = (each.at(None) for each in amounts)
    if node.factor != 1:
        other = calculate("*", [other, Numbers.of_cells(np.array([values.cell(node.factor)]), values)])
    settled = [each.windows.settled for each in amounts]
    # A side without a value makes it false as soon as that is certain.
    lacking = [np.where(end.there, NEVER, when) for end, when in zip((one, other), settled, strict=True)]
    when = np.where(one.there & other.there, np.maximum(*settled), np.minimum(*lacking))
    true = one.compared(HOLDS[node.operator], other)
    return np.where(true, when, NEVER), np.where(true, NEVER, when)


def _for_each(numbers: Numbers, count: int) -> Numbers:
    """A number for each row; a constant has one for all."""
    return numbers.take(np.zeros(count, np.int64)) if len(numbers.real) == 1 else numbers


def _share(left: WindowAmount, number: int, goal: NDArray[np.float64]) -> Column:
    """The tick from which on a value has come so many quarters of the way to a goal."""
    if left.summands is not None:
        return left.first(lambda now: QUARTERS * now.real >= number * goal)
    least_count = np.ceil(np.minimum(np.nan_to_num(number * goal / QUARTERS, nan=_MOST), _MOST))
    return left.windows.reached(least_count.astype(np.int64))


def _count(left: WindowAmount, operator: str, other: Numbers, _rises: Mask) -> tuple[Column, Column]:
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


def _total(left: WindowAmount, operator: str, other: Numbers, rises: Mask) -> tuple[Column, Column]:
    """The ticks at which a comparison of sums or means is true and false: in the end, or once passed."""
    true, settled = left.at(None).compared(HOLDS[operator], other), left.windows.settled
    true_at, false_at = np.where(true, settled, NEVER), np.where(true, NEVER, settled)
    if not rises.any():
        return true_at, false_at
    beyond = HOLDS[">=" if operator in (">=", "<") else ">"]
    passed = np.where(rises, left.first(lambda now: now.compared(beyond, other)), NEVER)
    never = passed < NEVER
    if operator in (">", ">=", "!="):
        return np.minimum(true_at, passed), np.where(never, NEVER, false_at)
    return np.where(never, NEVER, true_at), np.minimum(false_at, passed)
