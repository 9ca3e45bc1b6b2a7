"""When literals and derivations become true or false, as far as the facts so far tell.

Every tick that is computed here holds if nothing more arrives; up to the tick that is finished
(`now`) it holds whatever arrives later. For negated atoms the relation they name is asked, with
the facts that bear on just these atoms.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from antelog.compile.plan import Atom, Input, Negated, Relation, Term, Time, Var
from antelog.engine.deadlines import deadline
from antelog.engine.history import History
from antelog.engine.layout import Layout
from antelog.engine.match import Background, Partial, Rows, facts_for, partials
from antelog.engine.tables import NEVER, Column, distinct, find, groups, keys_of
from antelog.engine.values import Values


@dataclass(frozen=True)
class World:
    """Everything the truth of a literal rests on."""

    relations: Mapping[str, Relation]
    layouts: Mapping[str, tuple[Layout, ...]]
    background: Mapping[str, tuple[Background, ...]]
    inputs: Mapping[str, Input]
    values: Values
    history: History


AS_OF = "<as of>"
"""A column of rows beside their variables: facts that arrived after this tick count as not yet arrived."""


@dataclass(frozen=True)
class Derivations:
    """Rows of a pattern, and when each of their literals becomes true (`holds`) or false (`fails`).

    The positive literals come first, then the negated ones, one line each. `settled` is the tick
    by which everything a literal depends on has arrived or never will.
    """

    layout: Layout
    rows: Rows
    holds: Column
    fails: Column
    settled: Column

    @property
    def complete(self) -> Column:
        """When all literals of a row are true."""
        last: Column = self.holds.max(axis=0, initial=-1)
        return last

    @property
    def failed(self) -> Column:
        """When some literal of a row is false."""
        first: Column = self.fails.min(axis=0, initial=NEVER)
        return first


class Truth(NamedTuple):
    """For each atom asked about, when it becomes true, when false, and by when that is certain."""

    true_at: Column
    false_at: Column
    settled: Column


def derivations(
    world: World, name: str, number: int, seed: Rows, ticks: Column | None, bare: bool
) -> list[Derivations]:
    """The derivations by a pattern of a relation that extend a seed, about these ticks (None: any).

    Those that no fact speaks for only if `bare`.
    """
    layout = world.layouts[name][number]
    found = tuple(
        facts_for(p, world.history, _fact_ticks(p.atom, layout, ticks), world.values) for p in layout.places
    )
    background = world.background[name][number]
    parts = partials(layout, seed, found, background, world.values)
    if layout.places and not bare:
        parts = [with_facts for part in parts if (with_facts := part.with_facts()).rows.count]
    return [_timed(world, layout, part) for part in parts]


def _fact_ticks(atom: Atom, layout: Layout, ticks: Column | None) -> Column | None:
    """The ticks at which the facts of a literal stand, for answers about these ticks."""
    time, answer = atom.time, layout.pattern.time
    if time.variable is None:
        return np.array([time.offset])
    if ticks is None or time.variable != answer.variable:
        return None
    return ticks + (time.offset - answer.offset)


def _timed(world: World, layout: Layout, partial: Partial) -> Derivations:
    rows = partial.rows
    places = len(layout.places)
    size = (places + len(layout.negations), rows.count)
    holds, fails, settled = np.full(size, NEVER), np.full(size, NEVER), np.full(size, NEVER)
    for i, place in enumerate(layout.places):
        arrived = partial.arrived[i]
        if AS_OF in rows.bound:
            arrived = np.where(arrived > rows.bound[AS_OF], NEVER, arrived)
        due = deadline(place.atom, rows, world.inputs[place.atom.predicate], world.values)
        holds[i], fails[i] = arrived, np.where(arrived == NEVER, due, NEVER)
        settled[i] = due
    for i, negation in enumerate(layout.negations, places):
        holds[i], fails[i], settled[i] = negated(world, negation, rows, rows.bound.get(AS_OF))
    return Derivations(layout, rows, holds, fails, settled)


def negated(
    world: World, negation: Negated, rows: Rows, as_of: Column | None
) -> tuple[Column, Column, Column]:
    """When a negated literal becomes true in each row, when false, and by when that is certain."""
    asked = [term_column(a, rows, world.values) for a in negation.asked]
    known = truth(world, negation.relation, asked, time_column(negation.time, rows), as_of)
    return known.false_at, known.true_at, known.settled


def term_column(term: Term, rows: Rows, values: Values) -> Column:
    if isinstance(term, Var):
        return rows.bound[term.name]
    return np.full(rows.count, values.cell(term.value), np.int64)


def time_column(time: Time, rows: Rows) -> Column:
    start = np.int64(0) if time.variable is None else rows.bound[time.variable]
    return np.array(np.broadcast_to(start + time.offset, rows.count))


def truth(world: World, name: str, asked: list[Column], ticks: Column, as_of: Column | None = None) -> Truth:
    """What becomes of the atoms of a relation with these values, if nothing arrives any more.

    With `as_of`, a tick for each atom, as it looked then.
    """
    if len(ticks) == 0:
        return Truth(ticks, ticks, ticks)
    wanted = [*asked, ticks, *([as_of] if as_of is not None else [])]
    (key,) = keys_of([wanted])
    same = groups(key)
    once = [column[same.first] for column in wanted]
    known = _truth(world, name, once, as_of is not None)
    return Truth(*(column[same.numbers] for column in known))


def _truth(world: World, name: str, wanted: list[Column], with_as_of: bool) -> Truth:
    count = len(wanted[0])
    true_at, false_at, settled = (
        np.full(count, NEVER),
        np.full(count, np.int64(-1)),
        np.full(count, np.int64(-1)),
    )
    arity = len(world.relations[name].variables)
    for number, layout in enumerate(world.layouts[name]):
        seed = _seed(layout, wanted, arity, with_as_of, world.values)
        about = distinct(wanted[arity]) if layout.sliced else None
        for found in derivations(world, name, number, seed, about, bare=True):
            here, there = keys_of([_columns(found, with_as_of, world.values), wanted])
            at = find(here, there)
            complete, failed = found.complete, found.failed
            np.minimum.at(true_at, at, complete)
            np.maximum.at(false_at, at, failed)
            then = found.rows.bound[AS_OF] if with_as_of else np.int64(-1)
            open_ = (failed > then) & (found.holds > then)
            np.maximum.at(settled, at, np.where(open_, found.settled, -1).max(axis=0, initial=-1))
    return Truth(true_at, np.where(true_at < NEVER, NEVER, false_at), settled)


def _columns(found: Derivations, with_as_of: bool, values: Values) -> list[Column]:
    pattern = found.layout.pattern
    answer = [term_column(term, found.rows, values) for term in pattern.answer]
    extra = [found.rows.bound[AS_OF]] if with_as_of else []
    return [*answer, time_column(pattern.time, found.rows), *extra]


def _seed(layout: Layout, wanted: list[Column], arity: int, with_as_of: bool, values: Values) -> Rows:
    """The wanted atoms that the answer of a pattern fits, as bindings of its variables."""
    pattern = layout.pattern
    fits = np.ones(len(wanted[0]), np.bool_)
    bound: dict[str, Column] = {}
    for term, column in zip(pattern.answer, wanted[:arity], strict=True):
        if isinstance(term, Var):
            fits &= bound.setdefault(term.name, column) == column
        else:
            fits &= column == values.cell(term.value)
    ticks = wanted[arity] - pattern.time.offset
    if pattern.time.variable is not None:
        bound[pattern.time.variable] = ticks
    else:
        fits &= ticks == 0
    if with_as_of:
        bound[AS_OF] = wanted[arity + 1]
    return Rows(bound, len(fits)).take(fits)
