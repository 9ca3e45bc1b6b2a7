"""Facts to rows of a pattern: the values that some of its fact literals have evidence for.

In come the facts that fit each literal, out go rows, one table for each set of variables that
evidence can give values to. Where every literal has all variables (the usual case) there is one
such set.

    q(X, Y, T) :- p(X, T), r(Y, T).     p(a, 0), r(b, 0)
    X, T: (a, 0)     Y, T: (b, 0)     X, Y, T: (a, b, 0)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np

from antelog.compile.conditions.differences import ZERO
from antelog.compile.literals.fact import FactLiteral
from antelog.compile.prepared.pattern import Prepared
from antelog.engine.columns.bands import Band
from antelog.engine.columns.spans import FOREVER
from antelog.engine.columns.tables import NEVER, Column, Mask, find_rows, keys_of, marked, once, positions
from antelog.engine.matching.rows import (
    Background,
    Found,
    Rows,
    Within,
    agrees,
    joined,
    meeting,
)
from antelog.engine.values.comparing import passing
from antelog.engine.values.values import Values


@dataclass(frozen=True)
class Partial:
    """Rows of a pattern, and for each fact literal when its fact arrived (NEVER: not yet, or the
    literal has open variables)."""

    rows: Rows
    arrived: Column

    def take(self, at: Column | Mask) -> Partial:
        at = positions(at)
        return Partial(self.rows.take(at), self.arrived.take(at, axis=1))

    def with_facts(self) -> Partial:
        """The rows that have a fact for at least one literal."""
        some = self.arrived.min(axis=0, initial=NEVER) < NEVER
        return self if some.all() else self.take(some)


@dataclass(frozen=True)
class _Part:
    """Rows that a giver has made of those with the variables `before`, each once.

    For some literals it is known when their facts arrived (NEVER: there is none). `seed` is the
    row of the seed that each extends, which is all that distinguishes rows in the seed's variables;
    None if that has none.
    """

    rows: Rows
    seed: Column | None
    before: frozenset[str]
    giver: int
    arrived: Mapping[int, Column]


def partials(
    prepared: Prepared,
    seed: Rows,
    found: tuple[Found, ...],
    background: Background,
    values: Values,
) -> list[Partial]:
    """All rows that come from a seed and the facts of the literals, fewer variables first.

    The first has the seed's variables only. The seed has each row once, as the background does.
    """
    seed = joined(seed, background.rows)
    givers = [facts.rows for facts in found]
    start = frozenset(seed.bound)
    tables = {start: [_Part(seed, np.arange(seed.count) if start else None, start, -1, {})]}
    complete: list[Partial] = []
    while tables:
        variables = min(tables, key=lambda names: (len(names), sorted(names)))
        parts = tables.pop(variables)
        whole, of_seed = _merged(prepared, parts, found, start)
        fits = fitting(prepared, whole.rows, background, values)
        if not fits.any():
            continue
        if not fits.all():
            whole, of_seed = whole.take(fits), None if of_seed is None else of_seed[fits]
        complete.append(whole)
        first = min(part.giver for part in parts) + 1
        # Rows that several givers make together are made in the order of these, and not in others too.
        for number, table in enumerate(givers[first:], first):
            if table.count and not table.bound.keys() <= variables:
                more = frozenset(variables | table.bound.keys())
                part = _more(prepared, _Whole(whole, of_seed), number, table, found)
                tables.setdefault(more, []).append(part)
    return complete


@dataclass(frozen=True)
class _Whole:
    """All rows with the same variables, and the row of the seed that each extends, if that has variables."""

    partial: Partial
    seed: Column | None


def _more(prepared: Prepared, whole: _Whole, giver: int, table: Rows, found: Sequence[Found]) -> _Part:
    """The rows with what a literal's facts add to them."""
    own = whole.partial.rows
    rows, here, there = meeting(own, table, within(prepared, own, table))
    given = found[giver].arrived
    return _with(prepared, whole, rows, here, (giver, given if there is None else given.take(there)))


def within(prepared: Prepared, rows: Rows, table: Rows) -> Within | None:
    """Where the time of a table has to lie, as comparisons with known times say for each row."""
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
    return Within(time, Band(least, most))


def _with(
    prepared: Prepared, whole: _Whole, rows: Rows, here: Column | None, given: tuple[int, Column]
) -> _Part:
    """Rows that bind more, and which of the whole they extend (None: each the one in its fact).

    It is `given` which literal's facts they come from, and when these arrived.
    """
    seed, old = whole.seed, whole.partial
    before = frozenset(old.rows.bound)
    arrived = {
        i: old.arrived[i] if here is None else old.arrived[i].take(here)
        for i, fact in enumerate(prepared.facts)
        if fact.variables <= before
    }
    giver, arrived[giver] = given
    return _Part(rows, seed if here is None or seed is None else seed.take(here), before, giver, arrived)


def _merged(
    prepared: Prepared, parts: list[_Part], found: Sequence[Found], start: frozenset[str]
) -> tuple[Partial, Column | None]:
    """The rows of all parts, each once, with the arrivals of the facts of all literals, and their seeds."""
    rows, seed, some, number = parts[0].rows, parts[0].seed, None, None
    if len(parts) > 1:
        bound = {name: np.concatenate([part.rows.bound[name] for part in parts]) for name in rows.bound}
        telling = [column for name, column in bound.items() if name not in start]
        seeds = [part.seed for part in parts if part.seed is not None]
        if seeds:
            telling.insert(0, np.concatenate(seeds))
        (key,) = keys_of([telling])
        some, number = once(key)
        seed = telling[0].take(some) if seeds else None
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
            arrived[i] = arrivals(fact, rows, facts)
    return Partial(rows, arrived), seed


def arrivals(fact: FactLiteral, rows: Rows, facts: Found) -> Column:
    names = sorted(fact.variables)
    at = find_rows(*([side.bound[name] for name in names] for side in (rows, facts.rows)))
    arrived: Column = np.where(at >= 0, facts.arrived.take(at), NEVER)
    return arrived


def wholes(
    prepared: Prepared, seed: Rows, found: tuple[Found, ...], background: Background, values: Values
) -> Partial:
    """Of all these rows those that have a fact for each literal."""
    rows, arrived = seed, [f"<arrived {number}>" for number in range(len(found))]
    tables: list[tuple[Rows, Mapping[str, Column]]] = [(background.rows, {})]
    tables += [(facts.rows, {name: facts.arrived}) for facts, name in zip(found, arrived, strict=True)]
    while tables:
        efforts = [_effort(prepared, rows, table, static=not more) for table, more in tables]
        table, more = tables.pop(efforts.index(min(efforts)))
        rows = _possible(prepared, _extended(prepared, rows, table, more), background, values)
    arrivals = np.array([rows.bound[name] for name in arrived], np.int64)
    bound = {name: column for name, column in rows.bound.items() if name not in arrived}
    return Partial(Rows(bound, rows.count), arrivals.reshape(len(found), rows.count))


def _extended(prepared: Prepared, rows: Rows, table: Rows, more: Mapping[str, Column]) -> Rows:
    """The rows with all of a table that agrees with them, and `more` columns of it."""
    if not table.bound or not table.bound.keys() <= rows.bound.keys():
        band = within(prepared, rows, table)
        return meeting(rows, Rows({**table.bound, **more}, table.count), band)[0]
    at = find_rows(*([side.bound[name] for name in table.bound] for side in (rows, table)))
    there = marked(at >= 0)
    new = {name: column.take(at.take(there)) for name, column in more.items()}
    return Rows({**rows.take(there).bound, **new}, len(there))


def _effort(prepared: Prepared, rows: Rows, table: Rows, static: bool) -> tuple[bool, bool, int, int]:
    """What is joined first: what shares values, adds few to them, and has few rows; facts at the start.

    Tables that share nothing but the tick come late.
    """
    apart = not (rows.bound.keys() & table.bound.keys()) - prepared.time_variables
    return apart, apart and static, len(table.bound.keys() - rows.bound.keys()), table.count


def _possible(prepared: Prepared, rows: Rows, background: Background, values: Values) -> Rows:
    """The rows at which every condition holds whose variables they bind."""
    fits = fitting(prepared, rows, background, values)
    return rows if fits.all() else rows.take(fits)


def fitting(prepared: Prepared, rows: Rows, background: Background, values: Values) -> Mask:
    fits = passing(prepared.comparisons, rows.bound, rows.count, values)
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
