"""Facts to partial derivations: which bindings of a pattern's variables have evidence.

The rows of a pattern are sorted by the variables they bind. One that binds a set of variables
stands for all its instances: its literals with other variables are still open, whatever has
arrived about some of their instances; those have rows of their own, with more variables.
Where every literal has all variables (the usual case) there is one such set.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

import numpy as np

from antelog.compile.differences import ZERO
from antelog.engine.comparing import holds
from antelog.engine.layout import Layout, Place, compared
from antelog.engine.match import Background, Found, Rows, agrees, distinct, joined, meeting
from antelog.engine.tables import NEVER, Column, Mask, find, keys_of, marked, once, positions
from antelog.engine.values import Values


@dataclass(frozen=True)
class Partial:
    """Rows of a pattern, and for each positive literal when its fact arrived (NEVER: not yet, or
    the literal has variables that are open)."""

    rows: Rows
    arrived: Column

    def take(self, at: Column | Mask) -> Partial:
        at = positions(at)
        return Partial(self.rows.take(at), self.arrived.take(at, axis=1))

    def with_facts(self) -> Partial:
        """The rows that some fact speaks for."""
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
    layout: Layout,
    seed: Rows,
    found: tuple[Found, ...],
    background: Background,
    values: Values,
    named: tuple[Rows, ...] = (),
) -> list[Partial]:
    """All rows that come from a seed and the facts of the literals, fewer variables first.

    The first has the seed's variables only. Rows that are `named` bind variables without speaking
    for any literal.
    """
    seed = distinct([joined(seed, background.rows)])
    givers = [*(facts.rows for facts in found), *named]
    start = frozenset(seed.bound)
    tables = {start: [_Part(seed, np.arange(seed.count) if start else None, start, -1, {})]}
    complete: list[Partial] = []
    while tables:
        variables = min(tables, key=lambda names: (len(names), sorted(names)))
        parts = tables.pop(variables)
        whole, of_seed = _merged(layout, parts, found, start)
        fits = fitting(layout, whole.rows, background, values)
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
                tables.setdefault(more, []).append(_more(layout, whole, of_seed, number, table, found))
    return complete


def _more(
    layout: Layout, whole: Partial, seed: Column | None, giver: int, table: Rows, found: Sequence[Found]
) -> _Part:
    """The rows with what a giver adds to them."""
    rows, here, there = meeting(whole.rows, table)
    part = _with(layout, whole, seed, rows, here, giver)
    if giver >= len(found):
        return part
    given = found[giver].arrived
    return replace(part, arrived={**part.arrived, giver: given if there is None else given.take(there)})


def _with(
    layout: Layout, whole: Partial, seed: Column | None, rows: Rows, here: Column | None, giver: int
) -> _Part:
    """Rows that bind more, and which of the whole they extend (None: each the one in its place)."""
    before = frozenset(whole.rows.bound)
    arrived = {
        i: whole.arrived[i] if here is None else whole.arrived[i].take(here)
        for i, place in enumerate(layout.places)
        if place.variables <= before
    }
    return _Part(rows, seed if here is None or seed is None else seed.take(here), before, giver, arrived)


def _merged(
    layout: Layout, parts: list[_Part], found: Sequence[Found], start: frozenset[str]
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
    arrived = np.full((len(layout.places), rows.count), NEVER, np.int64)
    for i, (place, facts) in enumerate(zip(layout.places, found, strict=True)):
        if not place.variables <= rows.bound.keys() or facts.rows.count == 0:
            continue
        if not place.variables:
            arrived[i] = facts.arrived
        elif some is None and i in parts[0].arrived:
            arrived[i] = parts[0].arrived[i]
        elif some is not None and all(i in part.arrived for part in parts):
            arrived[i] = np.concatenate([part.arrived[i] for part in parts]).take(some)
        elif number is not None and rows.bound.keys() == start | place.variables:
            # All rows that have a fact for the literal are in the part that was made by these.
            for part, end in zip(parts, accumulate(part.rows.count for part in parts), strict=True):
                if part.giver == i and part.before == start:
                    arrived[i, number[end - part.rows.count : end]] = part.arrived[i]
        else:
            arrived[i] = arrivals(place, rows, facts)
    return Partial(rows, arrived), seed


def arrivals(place: Place, rows: Rows, facts: Found) -> Column:
    names = sorted(place.variables)
    at = find(*keys_of([[side.bound[name] for name in names] for side in (rows, facts.rows)]))
    arrived: Column = np.where(at >= 0, facts.arrived.take(at), NEVER)
    return arrived


def wholes(
    layout: Layout, seed: Rows, found: tuple[Found, ...], background: Background, values: Values
) -> Partial:
    """Of all these rows those that have a fact for each literal."""
    rows, arrived = seed, [f"<arrived {number}>" for number in range(len(found))]
    tables: list[tuple[Rows, Mapping[str, Column]]] = [(background.rows, {})]
    tables += [(facts.rows, {name: facts.arrived}) for facts, name in zip(found, arrived, strict=True)]
    while tables:
        efforts = [_effort(layout, rows, table, static=not more) for table, more in tables]
        table, more = tables.pop(efforts.index(min(efforts)))
        rows = _possible(layout, _extended(rows, table, more), background, values)
    arrivals = np.array([rows.bound[name] for name in arrived], np.int64)
    bound = {name: column for name, column in rows.bound.items() if name not in arrived}
    return Partial(Rows(bound, rows.count), arrivals.reshape(len(found), rows.count))


def _extended(rows: Rows, table: Rows, more: Mapping[str, Column]) -> Rows:
    """The rows with all of a table that agrees with them, and `more` columns of it."""
    if not table.bound or not table.bound.keys() <= rows.bound.keys():
        return joined(rows, Rows({**table.bound, **more}, table.count))
    at = find(*keys_of([[side.bound[name] for name in table.bound] for side in (rows, table)]))
    there = marked(at >= 0)
    new = {name: column.take(at.take(there)) for name, column in more.items()}
    return Rows({**rows.take(there).bound, **new}, len(there))


def _effort(layout: Layout, rows: Rows, table: Rows, static: bool) -> tuple[bool, bool, int, int]:
    """What is joined first: what shares values, adds few to them, and has few rows; facts at the start.

    To be about the same tick is little to share.
    """
    apart = not (rows.bound.keys() & table.bound.keys()) - layout.time_variables
    return apart, apart and static, len(table.bound.keys() - rows.bound.keys()), table.count


def _possible(layout: Layout, rows: Rows, background: Background, values: Values) -> Rows:
    """The rows at which every condition holds whose variables they bind."""
    fits = fitting(layout, rows, background, values)
    return rows if fits.all() else rows.take(fits)


def fitting(layout: Layout, rows: Rows, background: Background, values: Values) -> Mask:
    fits = np.ones(rows.count, np.bool_)
    for condition in layout.pattern.earliest:
        if condition.variable in rows.bound:
            fits &= rows.bound[condition.variable] >= condition.tick
    for first, last, most in layout.between:
        if {first, last} <= {ZERO, *rows.bound}:
            fits &= rows.bound.get(last, 0) - rows.bound.get(first, 0) <= most
    for test in layout.limits:
        if compared(test) <= rows.bound.keys():
            fits &= holds(test, rows.bound, rows.count, values)
    for table in background.forbidden:
        if table.bound.keys() <= rows.bound.keys():
            fits &= ~agrees(rows, table)
    return fits
