"""By when the fact a literal waits for must have arrived."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, combinations
from math import prod

import numpy as np

from antelog.compile.plan import Atom, Const, Input, Term, Time, Var
from antelog.engine.lateness import Table, tables_of
from antelog.engine.layout import Layout, Place, compared
from antelog.engine.match import AS_OF, Bound, Rows, facts_for, term_column, time_column
from antelog.engine.partial import arrivals, fitting
from antelog.engine.tables import NEVER, Column, Mask, distinct, find, keys_of, or_never
from antelog.engine.values import Values
from antelog.engine.world import World


def possible_delays(source: Input, values: Values) -> tuple[int, ...]:
    """Every delay that some fact of an input may have."""
    return tuple({source.delay, *(int(d) for table in tables_of(source, values) for d in table.delays)})


@dataclass(frozen=True)
class Waiting:
    """A pattern whose facts are awaited.

    `apart` are variables of which each named value has a row of its own (see `naming`): one that is
    open stands for no value that a declared delay names.
    """

    world: World
    layout: Layout
    apart: frozenset[str]

    def fits(self, rows: Rows) -> Mask:
        """The rows that meet all conditions, as far as they have values."""
        return fitting(self.layout, rows, self.world.background_of(self.layout), self.world.values)

    def came(self, named: Collection[str], rows: Rows) -> Column:
        """When the first fact came for which a row that leaves these values open waits no more.

        NEVER where rows leave open which facts these are.
        """
        first = np.full(rows.count, NEVER)
        for place in self.layout.places:
            if rows.count and not place.variables.isdisjoint(named) and place.variables <= rows.bound.keys():
                ticks = distinct(time_column(place.atom.time, rows))
                facts = facts_for(place, self.world.history, ticks, self.world.values)
                if facts.rows.count:
                    first = np.minimum(first, arrivals(place, rows, facts))
        return or_never(first, first > rows.bound[AS_OF]) if AS_OF in rows.bound else first


def deadline(waiting: Waiting, place: Place, rows: Rows) -> Column:
    """For each row, the tick by which the fact of the literal arrives or never will.

    With variables of the atom still open, that of the slowest fact it may be met by.
    """
    time = place.atom.time
    if time.variable is not None and time.variable not in rows.bound:
        latest, first = latest_tick(waiting.layout, time, rows), first_tick(waiting.layout, time, rows)
        due, only = _due(waiting, place, rows, latest), latest == first
        if only.any() and waiting.world.inputs[place.atom.predicate].refinements:
            # What has come about the only tick that it can be is not waited for.
            known = Rows({**rows.bound, time.variable: latest - time.offset}, rows.count)
            due = np.where(only, _due(waiting, place, known, latest), due)
        return or_never(np.where(latest < first, -1, due), latest == NEVER)
    return _due(waiting, place, rows, time_column(time, rows))


def together(waiting: Waiting, rows: Rows, among: Collection[int]) -> tuple[Sequence[int], Column]:
    """Of some literals those whose open variables are one, or compared, and until when all of them may come.

    For the value that one literal is waited for longest, another may not be waited for any more.
    """
    world, layout = waiting.world, waiting.layout
    named: dict[str, dict[int, list[Column]]] = {}
    for i in among:
        place = layout.places[i]
        for table in tables_of(world.inputs[place.atom.predicate], world.values):
            for position, cells in zip(table.positions, table.cells, strict=True):
                term = place.atom.arguments[position]
                if isinstance(term, Var) and term.name not in rows.bound.keys() | waiting.apart:
                    named.setdefault(term.name, {}).setdefault(i, []).append(cells)
    if not named:
        return (), np.zeros(0, np.int64)
    forbidden = world.background_of(layout).forbidden
    said = [*map(compared, layout.limits), *(table.bound.keys() for table in forbidden)]
    tied = {name for names in said if len(names & named.keys()) > 1 for name in names & named.keys()}
    if prod(sum(map(len, chain.from_iterable(named[name].values()))) for name in tied) > _MANY:
        tied = set()
    shared = sorted(name for name, by in named.items() if len(by) > 1 or name in tied)
    if not shared:
        return (), np.zeros(0, np.int64)
    involved = sorted({i for name in shared for i in named[name]})
    due = np.full(rows.count, np.int64(-1))
    for size in range(len(shared) + 1):
        for some in combinations(shared, size):
            # Some of these have values that declarations name, the others do not.
            each, of = rows, np.arange(rows.count)
            for name in some:
                cells = distinct(np.concatenate([*chain.from_iterable(named[name].values())]))
                at = np.repeat(np.arange(each.count), len(cells))
                of, bound = of.take(at), {**each.take(at).bound, name: np.tile(cells, each.count)}
                each = Rows(bound, len(at))
            those = replace(waiting, apart=waiting.apart.union(shared) - set(some))
            latest = [deadline(those, layout.places[i], each) for i in involved]
            latest.append(waiting.came(some, each))
            fits = waiting.fits(each)
            np.maximum.at(due, of[fits], np.minimum.reduce(latest)[fits])
    return involved, due


_MANY = 10_000
"""Of more combinations of values that are compared it is not asked which of them there can be."""


def latest_tick(layout: Layout, time: Time, rows: Rows) -> Column:
    """The last tick that an open time can be, as comparisons bound it by ticks that are known."""
    latest = np.full(rows.count, NEVER)
    for name, tick in _known_ticks(layout, rows):
        ahead = layout.times.furthest(Time(name, 0), time)
        if ahead is not None:
            latest = np.minimum(latest, tick + ahead)
    return _beyond(excluded_ticks(layout, time, rows), latest, -1)


def first_tick(layout: Layout, time: Time, rows: Rows) -> Column:
    """The first tick that an open time can be, likewise."""
    first = np.zeros(rows.count, np.int64)
    for name, tick in _known_ticks(layout, rows):
        behind = layout.times.furthest(time, Time(name, 0))
        if behind is not None:
            first = np.maximum(first, tick - behind)
    return _beyond(excluded_ticks(layout, time, rows), first, 1)


def excluded_ticks(layout: Layout, time: Time, rows: Rows) -> Sequence[Column]:
    """The ticks that an open time must not be, as comparisons with known ones say, for each row."""
    return [
        time_column(other, rows) + (time.offset - one.offset)
        for pair in layout.times.unequal
        for one, other in (pair, pair[::-1])
        if one.variable == time.variable and other.variable in {None, *rows.bound} - {time.variable}
    ]


def _beyond(excluded: Sequence[Column], tick: Column, step: int) -> Column:
    """The next tick that is not excluded, from one on."""
    for _ in excluded:  # each may be next to another
        for other in excluded:
            tick = tick + step * (tick == other)
    return tick


def _known_ticks(layout: Layout, rows: Rows) -> Iterator[tuple[str | None, Column | np.int64]]:
    """The times of rows that are known, and tick 0."""
    yield None, np.int64(0)
    yield from ((name, rows.bound[name]) for name in sorted(layout.time_variables & rows.bound.keys()))


def _due(waiting: Waiting, place: Place, rows: Rows, start: Column) -> Column:
    """The deadline of the slowest fact that may still come; values that no declaration names are possible.

    It is about a tick from which on delays count.
    """
    source, values = waiting.world.inputs[place.atom.predicate], waiting.world.values
    if not source.refinements:
        return start + source.delay
    atom, tables = place.atom, tables_of(source, values)
    default = np.full(rows.count, source.delay, np.int64)
    latest = start + _decided(atom, rows.bound, default, tables, values)
    for number, table in enumerate(tables):
        terms = [atom.arguments[i] for i in table.positions]
        open_ = {t.name for t in terms if isinstance(t, Var)} - rows.bound.keys()
        if not open_ or open_ & waiting.apart:
            continue
        for *cells, delay in zip(*table.cells, table.delays, strict=True):
            named = _named(terms, cells, open_, rows.count)
            if named is None:
                continue
            bound = {**rows.bound, **named}
            declared = start + _decided(atom, bound, np.full(rows.count, delay), tables[number + 1 :], values)
            each, later = Rows(bound, rows.count), declared > latest
            for term, cell in zip(terms, cells, strict=True):
                later &= term_column(term, each, values) == cell
            if later.any():
                later &= waiting.fits(each)
                until = np.minimum(declared, waiting.came(open_, each))
                latest[later] = np.maximum(latest, until)[later]
    return latest


def _decided(atom: Atom, bound: Bound, delay: Column, tables: Sequence[Table], values: Values) -> Column:
    """δ of atoms with these values: of the declarations that fit, the one with the most constants decides."""
    for table in tables:
        terms = [atom.arguments[i] for i in table.positions]
        if all(isinstance(t, Const) or t.name in bound for t in terms):
            have = [term_column(t, Rows(bound, len(delay)), values) for t in terms]
            at = find(*keys_of([have, table.cells])) if have else np.zeros(len(delay), np.int64)
            delay = np.where(at >= 0, table.delays[at], delay)
    return delay


def _named(terms: Sequence[Term], cells: Sequence[int], open_: set[str], count: int) -> Bound | None:
    """The values that a declaration names for open variables; None if one would have two."""
    named: dict[str, int] = {}
    for term, cell in zip(terms, cells, strict=True):
        if isinstance(term, Var) and term.name in open_ and named.setdefault(term.name, cell) != cell:
            return None
    return {name: np.full(count, cell) for name, cell in named.items()}
