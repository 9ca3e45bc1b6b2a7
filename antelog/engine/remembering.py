"""What has to be kept after a step: which facts, and which settled atoms."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from antelog.compile.bounds import static_variables
from antelog.compile.plan import Atom, Plan, Var
from antelog.compile.times import times_of
from antelog.engine.foresight import cycles, foresee
from antelog.engine.history import ticks_of
from antelog.engine.layout import ANYONE, Layout
from antelog.engine.naming import Named, direct_names, relation_names
from antelog.engine.prepared import layouts
from antelog.engine.settled import ALWAYS, Settled, is_open
from antelog.engine.tables import NEVER, Column, distinct
from antelog.engine.truth import truth
from antelog.engine.world import World


def needed(plan: Plan) -> dict[str, int | None]:
    """For each input the first tick whose facts may still matter, counted from now; None: from tick 0 on.

    An answer matters until it is settled, and so does what it rests on; of relations in a cycle
    of negations only what is not settled, for the rest is remembered.
    """
    first: dict[str, int | None] = {source.name: 1 for source in plan.inputs}
    wanted: dict[str, int | None] = {}
    cyclic = cycles(plan)
    for relation in sorted(plan.relations, key=lambda r: -r.level.component):
        own = wanted.get(relation.name, 0)
        if relation.asked or relation.name in cyclic or relation.name not in wanted:
            delay, late = relation.bounds.delay, lag(plan) if relation.name in cyclic else 0
            own = _earlier(own, None if delay is None else -delay - late - 1)
        for pattern in relation.patterns:
            times = times_of(pattern)
            for literal in pattern.literals:
                back = times.furthest(literal.time, pattern.time)
                tick = None if own is None or back is None else own - back
                if isinstance(literal, Atom):
                    first[literal.predicate] = _earlier(first[literal.predicate], tick)
                elif plan.relation(literal.relation).level.component != relation.level.component:
                    wanted[literal.relation] = _earlier(wanted.get(literal.relation, 0), tick)
    return first


def lag(plan: Plan) -> int:
    """For how long settled atoms are still worked out from facts, instead of being remembered.

    What is remembered is only whether an atom is true, not since when; that matters as long as an
    answer is open that may rest on it.
    """
    foresight = foresee(plan)
    ahead = [foresight.evidence(layout) for own in layouts(plan).values() for layout in own]
    delays = [query.bounds.delay or 0 for query in plan.queries]
    finite = [int(ticks) for ticks in ahead if math.isfinite(ticks)]
    return max(delays, default=0) + max([0, *finite]) + foresight.widest + 1


def _earlier(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else min(one, other)


def remembered(world: World, name: str) -> Settled:
    """The settled atoms of a relation in a cycle of negations, as a step leaves them.

    All that was settled before the last tick of the step is, so that this tick can be looked at
    again.
    """
    relation, known = world.relations[name], world.settled[name]
    delay, kept = relation.bounds.delay, relation.bounds.kept
    if delay is None:
        return known
    until = world.now - 1 - delay - world.lag
    if until > known.until:
        known = _with(world, name, known, until)
    return known if kept is None else known.since(min(world.now - kept - 1, until - world.foresight.widest))


def _with(world: World, name: str, known: Settled, until: int) -> Settled:
    """What is known, and what else is settled by a tick."""
    parts = list(_undecided(world, name, max(known.until + 1, 0), until))
    if not parts:
        return replace(known, until=until)
    columns = tuple(np.concatenate(column) for column in zip(*(atoms for atoms, _ in parts), strict=True))
    ticks = np.concatenate([tick for _, tick in parts])
    found = truth(world, name, list(columns), ticks)
    true = found.true_at < NEVER
    new = Settled(until, columns, ticks, true, np.full(len(ticks), ALWAYS))
    generic = np.zeros(len(ticks), np.bool_)
    for column in columns:
        generic |= is_open(column)
    if _for_good(world, name):
        # There may always be an answer that is open and rests on it, be it true or false, from that tick on.
        new = replace(new, when=np.minimum(found.true_at, found.false_at))
        without, when = new.take(generic | true).lookup(list(columns), ticks)
        stored = generic | true | (without != true) | (when != new.when)
    else:
        # Where nothing is true of all values, what is not remembered is false.
        stored = true | (true & generic).any()
    return known.and_more(new.take(stored))


def _undecided(world: World, name: str, first: int, last: int) -> Iterator[tuple[tuple[Column, ...], Column]]:
    """The atoms about ticks of a span that may be true: their values, and their ticks."""
    own = world.layouts[name]
    if all(map(_guarded, own)) and not _for_good(world, name):
        told = [
            ticks_of(world.history, place.atom.predicate)
            + layout.pattern.time.offset
            - place.atom.time.offset
            for layout in own
            for place in layout.places[:1]
        ]
        ticks = distinct(np.concatenate([np.zeros(0, np.int64), *told]))
        ticks = ticks[(ticks >= first) & (ticks <= last)]
        for named in direct_names(world, name, ticks, world.cycles[name]):
            if named.time is not None and all(column is not None for column in named.answer):
                within = (named.time >= first) & (named.time <= last)
                yield tuple(c[within] for c in named.answer if c is not None), named.time[within]
        if not world.relations[name].variables:
            yield (), ticks
        return
    width = len(world.relations[name].variables)
    ticks = np.arange(first, last + 1)
    anything = Named((None,) * width, None, 1)
    for named in (anything, *relation_names(world, name, None)):
        answer = (
            np.full(named.count, ANYONE - i) if column is None else column
            for i, column in enumerate(named.answer)
        )
        yield tuple(np.repeat(column, len(ticks)) for column in answer), np.tile(ticks, named.count)


def _for_good(world: World, name: str) -> bool:
    """Whether atoms are asked for however long ago they were, and so may be by answers that are open."""
    return world.relations[name].bounds.kept is None


def _guarded(layout: Layout) -> bool:
    """Whether facts give an answer of the pattern all its values and its time."""
    names = set(static_variables(layout.pattern)).union(*(place.variables for place in layout.places))
    own = {term.name for term in layout.pattern.answer if isinstance(term, Var)}
    time = layout.pattern.time.variable
    return bool(layout.places) and layout.sliced and own <= names and time is not None
