"""Facts to partial derivations: which bindings of a pattern's variables have evidence.

The rows of a pattern are sorted by the variables they bind. One that binds a set of variables
stands for all its instances: its literals with other variables are still open, whatever has
arrived about some of their instances; those have rows of their own, with more variables.
Where every literal has all variables (the usual case) there is one such set.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from antelog.engine.comparing import holds
from antelog.engine.history import History, gather
from antelog.engine.layout import Layout, Place, compared
from antelog.engine.tables import NEVER, Column, Mask, find, groups, keys_of, marked, pairs, positions, spread
from antelog.engine.values import Values

Bound = Mapping[str, Column]


@dataclass(frozen=True)
class Rows:
    """Bindings: for each variable its column; `count` rows."""

    bound: Bound
    count: int

    def take(self, at: Column | Mask) -> Rows:
        at = positions(at)
        return Rows({name: column.take(at) for name, column in self.bound.items()}, len(at))


ONE = Rows({}, 1)
"""A single row that binds nothing."""


@dataclass(frozen=True)
class Found:
    """The facts that fit a literal: their bindings, each once, and when the first of them arrived."""

    rows: Rows
    arrived: Column


def facts_for(place: Place, history: History, ticks: Column | None, values: Values) -> Found:
    """The facts of a literal at these ticks (None: at any)."""
    facts = gather(history, place.atom.predicate, ticks)
    fits = np.ones(facts.count, np.bool_)
    for column, value in place.constants:
        fits &= facts.columns[column] == values.cell(value)
    for column, again in place.repeats:
        fits &= facts.columns[column] == facts.columns[again]
    bound = {name: facts.columns[column] for name, column in place.binds}
    time = place.atom.time
    if time.variable is not None:
        bound[time.variable] = facts.time - time.offset
    for test in place.tests:
        fits &= holds(test, bound, facts.count, values)
    # No fact is there twice, so neither is a binding.
    rows = Rows(bound, facts.count)
    if fits.all():
        return Found(rows, facts.arrival)
    at = marked(fits)
    return Found(rows.take(at), facts.arrival.take(at))


def joined(left: Rows, right: Rows) -> Rows:
    """Every row on the left with every row on the right that agrees where both are bound."""
    if not left.bound and left.count == 1:
        return right
    if not right.bound and right.count == 1:
        return left
    shared = [name for name in left.bound if name in right.bound]
    if shared:
        keys = keys_of([[side.bound[name] for name in shared] for side in (left, right)])
        here, there = pairs(*keys)
    else:
        here = np.repeat(np.arange(left.count), right.count)
        there = spread(np.zeros(left.count, np.int64), np.full(left.count, right.count))
    new = {name: column for name, column in right.bound.items() if name not in left.bound}
    bound = {**left.take(here).bound, **Rows(new, right.count).take(there).bound}
    return Rows(bound, len(here))


def distinct(parts: Iterable[Rows]) -> Rows:
    """All rows of tables with the same variables, each once."""
    tables = [part for part in parts if part.count]
    if len(tables) == 0:
        return Rows({}, 0)
    names = list(tables[0].bound)
    bound = {name: np.concatenate([t.bound[name] for t in tables]) for name in names}
    if not names:
        return ONE
    (key,) = keys_of([list(bound.values())])
    return Rows(bound, len(key)).take(groups(key).first)


def agrees(rows: Rows, table: Rows) -> Mask:
    """For each row, whether the table has one with the same values; the row binds all its variables."""
    if not table.bound:
        return np.full(rows.count, table.count > 0)
    return find(*keys_of([[side.bound[name] for name in table.bound] for side in (rows, table)])) >= 0


@dataclass(frozen=True)
class Background:
    """What static facts say of a pattern: the bindings they leave, and those they forbid."""

    rows: Rows
    forbidden: tuple[Rows, ...]


@dataclass(frozen=True)
class Partial:
    """Rows of a pattern, and for each positive literal when its fact arrived (NEVER: not yet, or
    the literal has variables that are open)."""

    rows: Rows
    arrived: Column

    def with_facts(self) -> Partial:
        """The rows that some fact speaks for."""
        some = marked(self.arrived.min(axis=0, initial=NEVER) < NEVER)
        return Partial(self.rows.take(some), self.arrived.take(some, axis=1))


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
    seed = joined(seed, background.rows)
    givers = [*(facts.rows for facts in found), *named]
    # The rows of each set of variables, with the number of the giver that was last to extend them.
    start = frozenset(seed.bound)
    tables: dict[frozenset[str], list[tuple[int, Rows]]] = {start: [(-1, distinct([seed]))]}
    complete: list[Partial] = []
    waiting = {start}
    while waiting:
        variables = min(waiting, key=lambda names: (len(names), sorted(names)))
        waiting.discard(variables)
        parts = tables.pop(variables)
        rows = parts[0][1] if len(parts) == 1 else distinct(part for _, part in parts)
        rows = _possible(layout, rows, background, values)
        if rows.count == 0:
            continue
        complete.append(Partial(rows, _arrivals(layout, rows, found)))
        # Rows that several givers make together are made in the order of these, and not in others too.
        first = min(last for last, _ in parts) + 1
        for number, table in enumerate(givers[first:], first):
            if table.count and not table.bound.keys() <= variables:
                more = frozenset(variables | table.bound.keys())
                tables.setdefault(more, []).append((number, joined(rows, table)))
                waiting.add(more)
    return complete


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
    fits = np.ones(rows.count, np.bool_)
    for condition in layout.pattern.earliest:
        if condition.variable in rows.bound:
            fits &= rows.bound[condition.variable] >= condition.tick
    for test in layout.pattern.comparisons:
        if compared(test) <= rows.bound.keys():
            fits &= holds(test, rows.bound, rows.count, values)
    for table in background.forbidden:
        if table.bound.keys() <= rows.bound.keys():
            fits &= ~agrees(rows, table)
    return rows if fits.all() else rows.take(fits)


def _arrivals(layout: Layout, rows: Rows, found: tuple[Found, ...]) -> Column:
    arrived = np.full((len(layout.places), rows.count), NEVER, np.int64)
    for number, (place, facts) in enumerate(zip(layout.places, found, strict=True)):
        if not place.variables <= rows.bound.keys() or facts.rows.count == 0:
            continue
        if not place.variables:
            arrived[number] = facts.arrived
            continue
        names = sorted(place.variables)
        here, there = keys_of([[side[name] for name in names] for side in (rows.bound, facts.rows.bound)])
        at = find(here, there)
        arrived[number] = np.where(at >= 0, facts.arrived.take(at), NEVER)
    return arrived
