"""Rows: the values that facts, background and clock give to variables; comparisons and joins of rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import numpy as np

from antelog.compile.literals import Call, Comparison
from antelog.compile.literals.atoms import FactLiteral
from antelog.compile.literals.literal import AskedNode
from antelog.compile.literals.terms import Calculated, Const, Operand, Sum, Time, Var, variables_in
from antelog.compile.prepared.pattern import Prepared
from antelog.engine.columns.joins import TickRange, band_pairs, find_rows, make_room, pairs, spread
from antelog.engine.columns.spans import Spans, span
from antelog.engine.columns.tables import NEVER, Column, ColumnSet, Mask, groups, keys_of, marked, positions
from antelog.engine.facts.history import Facts, History, Places, gather, gather_each
from antelog.engine.values.encoding import UNBOUND
from antelog.engine.values.numbers import Numbers, calculate, calendar_numbers
from antelog.engine.values.values import Values
from antelog.language.literals.comparison import HOLDS
from antelog.language.moments import Timescale

Bound = Mapping[str, Column]  # variables with a column of cells or ticks each
Test: TypeAlias = Comparison | Call


@dataclass(frozen=True)
class Rows(ColumnSet):
    """Bindings of a pattern's variables: `count` rows, and for each variable its column."""

    bound: Bound
    count: int
    owner: Column | None = None  # which of the atoms asked for a row is about; None: none were asked for
    as_of: Column | None = None  # the tick as of which the row is seen, without later facts; None: now
    time: TickRange | None = None  # of the answer, where the row leaves it open and the atoms bound it
    seen: Column | None = None  # since when the value of an unguarded variable has been seen
    latest: TickRange | None = None  # when its values are those of the latest facts or aggregates
    replaced: Mapping[AskedNode, Column] = field(default_factory=dict)  # until when, for each `last`

    def take(self, at: Column | Mask) -> Rows:
        at = positions(at)
        return self.extended({name: column.take(at) for name, column in self.bound.items()}, at)

    def extended(self, bound: Bound, at: Column) -> Rows:
        """Rows with these bindings, each about the same atom as one of these rows."""
        return Rows(
            bound,
            len(at),
            None if self.owner is None else self.owner.take(at),
            None if self.as_of is None else self.as_of.take(at),
            None if self.time is None else self.time.take(at),
            None if self.seen is None else self.seen.take(at),
            None if self.latest is None else self.latest.take(at),
            {literal: until.take(at) for literal, until in self.replaced.items()},
        )


ONE = Rows({}, 1)  # binds nothing


def term_column(term: Var | Const | Time, rows: Rows, values: Values) -> Column:
    if isinstance(term, Var):
        return rows.bound[term.name]
    if isinstance(term, Time):
        return np.broadcast_to(cells_of(term, rows.bound, values), rows.count)
    return np.full(rows.count, values.cell(term.value), np.int64)


def time_column(time: Time, rows: Rows) -> Column:
    if time.variable is None:
        return np.full(rows.count, time.offset, np.int64)
    return rows.bound[time.variable] + time.offset


@dataclass(frozen=True)
class Within:
    """A variable of the right that has to lie in a band, which is given for each row on the left."""

    variable: str
    band: TickRange


@dataclass(frozen=True)
class Meeting:
    """The rows of a join, and which row each is of on the left and on the right (None: all, in order)."""

    rows: Rows
    left: Column | None
    right: Column | None


def meeting(left: Rows, right: Rows, within: Within | None = None) -> Meeting:
    """Joins rows that agree where both are bound; only those on the left are about atoms."""
    if within is None and not left.bound and left.count == 1:
        here = np.zeros(right.count, np.int64)
        return Meeting(left.extended(right.bound, here), here, None)
    if not right.bound and right.count == 1:
        return Meeting(left, None, np.zeros(left.count, np.int64))
    shared = [name for name in left.bound if name in right.bound]
    keys = keys_of([[side.bound[name] for name in shared] for side in (left, right)]) if shared else None
    if within is not None:
        one, other = keys or (np.zeros(side.count, np.int64) for side in (left, right))
        here, there = band_pairs(one, other, within.band, right.bound[within.variable])
    elif keys is not None:
        here, there = pairs(*keys)
    else:
        counts = np.full(left.count, right.count)
        make_room(counts)
        here, there = spread(np.zeros(left.count, np.int64), counts)
    bound = {name: column.take(here) for name, column in left.bound.items()}
    bound |= {name: column.take(there) for name, column in right.bound.items() if name not in bound}
    return Meeting(left.extended(bound, here), here, there)


def keys_in(tables: Sequence[Sequence[Column]], counts: Sequence[int]) -> list[Column]:
    """Keys for rows of tables, equal where all columns are; without columns, so many rows are all equal."""
    return keys_of(tables) if tables[0] else [np.zeros(count, np.int64) for count in counts]


def key_of(columns: Sequence[Column], count: int = 0) -> Column:
    return keys_in([columns], [count])[0]


def places_of(ordered: Column, sought: Column) -> tuple[Column, Column]:
    """The places of numbers in a sorted column, and before these which of the numbers each place has."""
    first = np.searchsorted(ordered, sought)
    return spread(first, np.searchsorted(ordered, sought, "right") - first)


def distinct(parts: Iterable[Rows]) -> Rows:
    """The rows of tables with the same variables, each once."""
    tables = [part for part in parts if part.count]
    if len(tables) == 0:
        return Rows({}, 0)
    names = list(tables[0].bound)
    bound = {name: np.concatenate([t.bound[name] for t in tables]) for name in names}
    if not names:
        return ONE
    key = key_of([*bound.values()])
    return Rows(bound, len(key)).take(groups(key).first)


def agrees(rows: Rows, table: Rows) -> Mask:
    """For each row, whether the table has one with the same values; the row binds all its variables."""
    if not table.bound:
        return np.full(rows.count, table.count > 0)
    return find_rows(*([side.bound[name] for name in table.bound] for side in (rows, table))) >= 0


# ---- facts as rows ----


@dataclass(frozen=True)
class LiteralFacts(ColumnSet):
    """The facts that fit a literal: their bindings, each once, and when the first of them arrived."""

    rows: Rows
    arrived: Column


def facts_for_each(
    literals: Sequence[FactLiteral], history: History, about: Sequence[Spans | None], values: Values
) -> tuple[LiteralFacts, ...]:
    """The facts of several literals, each about its ticks (None: any), read together if of one input."""
    found: dict[int, LiteralFacts] = {}
    alike: dict[tuple[str, Places, Places], list[int]] = {}
    for i, literal in enumerate(literals):
        predicate, time = literal.node.predicate, literal.node.time
        constants = tuple((column, values.cell(value)) for column, value in literal.constants)
        if time.variable is None:
            tick = span(time.offset, time.offset)
            facts = gather(history, predicate, tick, constants, literal.repeats)
            found[i] = _found(literal, facts, values)
        else:
            alike.setdefault((predicate, constants, literal.repeats), []).append(i)
    for (predicate, constants, repeats), which in alike.items():
        each = gather_each(history, predicate, [about[i] for i in which], constants, repeats)
        found |= {i: _found(literals[i], facts, values) for i, facts in zip(which, each, strict=True)}
    return tuple(found[i] for i in range(len(literals)))


def _found(literal: FactLiteral, facts: Facts, values: Values) -> LiteralFacts:
    """Facts that have a literal's constants, as its bindings."""
    time, bound = literal.node.time, {name: facts.columns[column] for name, column in literal.binds}
    if time.variable is not None:
        bound[time.variable] = facts.time - time.offset if time.offset else facts.time
    # No fact is there twice, so neither is a binding.
    rows = Rows(bound, facts.count)
    if not literal.tests or not facts.count:
        return LiteralFacts(rows, facts.arrival)
    at = marked(passing(literal.tests, bound, facts.count, values))
    return LiteralFacts(rows.take(at), facts.arrival.take(at))


# ---- the ticks an open time can be ----


def latest_tick(prepared: Prepared, time: Time, rows: Rows) -> Column:
    """The last tick that an open time can be, as comparisons bound it by ticks that are known."""
    latest = np.full(rows.count, NEVER)
    for name, tick in _known_ticks(prepared, rows, last=True):
        ahead = prepared.times.furthest(Time(name, 0), time)
        if ahead is not None:
            latest = np.minimum(latest, tick + ahead)
    for end in (each for each in prepared.ends if each.bound in rows.bound):
        ahead, tick = prepared.times.furthest(Time(end.variable, 0), time), rows.bound[end.bound]
        if ahead is not None:
            latest = np.minimum(latest, np.where(tick == NEVER, NEVER, tick - end.offset - 1 + ahead))
    return _beyond(_excluded(prepared, time, rows), latest, -1)


def first_tick(prepared: Prepared, time: Time, rows: Rows) -> Column:
    """The first tick that an open time can be, as comparisons bound it by ticks that are known."""
    first = np.zeros(rows.count, np.int64)
    for name, tick in _known_ticks(prepared, rows, last=False):
        behind = prepared.times.furthest(time, Time(name, 0))
        if behind is not None:
            first = np.maximum(first, tick - behind)
    return _beyond(_excluded(prepared, time, rows), first, 1)


def _excluded(prepared: Prepared, time: Time, rows: Rows) -> Sequence[Column]:
    """The ticks that an open time must not be, as comparisons with known ones say, for each row."""
    return [
        time_column(other, rows) + (time.offset - one.offset)
        for pair in prepared.times.unequal
        for one, other in (pair, pair[::-1])
        if one.variable == time.variable and other.variable in {None, *rows.bound} - {time.variable}
    ]


def _beyond(excluded: Sequence[Column], tick: Column, step: int) -> Column:
    """The next tick that is not excluded, from one on."""
    for _ in excluded:  # each may be next to another
        for other in excluded:
            tick = tick + step * (tick == other)
    return tick


def _known_ticks(
    prepared: Prepared, rows: Rows, *, last: bool
) -> Iterator[tuple[str | None, Column | np.int64]]:
    """Tick 0, the times that rows bind, and one end of the answer's time where that is a range."""
    yield None, np.int64(0)
    answer = prepared.pattern.time.variable
    for name in sorted(prepared.time_variables):
        if name in rows.bound:
            yield name, rows.bound[name]
        elif name == answer and rows.time is not None:
            yield name, rows.time.last if last else rows.time.first


# ---- comparisons ----


def passing(tests: Iterable[Test], bound: Bound, count: int, values: Values) -> Mask:
    """For each row, whether the conditions hold there, as far as their variables are bound."""
    fits = np.ones(count, np.bool_)
    for test in tests:
        if test.variables <= bound.keys():
            fits &= holds(test, bound, count, values)
        else:
            for side in test.operands if isinstance(test, Call) or test.calculates else ():
                fits &= _may_have_value(side, bound, count, values)
    return fits


def _may_have_value(side: Operand, bound: Bound, count: int, values: Values) -> Mask:
    """For each row, whether what is known of a side, or of an argument, lets it have a value."""
    if variables_in([side]) <= bound.keys():
        if isinstance(side, Calculated) and side.is_arithmetic:
            return _all(numbers_of(side, bound, values).there, count)
        return _all(cells_of(side, bound, values) != UNBOUND, count)
    fits = np.ones(count, np.bool_)
    for each in side.operands if isinstance(side, Calculated) else ():
        fits &= _may_have_value(each, bound, count, values)
    return fits


def holds(test: Test, bound: Bound, count: int, values: Values) -> Mask:
    """For each row, whether a condition holds there; all its variables are bound."""
    if isinstance(test, Call):
        given = [cells_of(each, bound, values) for each in test.arguments]
        return _all(values.functions.truths(test.function, given, values, of=not test.negated), count)
    return _compared(test, bound, count, values)


def _compared(comparison: Comparison, bound: Bound, count: int, values: Values) -> Mask:
    left, right = comparison.left, comparison.right
    test = HOLDS[comparison.operator]
    if isinstance(left, Time) and isinstance(right, Time):
        return _all(test(_ticks(left, bound), _ticks(right, bound)), count)
    if comparison.is_arithmetic:
        numbers = numbers_of(left, bound, values), numbers_of(right, bound, values)
        return _all(numbers[0].compared(test, numbers[1]), count)
    one, other = cells_of(left, bound, values), cells_of(right, bound, values)
    if comparison.operator in ("=", "!="):
        return _all(test(one, other) & (one != UNBOUND) & (other != UNBOUND), count)
    one, other = np.atleast_1d(one), np.atleast_1d(other)
    if any(values.whole_numbers(cells) is not None for cells in (one, other)):
        result = _all(Numbers.of_cells(one, values).compared(test, Numbers.of_cells(other, values)), count)
    else:
        result = _all(test(values.numbers(one), values.numbers(other)), count)
    # Values of other kinds have an order among themselves; those of different kinds have none.
    ranked = _all(values.have_ranks(one) | values.have_ranks(other), count)
    if ranked.any():
        ranked &= _all(values.kinds(one) == values.kinds(other), count)
        first, second = (np.broadcast_to(cells, count)[ranked] for cells in (one, other))
        ranks = values.ranks(np.concatenate([first, second]))
        result[ranked] = test(ranks[: len(first)], ranks[len(first) :])
    return result


def _all(mask: Any, count: int) -> Mask:
    return np.array(np.broadcast_to(mask, count), dtype=np.bool_)


def _ticks(time: Time, bound: Bound) -> Column:
    return np.asarray(time.offset if time.variable is None else bound[time.variable] + time.offset)


def cells_of(operand: Operand, bound: Bound, values: Values) -> Column:
    """The cells of an operand in each row, UNBOUND where it has no value; one row if it has no variables."""
    match operand:
        case Var(name):
            return bound[name]
        case Const(value):
            return np.array([values.cell(value)])
        case Calculated(function, operands) if not operand.is_arithmetic:
            given = [cells_of(each, bound, values) for each in operands]
            return values.functions.cells(function, given, values)
        case _:
            return numbers_of(operand, bound, values).cells(values)


def numbers_of(operand: Operand, bound: Bound, values: Values) -> Numbers:
    """The numbers of an operand in each row; one row if it has no variables."""
    match operand:
        case Time():
            return Numbers.of_ticks(np.atleast_1d(_ticks(operand, bound)))
        case Calculated(function, _, Timescale() as timescale):
            return calendar_numbers(function, np.atleast_1d(_ticks(operand.time, bound)), timescale)
        case Calculated(function, operands) if operand.is_arithmetic:
            return calculate(function, [numbers_of(each, bound, values) for each in operands])
        case Sum(name, offset):
            constant = Numbers.of_cells(np.array([values.cell(offset)]), values)
            return calculate("+", [Numbers.of_cells(bound[name], values), constant])
        case _:
            return Numbers.of_cells(cells_of(operand, bound, values), values)


def with_worked_out(prepared: Prepared, rows: Rows, values: Values) -> tuple[Rows, Column | None]:
    """Adds the variables that equations give values; and which rows have such values (None: all)."""
    bound, fits = dict(rows.bound), np.ones(rows.count, np.bool_)
    for variable, operand in prepared.pattern.worked_out:
        if variable not in bound and variables_in([operand]) <= bound.keys():
            if variable in prepared.time_variables:
                numbers = numbers_of(operand, bound, values)
                found, there = numbers.whole, numbers.is_whole
            else:
                found = cells_of(operand, bound, values)
                there = found != UNBOUND
            bound[variable] = np.broadcast_to(found, rows.count)
            fits &= np.broadcast_to(there, rows.count)
    if len(bound) == len(rows.bound):
        return rows, None
    at = marked(fits)
    return replace(rows, bound=bound).take(at), at
