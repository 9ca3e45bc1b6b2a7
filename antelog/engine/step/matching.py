"""Matching of facts: rows of a pattern for which at least one of its fact literals has evidence.

Rows are in one table for each set of variables that evidence can give values to. Where every literal has all
variables (the usual case) there is one such set.

    q(X, Y, T) :- p(X, T), r(Y, T).     p(a, 0), r(b, 0)
    X, T: (a, 0)     Y, T: (b, 0)     X, Y, T: (a, b, 0)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from antelog.compile.comparisons import ZERO
from antelog.compile.literals import Call, Comparison
from antelog.compile.literals.atoms import FactLiteral
from antelog.compile.prepared.pattern import Prepared
from antelog.engine.columns.column_set import ColumnSet
from antelog.engine.columns.joins import TickRange, find_rows
from antelog.engine.columns.spans import FOREVER
from antelog.engine.columns.tables import NEVER, Column, Mask, keys_of, marked, once
from antelog.engine.step.background import Background
from antelog.engine.step.rows import (
    LiteralFacts,
    Meeting,
    Rows,
    Within,
    agrees,
    joined,
    meeting,
    passing,
    time_column,
    with_worked_out,
)
from antelog.engine.values.values import Values


@dataclass(frozen=True)
class Partial(ColumnSet):
    """Rows of a pattern, and for each fact literal when its fact arrived (NEVER: not yet, or the
    literal has open variables)."""

    axis = -1

    rows: Rows
    arrived: Column

    def with_facts(self) -> Partial:
        """The rows of a pattern that have a fact for at least one literal."""
        some = self.arrived.min(axis=0, initial=NEVER) < NEVER
        return self if some.all() else self.take(some)


@dataclass(frozen=True)
class _Part:
    """Rows that the facts of a literal (`giver`) have made of those with the variables `before`, each once.

    For some literals it is known when their facts arrived (NEVER: there is none). `seed` is the row of the
    seed that each extends, which is all that distinguishes rows in the seed's variables; None if there is
    one only.
    """

    rows: Rows
    seed: Column | None
    before: frozenset[str]
    giver: int
    arrived: Mapping[int, Column]


@dataclass(frozen=True)
class _Whole(ColumnSet):
    """All rows with the same variables, and the row of the seed that each extends; None if it has one."""

    partial: Partial
    seed: Column | None


def partials(
    prepared: Prepared, seed: Rows, found: tuple[LiteralFacts, ...], background: Background, values: Values
) -> list[Partial]:
    """All rows that come from a seed and the facts of the literals, fewer variables first.

    The first has the seed's variables only. The seed has each row once, as the background does.
    """
    seed = joined(seed, background.rows)
    start = frozenset(seed.bound)
    number = np.arange(seed.count) if start or seed.owner is not None else None
    tables = {start: [_Part(Rows(seed.bound, seed.count), number, start, -1, {})]}
    complete: list[Partial] = []
    while tables:
        # Rows of fewer variables can make those of more.
        variables = min(tables, key=len)
        parts = tables.pop(variables)
        whole = _merged(prepared, parts, found, start)
        fits = fitting(
            prepared, whole.partial.rows, background, values, _untested(prepared, parts, variables)
        )
        if not fits.any():
            continue
        if not fits.all():
            whole = whole.take(fits)
        first = min(part.giver for part in parts) + 1
        lapsed = _lapsed(prepared, whole.partial, start)
        alive = whole if lapsed is None else whole.take(_none_of(lapsed))
        complete.append(_worked_out(prepared, _about(seed, alive), background, values))
        if lapsed is not None:
            # Rows are made in the order of literals: what is missing before here stays so.
            whole = whole.take(_none_of(lapsed[:first]))
        # Rows that several givers make together are made in the order of these, and not in others too.
        for giver, facts in enumerate(found[first:], first):
            if facts.rows.count and not facts.rows.bound.keys() <= variables:
                more = frozenset(variables | facts.rows.bound.keys())
                tables.setdefault(more, []).append(_extended(prepared, whole, giver, facts))
    return complete


def _lapsed(prepared: Prepared, part: Partial, start: frozenset[str]) -> NDArray[np.bool_] | None:
    """For each fact literal, the rows that were made only after its fact could not come any more.

    Such a row is never supported. None: there is none for certain. Only literals with a variable of their
    own count: a later fact of theirs makes another row.
    """
    bound = part.rows.bound.keys()
    own = [names - start for names in prepared.private_variables]
    givers = [i for i, names in enumerate(own) if names and names <= bound]
    missing = [i for i, names in enumerate(own) if names - bound]
    if prepared.pattern.unguarded or not givers or not missing:
        return None
    made, lapsed = part.arrived[givers].max(axis=0), np.zeros((len(own), part.rows.count), np.bool_)
    for i in missing:
        fact = prepared.facts[i]
        if fact.node.time.variable is None or fact.node.time.variable in bound:
            lapsed[i] = time_column(fact.node.time, part.rows) + fact.latest <= made
    return lapsed


def _none_of(masks: NDArray[np.bool_]) -> Mask:
    found: Mask = ~np.logical_or.reduce(masks)
    return found


def _worked_out(prepared: Prepared, part: Partial, background: Background, values: Values) -> Partial:
    """Rows with the variables that equations give values, where conditions on these hold."""
    rows, at = with_worked_out(prepared, part.rows, values)
    if at is None:
        return part
    found = Partial(rows, part.arrived.take(at, axis=1))
    return found.take(fitting(prepared, rows, background, values))


def _about(seed: Rows, whole: _Whole) -> Partial:
    """Rows that are about the same atoms as the rows of the seed that they extend."""
    if whole.seed is None:
        return whole.partial
    return Partial(seed.extended(whole.partial.rows.bound, whole.seed), whole.partial.arrived)


def _extended(prepared: Prepared, whole: _Whole, giver: int, facts: LiteralFacts) -> _Part:
    """The rows with what a literal's facts add to them."""
    old = whole.partial
    both = meeting(old.rows, facts.rows, within(prepared, old.rows, facts.rows))
    before, here = frozenset(old.rows.bound), both.left
    arrived = {
        i: old.arrived[i] if here is None else old.arrived[i].take(here)
        for i, fact in enumerate(prepared.facts)
        if fact.variables <= before
    }
    arrived[giver] = facts.arrived if both.right is None else facts.arrived.take(both.right)
    seed = whole.seed if here is None or whole.seed is None else whole.seed.take(here)
    return _Part(both.rows, seed, before, giver, arrived)


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
) -> _Whole:
    """The rows of all parts, each once, with the arrivals of the facts of all literals, and their seeds."""
    rows, seed, some, number = parts[0].rows, parts[0].seed, None, None
    if len(parts) > 1:
        bound = {name: np.concatenate([part.rows.bound[name] for part in parts]) for name in rows.bound}
        key_columns = [column for name, column in bound.items() if name not in start]
        seeds = [part.seed for part in parts if part.seed is not None]
        if seeds:
            key_columns.insert(0, np.concatenate(seeds))
        (key,) = keys_of([key_columns])
        some, number = once(key)
        seed = key_columns[0].take(some) if seeds else None
        rows = Rows({name: column.take(some) for name, column in bound.items()}, len(some))
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
            arrived[i] = _arrivals(fact, rows, facts)
    return _Whole(Partial(rows, arrived), seed)


def _arrivals(fact: FactLiteral, rows: Rows, facts: LiteralFacts) -> Column:
    """For each row when the fact of a literal arrived; NEVER if it has not."""
    names = sorted(fact.variables)
    at = find_rows(*([side.bound[name] for name in names] for side in (rows, facts.rows)))
    arrived: Column = np.where(at >= 0, facts.arrived.take(at), NEVER)
    return arrived


def wholes(
    prepared: Prepared, seed: Rows, found: tuple[LiteralFacts, ...], background: Background, values: Values
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
        both = _narrowed(prepared, rows, table)
        rows, arrived = both.rows, arrived if both.left is None else arrived.take(both.left, axis=1)
        if giver is not None:
            arrived[giver] = (
                found[giver].arrived if both.right is None else found[giver].arrived.take(both.right)
            )
        fits = fitting(prepared, rows, background, values)
        if not fits.all():
            rows, arrived = rows.take(fits), arrived.take(marked(fits), axis=1)
    return _worked_out(prepared, Partial(rows, arrived), background, values)


def _narrowed(prepared: Prepared, rows: Rows, table: Rows) -> Meeting:
    """The rows joined with a table."""
    if not table.bound or not table.bound.keys() <= rows.bound.keys():
        return meeting(rows, table, within(prepared, rows, table))
    at = find_rows(*([side.bound[name] for name in table.bound] for side in (rows, table)))
    there = marked(at >= 0)
    return Meeting(rows.take(there), there, at.take(there))


def _effort(prepared: Prepared, rows: Rows, table: Rows, static: bool) -> tuple[bool, bool, int, int]:
    """The sort key of joins: first tables that share values, add few, and have few rows.

    Facts are first at the start. Tables that share nothing but the tick come late.
    """
    apart = not (rows.bound.keys() & table.bound.keys()) - prepared.time_variables
    return apart, apart and static, len(table.bound.keys() - rows.bound.keys()), table.count


def _untested(prepared: Prepared, parts: Sequence[_Part], bound: frozenset[str]) -> list[Comparison | Call]:
    """The conditions to test in rows: they were not, in the rows or the facts that parts were made of."""
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
    tests: Iterable[Comparison | Call] | None = None,
) -> Mask:
    """The rows at which every condition holds whose variables they bind, or every one of these tests."""
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
