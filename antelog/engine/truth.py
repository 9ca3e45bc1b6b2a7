"""When literals and derivations become true or false, as far as the facts so far tell.

Every tick that is computed here holds if nothing more arrives; up to the tick that is finished
(`now`) it holds whatever arrives later. For negated atoms the relation they name is asked, with
the facts that bear on just these atoms.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from antelog.compile.plan import Negated, Var
from antelog.engine.awaited import awaited
from antelog.engine.layout import Layout
from antelog.engine.match import AS_OF, Rows, facts_for, term_column, time_column
from antelog.engine.naming import all_named, names
from antelog.engine.ordered import FALSE, FIRST, OPEN, Recalled, Rests, decide
from antelog.engine.partial import Partial, partials, wholes
from antelog.engine.settled import ALWAYS
from antelog.engine.tables import (
    FAR,
    NEVER,
    Column,
    Mask,
    distinct,
    find,
    groups,
    keys_of,
    marked,
    or_never,
    positions,
)
from antelog.engine.ticks import LAST
from antelog.engine.values import Values
from antelog.engine.world import World, fact_ticks


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

    def take(self, at: Column | Mask) -> Derivations:
        at = positions(at)
        return Derivations(
            self.layout,
            self.rows.take(at),
            self.holds.take(at, axis=1),
            self.fails.take(at, axis=1),
            self.settled.take(at, axis=1),
        )

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
    world: World,
    name: str,
    number: int,
    seed: Rows,
    ticks: Column | None,
    bare: bool,
    leaving: frozenset[str] = frozenset(),
    also: tuple[Rows, ...] = (),
    whole: bool = False,
) -> list[Derivations]:
    """The derivations by a pattern of a relation that extend a seed, about these ticks (None: any).

    Those that no fact speaks for only if `bare`, or if there may be other evidence. The lines of
    negated atoms of the relations to be left out say that nothing is known. `also` are bindings to
    look at besides those that facts give. With `whole`, only those that have all their facts.
    """
    layout, background = world.layouts[name][number], world.background[name][number]
    found = tuple(
        facts_for(p, world.history, fact_ticks(p.atom, layout, ticks), world.values) for p in layout.places
    )
    if whole:
        complete = wholes(layout, seed, found, background, world.values)
        return [_timed(world, layout, complete, leaving, frozenset())] if complete.rows.count else []
    named: tuple[Rows, ...] = also
    apart: frozenset[str] = frozenset()
    if layout.loose_within if bare else layout.loose:
        apart = layout.denied
        bound = {*seed.bound, *background.rows.bound}
        named += names(world, layout, background, bound, ticks, found)
    parts = partials(layout, seed, found, background, world.values, named)
    if bare and apart:
        parts = [part.take(~all_named(world, layout, part.rows)) for part in parts]
    if layout.places and not (bare or layout.seeded or layout.by_clock or (also and layout.rival)):
        parts = [with_facts for part in parts if (with_facts := part.with_facts()).rows.count]
    return [_timed(world, layout, part, leaving, apart) for part in parts]


def _timed(
    world: World, layout: Layout, partial: Partial, leaving: frozenset[str], apart: frozenset[str]
) -> Derivations:
    rows = partial.rows
    arrived, waiting = partial.arrived, awaited(world, layout, rows, apart)
    if AS_OF in rows.bound:
        arrived = or_never(arrived, arrived > rows.bound[AS_OF])
    lines = arrived, waiting.failing(arrived != NEVER), waiting.due
    if not layout.negations:
        return Derivations(layout, rows, *lines)
    unknown = np.full((len(layout.negations), rows.count), NEVER)
    holds, fails, settled = (np.concatenate([line, unknown]) for line in lines)
    for i, negation in enumerate(layout.negations, len(layout.places)):
        if negation.relation not in leaving:
            holds[i], fails[i], settled[i] = negated(world, layout, negation, rows, rows.bound.get(AS_OF))
    return Derivations(layout, rows, holds, fails, settled)


def negated(
    world: World, layout: Layout, negation: Negated, rows: Rows, as_of: Column | None
) -> tuple[Column, Column, Column]:
    """When a negated literal becomes true in each row, when false, and by when that is certain."""
    asked, ticks = asked_atoms(layout, negation, rows, world.values)
    known = truth(world, negation.relation, asked, ticks, as_of)
    return known.false_at, known.true_at, known.settled


def asked_atoms(layout: Layout, negation: Negated, rows: Rows, values: Values) -> tuple[list[Column], Column]:
    """The atoms a negated literal is about; cells of their own stand for the values of open variables."""
    asked = [
        np.full(rows.count, layout.cells[a.name])
        if isinstance(a, Var) and a.name not in rows.bound
        else term_column(a, rows, values)
        for a in negation.asked
    ]
    time = negation.time
    if time.variable is not None and time.variable not in rows.bound:
        return asked, np.full(rows.count, FAR + time.offset)
    return asked, time_column(time, rows)


def truth(world: World, name: str, asked: list[Column], ticks: Column, as_of: Column | None = None) -> Truth:
    """What becomes of the atoms of a relation with these values, if nothing arrives any more.

    With `as_of`, a tick for each atom, as it looked then.
    """
    if len(ticks) == 0:
        return Truth(ticks, ticks, ticks)
    wanted = [*asked, ticks, *([as_of] if as_of is not None else [])]
    (key,) = keys_of([wanted])
    same = groups(key)
    first = same.first
    once = [column.take(first) for column in wanted]
    known = _recalled(world, name, once)
    numbers = same.numbers
    return Truth(*(column.take(numbers) for column in known))


def _recalled(world: World, name: str, wanted: list[Column]) -> Truth:
    """The same for atoms that are all different. What a step has found out once it need not again."""
    find_out = _through_time if name in world.cycles else _truth
    place = (_recalled, name, len(wanted))
    if place not in world.memo:
        found = find_out(world, name, wanted)
        world.memo[place] = wanted, found
        return found
    table, known = world.memo[place]
    at = find(*keys_of([wanted, table]))
    new = marked(at < 0)
    if len(new):
        fresh = [column.take(new) for column in wanted]
        at[new] = np.arange(len(new)) + len(table[0])
        more = find_out(world, name, fresh)
        known = Truth(*map(np.concatenate, zip(known, more, strict=True)))
        world.memo[place] = [np.concatenate(parts) for parts in zip(table, fresh, strict=True)], known
    return Truth(*(column.take(at) for column in known))


def _truth(world: World, name: str, wanted: list[Column]) -> Truth:
    count = len(wanted[0])
    true_at, false_at, settled = (np.full(count, tick, np.int64) for tick in (NEVER, -1, -1))
    for found, at in derived(world, name, wanted):
        complete, failed = found.complete, found.failed
        np.minimum.at(true_at, at, complete)
        np.maximum.at(false_at, at, failed)
        open_ = (failed > then(found)) & (found.holds > then(found))
        np.maximum.at(settled, at, np.where(open_, found.settled, -1).max(axis=0, initial=-1))
    return Truth(true_at, np.where(true_at < NEVER, NEVER, false_at), settled)


def then(found: Derivations) -> Column | np.int64:
    """As of which tick the derivations are looked at; -1 for now."""
    return found.rows.bound.get(AS_OF, np.int64(-1))


def derived(
    world: World, name: str, wanted: list[Column], leaving: frozenset[str] = frozenset()
) -> Iterator[tuple[Derivations, Column]]:
    """All derivations of the wanted atoms, with the position of each one's atom among them."""
    relation = world.relations[name]
    arity = len(relation.variables)
    for number, layout in enumerate(world.layouts[name]):
        seed = _seed(layout, wanted, arity, world.values)
        about = distinct(wanted[arity]) if layout.sliced else None
        for found in derivations(world, name, number, seed, about, True, leaving):
            here, there = keys_of([_columns(found, world.values), wanted])
            yield found, find(here, there)


def _columns(found: Derivations, values: Values) -> list[Column]:
    pattern = found.layout.pattern
    answer = [term_column(term, found.rows, values) for term in pattern.answer]
    extra = [found.rows.bound[AS_OF]] if AS_OF in found.rows.bound else []
    return [*answer, time_column(pattern.time, found.rows), *extra]


def _seed(layout: Layout, wanted: list[Column], arity: int, values: Values) -> Rows:
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
    if len(wanted) > arity + 1:
        bound[AS_OF] = wanted[arity + 1]
    return Rows(bound, len(fits)).take(fits)


# ---- relations that rest on their own negation in the past ----


def _through_time(world: World, name: str, wanted: list[Column]) -> Truth:
    """The same for a relation in a cycle of negations, whose atoms are decided level by level."""
    cycle = world.cycles[name]
    known = {each: _Numbered([], []) for each in cycle}
    count = FIRST
    rests: list[tuple[str, Derivations, Column]] = []
    waiting = {name: [wanted]}
    while waiting:
        relation, parts = waiting.popitem()
        fresh = known[relation].unknown(_still_open(world, relation, parts))
        if len(fresh[0]) == 0:
            continue
        known[relation].add(fresh, count)
        for found, at in derived(world, relation, fresh, cycle):
            rests.append((relation, found, at + count))
            for negation in found.layout.negations:
                if negation.relation in cycle:
                    waiting.setdefault(negation.relation, []).append(_asked(world, negation, found))
        count += len(fresh[0])
    when = [world.settled[each].when for each in sorted(cycle)]
    recalled = Recalled(count, distinct(np.concatenate([[ALWAYS], *when])))
    decided = decide(recalled, _rests(world, cycle, known, recalled, rests))
    at = _numbers(world, name, wanted, known[name], recalled)
    return Truth(*(column[at] for column in decided))


@dataclass(frozen=True)
class _Numbered:
    """Atoms that have numbers: their tables, and the number of the first of each."""

    tables: list[list[Column]]
    first: list[int]

    def add(self, table: list[Column], first: int) -> None:
        self.tables.append(table)
        self.first.append(first)

    def unknown(self, table: list[Column]) -> list[Column]:
        """Those of a table that have no number yet, each once."""
        (key,) = keys_of([table])
        once = [column[groups(key).first] for column in table]
        new = self.numbers(once) < 0
        return [column[new] for column in once]

    def numbers(self, table: list[Column]) -> Column:
        if not self.tables:
            return np.full(len(table[0]), -1, np.int64)
        mine = [np.concatenate(parts) for parts in zip(*self.tables, strict=True)]
        number = np.concatenate(
            [np.arange(len(t[0])) + first for t, first in zip(self.tables, self.first, strict=True)]
        )
        at = find(*keys_of([table, mine]))
        return np.where(at >= 0, number[at], -1)


def _asked(world: World, negation: Negated, found: Derivations) -> list[Column]:
    asked, ticks = asked_atoms(found.layout, negation, found.rows, world.values)
    return [*asked, ticks, *([found.rows.bound[AS_OF]] if AS_OF in found.rows.bound else [])]


def _still_open(world: World, name: str, parts: list[list[Column]]) -> list[Column]:
    """The atoms that have to be worked out: what is settled is remembered."""
    table = [np.concatenate(columns) for columns in zip(*parts, strict=True)]
    ticks = table[len(world.relations[name].variables)]
    wanted = (ticks > world.settled[name].until) & ~_out_of_sight(ticks)
    return [column[wanted] for column in table]


def _out_of_sight(ticks: Column) -> Mask:
    """Ticks before the one that stands for all to come, which would have no end."""
    mask: Mask = (ticks < FAR - _DEPTH) & (ticks > LAST)
    return mask


_DEPTH = 8


def _numbers(world: World, name: str, table: list[Column], known: _Numbered, recalled: Recalled) -> Column:
    arity = len(world.relations[name].variables)
    ticks = table[arity]
    numbers = known.numbers(table)
    numbers[_out_of_sight(ticks)] = OPEN
    remembered = ticks <= world.settled[name].until
    found = world.settled[name].lookup([c[remembered] for c in table[:arity]], ticks[remembered])
    numbers[remembered] = recalled.numbers(*found)
    return numbers


def _rests(
    world: World,
    cycle: frozenset[str],
    known: dict[str, _Numbered],
    recalled: Recalled,
    found: list[tuple[str, Derivations, Column]],
) -> Rests:
    width = max([1, *(len(each.layout.negations) for _, each, _ in found)])
    parts: list[tuple[Column, ...]] = []
    asks = [np.full((0, width), FALSE)]
    for name, each, atom in found:
        level = world.relations[name].level
        tick = time_column(each.layout.pattern.time, each.rows)
        late = np.broadcast_to(then(each), each.rows.count)
        outer = np.where(each.holds > late, each.settled, -1)
        within = np.full((each.rows.count, width), FALSE)
        complete, places = each.holds.copy(), len(each.layout.places)
        for i, negation in enumerate(each.layout.negations):
            if negation.relation in cycle:
                table = _asked(world, negation, each)
                within[:, i] = _numbers(world, negation.relation, table, known[negation.relation], recalled)
                complete[places + i], outer[places + i] = -1, -1
        parts.append(
            (
                *(atom, tick + level.shift, np.full(each.rows.count, level.rank)),
                *(complete.max(axis=0, initial=-1), each.failed, outer.max(axis=0, initial=-1), late),
            )
        )
        asks.append(within)
    if not parts:
        parts.append((np.zeros(0, np.int64),) * 7)
    atom, tick, rank, complete, failed, settled, as_of = map(np.concatenate, zip(*parts, strict=True))
    return Rests(atom, tick, rank, complete, failed, settled, as_of, np.concatenate(asks))
