"""Matching: the background of patterns, worked out once, and the rows that facts make with it.

q(X, Y, T) :- p(X, T), r(Y, T).     p(a, 0), r(b, 0) make X, T: (a, 0); Y, T: (b, 0); X, Y, T: (a, b, 0)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from antelog.compile.comparisons import ZERO
from antelog.compile.literals import Call
from antelog.compile.literals.conditions import StaticAtom
from antelog.compile.literals.terms import Var, variables_in
from antelog.compile.nodes.plan import Plan, Relation
from antelog.compile.prepared.pattern import Prepared
from antelog.compile.prepared.rules import Rules
from antelog.compile.rules.statics import Row
from antelog.engine.columns.joins import TickRange, find, find_rows, spread
from antelog.engine.columns.spans import FOREVER
from antelog.engine.columns.tables import NEVER, Column, ColumnSet, Mask, marked, once
from antelog.engine.step.denied import Denied, bands
from antelog.engine.step.rows import (
    ONE,
    LiteralFacts,
    Meeting,
    Rows,
    Test,
    Within,
    agrees,
    distinct,
    key_of,
    meeting,
    passing,
    time_column,
    with_worked_out,
)
from antelog.engine.values.values import Values

Tables = Mapping[str, Sequence[tuple[int, ...]]]  # the rows of each static relation, as cells


@dataclass(frozen=True)
class Background:
    """The static facts of a pattern: the bindings they allow, and those they forbid."""

    rows: Rows
    forbidden: tuple[Rows, ...]


@dataclass(frozen=True)
class StaticFacts:
    """The rows of each static relation, the background of each pattern, and the twins of queries."""

    tables: Tables
    of_patterns: Mapping[str, tuple[Background, ...]]
    twins: Mapping[str, Twins]


def static_of(plan: Plan, rules: Rules, rows: Mapping[str, frozenset[Row]], values: Values) -> StaticFacts:
    tables = {name: [tuple(map(values.cell, row)) for row in table] for name, table in rows.items()}
    of_patterns = {
        name: tuple(background_of(each, tables, values) for each in patterns)
        for name, patterns in rules.patterns.items()
    }
    found = {
        query.name: twins(query, rules.patterns[query.name], of_patterns[query.name])
        for query in plan.queries
    }
    return StaticFacts(tables, of_patterns, {name: each for name, each in found.items() if each is not None})


def background_of(each: Prepared, tables: Tables, values: Values) -> Background:
    rows = ONE
    for atom in each.pattern.background:
        rows = meeting(rows, rows_of(atom, tables[atom.predicate], values)).rows
    tests: list[Test] = [*each.pattern.comparisons, *each.calls]
    rows = rows.take(passing([t for t in tests if t.variables], rows.bound, rows.count, values))
    # A variable of the background alone is met by some value; which one makes no difference.
    rows = distinct([Rows({n: column for n, column in rows.bound.items() if n in each.used}, rows.count)])
    forbidden = (rows_of(atom, tables[atom.predicate], values) for atom in each.absent)
    return Background(rows, tuple(forbidden))


def rows_of(atom: StaticAtom, table: Sequence[tuple[int, ...]], values: Values) -> Rows:
    cells = np.array(table, np.int64).reshape(len(table), len(atom.arguments))
    bound: dict[str, Column] = {}
    fits = np.ones(len(table), np.bool_)
    for argument, column in zip(atom.arguments, cells.T, strict=True):
        if isinstance(argument, Var):
            fits &= bound.setdefault(argument.name, column) == column
        elif argument is not None:
            fits &= column == values.cell(argument.value)
    return distinct([Rows(bound, len(table)).take(fits)])


# ---- twins ----


@dataclass(frozen=True, eq=False)
class Twins:
    """Values at a position of a query's answers that the background treats alike, and nothing else uses."""

    position: int
    background: tuple[Background, ...]  # of each pattern, for those that are worked out
    one: Column  # those: each stands for `size` values of `all_`, from `start` on
    start: Column
    size: Column
    all_: Column

    def sizes(self, cells: Column) -> Column:
        return self.size.take(find(cells, self.one))

    def each(self, cells: Column) -> tuple[Column, Column]:
        """All twins of some values: for each twin the position of its value among these, and its cell."""
        at = find(cells, self.one)
        which, sought = spread(self.start.take(at), self.size.take(at))
        return which, self.all_.take(sought)


def twins(relation: Relation, patterns: Sequence[Prepared], background: Sequence[Background]) -> Twins | None:
    """The twins at the first position of a query's answers that has any; None if no position has."""
    if relation.unguarded:
        return None
    for position in range(len(relation.answer.variables)):
        names = [_alone(prepared, position) for prepared in patterns]
        if names and all(name in each.rows.bound for name, each in zip(names, background, strict=True)):
            found = _twins(position, [str(name) for name in names], background)
            if len(found.one) < len(found.all_):
                return found
    return None


def _alone(prepared: Prepared, position: int) -> str | None:
    """The variable at a position of the answer, if only the background and the answer have it."""
    pattern = prepared.pattern
    term = pattern.answer[position]
    if not isinstance(term, Var) or term.name not in pattern.given:
        return None
    others = (*pattern.answer[:position], *pattern.answer[position + 1 :])
    return None if term.name in prepared.looked_at | variables_in(others) else term.name


def _twins(position: int, names: Sequence[str], background: Sequence[Background]) -> Twins:
    """Groups values that each pattern has with the same values of other variables."""
    contexts: dict[int, set[tuple[int, int]]] = {}
    for number, (name, each) in enumerate(zip(names, background, strict=True)):
        rest = [column for other, column in each.rows.bound.items() if other != name]
        key = key_of(rest, each.rows.count)
        for cell, other in zip(each.rows.bound[name].tolist(), key.tolist(), strict=True):
            contexts.setdefault(cell, set()).add((number, other))
    alike: dict[frozenset[tuple[int, int]], list[int]] = {}
    for cell, others in sorted(contexts.items()):
        alike.setdefault(frozenset(others), []).append(cell)
    size = np.array([len(cells) for cells in alike.values()], np.int64)
    one = np.array([cells[0] for cells in alike.values()], np.int64)
    chosen = tuple(
        replace(each, rows=each.rows.take(find(each.rows.bound[name], one) >= 0))
        for name, each in zip(names, background, strict=True)
    )
    all_ = np.array([cell for cells in alike.values() for cell in cells], np.int64)
    return Twins(position, chosen, one, np.cumsum(size) - size, size, all_)


# ---- rows ----


@dataclass(frozen=True)
class Partial(ColumnSet):
    """Rows of a pattern, and when the fact of each fact literal `arrived` (NEVER: not yet, or it is open)."""

    axis = -1

    rows: Rows
    arrived: Column

    def with_facts(self) -> Partial:
        """The rows of a pattern that have a fact for at least one literal."""
        some = self.arrived.min(axis=0, initial=NEVER) < NEVER
        return self if some.all() else self.take(some)


@dataclass(frozen=True)
class _Part:
    """Rows that the facts of a literal (`giver`) made of those with the variables `before`, each once."""

    rows: Rows  # owned by the row of the seed that each extends; None: there is one
    before: frozenset[str]
    giver: int
    arrived: Mapping[int, Column]  # when the facts of some literals came; NEVER: there is none


def partials(
    prepared: Prepared,
    seed: Rows,
    found: tuple[LiteralFacts, ...],
    background: Background,
    values: Values,
    *,
    denied: Sequence[Denied] = (),
) -> list[Partial]:
    """All rows that the different rows of a seed and the literals' facts make, fewer variables first."""
    seed = meeting(seed, background.rows).rows
    start = frozenset(seed.bound)
    number = np.arange(seed.count) if start or seed.owner is not None else None
    tables = {start: [_Part(Rows(seed.bound, seed.count, number), start, -1, {})]}
    complete: list[Partial] = []
    while tables:
        # Rows of fewer variables can make those of more.
        variables = min(tables, key=len)
        parts = tables.pop(variables)
        whole = _merged(prepared, parts, found, start)
        fits = fitting(prepared, whole.rows, background, values, _untested(prepared, parts, variables))
        if not fits.any():
            continue
        if not fits.all():
            whole = whole.take(fits)
        first = min(part.giver for part in parts) + 1
        lapsed = _lapsed(prepared, whole, start)
        alive = whole if lapsed is None else whole.take(~np.logical_or.reduce(lapsed))
        if alive.rows.owner is not None:
            alive = Partial(seed.extended(alive.rows.bound, alive.rows.owner), alive.arrived)
        complete.append(_worked_out(prepared, alive, background, values))
        if lapsed is not None:
            # Rows are made in the order of literals: what is missing before here stays so.
            whole = whole.take(~np.logical_or.reduce(lapsed[:first]))
        # Rows that several givers make together are made in the order of these, and not in others too.
        for giver, facts in enumerate(found[first:], first):
            new = facts.rows.bound.keys() - variables
            if facts.rows.count and new and not prepared.lapses(giver, variables, new):
                part = _extended(prepared, whole, giver, facts, start=start, denied=denied, values=values)
                tables.setdefault(frozenset(variables | new), []).append(part)
    return complete


def _lapsed(prepared: Prepared, part: Partial, start: frozenset[str]) -> NDArray[np.bool_] | None:
    """For each literal the rows made after its fact could come, which are never supported; None if none."""
    bound = part.rows.bound.keys()
    own = [names - start for names in prepared.private_variables]
    givers = [i for i, names in enumerate(own) if names and names <= bound]
    missing = [i for i, names in enumerate(own) if names - bound]  # later facts of these make other rows
    if prepared.pattern.unguarded or not givers or not missing:
        return None
    made, lapsed = _made(prepared, part, start), np.zeros((len(own), part.rows.count), np.bool_)
    for i in missing:
        fact = prepared.facts[i]
        if fact.node.time.variable is None or fact.node.time.variable in bound:
            lapsed[i] = time_column(fact.node.time, part.rows) + fact.latest <= made
    return lapsed


def _made(prepared: Prepared, part: Partial, start: frozenset[str]) -> Column:
    """The tick since when rows have the facts that alone give some of their values; -1 if none does."""
    bound, own = part.rows.bound.keys(), [names - start for names in prepared.private_variables]
    givers = [i for i, names in enumerate(own) if names and names <= bound]
    made: Column = part.arrived[givers].max(axis=0, initial=-1)
    return made


def _worked_out(prepared: Prepared, part: Partial, background: Background, values: Values) -> Partial:
    """Rows with the variables that equations give values, where conditions on these hold."""
    rows, at = with_worked_out(prepared, part.rows, values)
    if at is None:
        return part
    found = Partial(rows, part.arrived.take(at, axis=1))
    return found.take(fitting(prepared, rows, background, values))


def _extended(
    prepared: Prepared,
    whole: Partial,
    giver: int,
    facts: LiteralFacts,
    *,
    start: frozenset[str],
    denied: Sequence[Denied],
    values: Values,
) -> _Part:
    """The rows with the bindings that a literal's facts add, but for those that are false from the start."""
    band, bounded = within(prepared, whole.rows, facts.rows), None
    if denied and prepared.facts[giver].node.time.variable not in start:
        made = _made(prepared, whole, start)
        bounded = bands(prepared, denied, whole.rows, giver, band, made=made, values=values)
    if bounded is None:
        both = meeting(whole.rows, facts.rows, band)
    else:
        both = meeting(whole.rows.take(bounded.row), facts.rows, bounded.within)
        assert both.left is not None
        assert both.right is not None
        kept = marked(facts.arrived.take(both.right) < bounded.before.take(both.left))
        left = bounded.row.take(both.left).take(kept)
        both = Meeting(both.rows.take(kept), left, both.right.take(kept))
    before, here = frozenset(whole.rows.bound), both.left
    arrived = {
        i: whole.arrived[i] if here is None else whole.arrived[i].take(here)
        for i, fact in enumerate(prepared.facts)
        if fact.variables <= before
    }
    arrived[giver] = facts.arrived if both.right is None else facts.arrived.take(both.right)
    return _Part(both.rows, before, giver, arrived)


def within(prepared: Prepared, rows: Rows, table: Rows) -> Within | None:
    """The band for the time of a table, as comparisons with known times bound it for each row."""
    new = [name for name in table.bound if name in prepared.time_variables and name not in rows.bound]
    if not new:
        return None
    (time,) = new
    bounds = [bound for name in rows.bound if (bound := prepared.band(name, time)) is not None]
    if not bounds:
        return None
    least, most = np.full(rows.count, -FOREVER), np.full(rows.count, FOREVER)
    for name, before, after in bounds:
        if before is not None:
            np.maximum(least, rows.bound[name] - before, out=least)
        if after is not None:
            np.minimum(most, rows.bound[name] + after, out=most)
    return Within(time, TickRange(least, most))


def _merged(
    prepared: Prepared, parts: list[_Part], found: Sequence[LiteralFacts], start: frozenset[str]
) -> Partial:
    """The rows of all parts, each once, with the arrivals of the facts of all literals."""
    rows, some, number = parts[0].rows, None, None
    if len(parts) > 1:
        bound = {name: np.concatenate([part.rows.bound[name] for part in parts]) for name in rows.bound}
        key_columns = [column for name, column in bound.items() if name not in start]
        seeds = [part.rows.owner for part in parts if part.rows.owner is not None]
        if seeds:
            key_columns.insert(0, np.concatenate(seeds))
        some, number = once(key_of(key_columns))
        owner = key_columns[0].take(some) if seeds else None
        rows = Rows({name: column.take(some) for name, column in bound.items()}, len(some), owner)
    arrived = np.full((len(prepared.facts), rows.count), NEVER, np.int64)
    for i, (fact, facts) in enumerate(zip(prepared.facts, found, strict=True)):
        if not fact.variables <= rows.bound.keys() or facts.rows.count == 0:
            continue
        if not fact.variables:
            arrived[i] = facts.arrived
        elif some is None and i in parts[0].arrived:
            arrived[i] = parts[0].arrived[i]
        elif some is not None and all(i in part.arrived for part in parts):
            arrived[i] = np.concatenate([part.arrived[i] for part in parts]).take(some)
        elif number is not None and rows.bound.keys() == start | fact.variables:
            # All rows that have a fact for the literal are in the part that was made by these.
            for part, end in zip(parts, accumulate(part.rows.count for part in parts), strict=True):
                if part.giver == i and part.before == start:
                    arrived[i, number[end - part.rows.count : end]] = part.arrived[i]
        else:
            names = sorted(fact.variables)
            at = find_rows(*([side.bound[name] for name in names] for side in (rows, facts.rows)))
            arrived[i] = np.where(at >= 0, facts.arrived.take(at), NEVER)
    return Partial(rows, arrived)


def wholes(
    prepared: Prepared,
    seed: Rows,
    found: tuple[LiteralFacts, ...],
    background: Background,
    values: Values,
    *,
    denied: Sequence[Denied] = (),
) -> Partial:
    """The rows of `partials` that have a fact for each literal."""
    rows, arrived = seed, np.zeros((len(found), seed.count), np.int64)
    tables: list[tuple[int | None, Rows]] = [(None, background.rows), *enumerate(f.rows for f in found)]
    if any(table.count == 0 for _, table in tables):  # then there is no row, whatever the order
        names = seed.bound.keys() | {name for _, table in tables for name in table.bound}
        return Partial(Rows(dict.fromkeys(names, arrived[0, :0]), 0), arrived[:, :0])
    while tables:
        efforts = [_effort(prepared, rows, table, static=giver is None) for giver, table in tables]
        giver, table = tables.pop(efforts.index(min(efforts)))
        if table.bound and table.bound.keys() <= rows.bound.keys():
            at = find_rows(*([side.bound[name] for name in table.bound] for side in (rows, table)))
            there = marked(at >= 0)
            both = Meeting(rows.take(there), there, at.take(there))
        else:
            band, never = within(prepared, rows, table), np.full(rows.count, NEVER)
            bounded = (
                None
                if giver is None
                else bands(prepared, denied, rows, giver, band, made=never, values=values)
            )
            if bounded is not None:
                rows, arrived = rows.take(bounded.row), arrived.take(bounded.row, axis=1)
                band = bounded.within
            both = meeting(rows, table, band)
        rows, arrived = both.rows, arrived if both.left is None else arrived.take(both.left, axis=1)
        if giver is not None:
            arrived[giver] = (
                found[giver].arrived if both.right is None else found[giver].arrived.take(both.right)
            )
        fits = fitting(prepared, rows, background, values)
        if not fits.all():
            rows, arrived = rows.take(fits), arrived.take(marked(fits), axis=1)
    return _worked_out(prepared, Partial(rows, arrived), background, values)


def _effort(prepared: Prepared, rows: Rows, table: Rows, static: bool) -> tuple[bool, bool, int, int]:
    """The sort key of joins: tables that share values, add few variables and have few rows come first."""
    apart = not (rows.bound.keys() & table.bound.keys()) - prepared.time_variables
    return apart, apart and static, len(table.bound.keys() - rows.bound.keys()), table.count


def _untested(prepared: Prepared, parts: Sequence[_Part], bound: frozenset[str]) -> list[Test]:
    """The conditions that were not tested in the rows or facts which parts were made of."""
    made = [(part.before, prepared.facts[part.giver].variables) for part in parts if part.giver >= 0]
    untested = [
        test
        for test, names in prepared.conditions.items()
        if not made
        or not all(names <= before or (names <= own and not test.functions) for before, own in made)
    ]
    # Of what is not bound yet, a calculated side may have no value already.
    return [
        test
        for test in untested
        if prepared.conditions[test] <= bound or isinstance(test, Call) or test.calculates
    ]


def fitting(
    prepared: Prepared,
    rows: Rows,
    background: Background,
    values: Values,
    tests: Iterable[Test] | None = None,
) -> Mask:
    """A mask of the rows that meet the tests (None: all of the pattern), as far as they bind variables."""
    tests = prepared.conditions if tests is None else tests
    fits = passing(tests, rows.bound, rows.count, values)
    for condition in prepared.pattern.earliest:
        if condition.variable in rows.bound:
            fits &= rows.bound[condition.variable] >= condition.tick
    for first, last, most in prepared.between:
        if {first, last} <= {ZERO, *rows.bound}:
            fits &= rows.bound.get(last, 0) - rows.bound.get(first, 0) <= most
    for table in background.forbidden:
        if table.bound.keys() <= rows.bound.keys():
            fits &= ~agrees(rows, table)
    return fits
