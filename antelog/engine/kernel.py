"""The kernel: new facts and a tick in, a new state and the changes out.

The state is the facts that still matter; everything else is computed from them, for the
answers a step can change. A step covers any number of ticks and dates each change, so it does
not matter how a stream is cut into steps.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from antelog.compile.plan import Plan, StaticAtom, Var
from antelog.compile.statics import Row, evaluate
from antelog.engine.comparing import holds
from antelog.engine.facts import Facts
from antelog.engine.history import History, Stream, added, without
from antelog.engine.layout import Layout, compared, layout
from antelog.engine.log import KINDS, answers, changes
from antelog.engine.match import ONE, Background, Rows, joined
from antelog.engine.tables import distinct
from antelog.engine.touched import every, touched
from antelog.engine.truth import World
from antelog.engine.values import Values

Given = Mapping[str, list[Row]]


@dataclass(frozen=True)
class State:
    """What a step hands on to the next: the last finished tick, and the facts that still matter."""

    now: int
    world: World


def start(plan: Plan, values: Values, given: Given | None = None) -> State:
    """The state before the first tick; `given` are static facts from outside the program."""
    known = evaluate(plan, given)
    layouts = {r.name: tuple(map(layout, r.patterns)) for r in plan.relations}
    tables = {name: _table(rows, values) for name, rows in known.items()}
    background = {
        name: tuple(_background(each, tables, values) for each in own) for name, own in layouts.items()
    }
    world = World(
        {r.name: r for r in plan.relations},
        layouts,
        background,
        {source.name: source for source in plan.inputs},
        values,
        {source.name: Stream(len(source.types), {}) for source in plan.inputs},
    )
    return State(-1, world)


def resume(plan: Plan, values: Values, given: Given, now: int, history: History) -> State:
    """The state after the tick `now`, from the facts that still matter."""
    return State(now, _with(start(plan, values, given).world, history))


def step(
    state: State, facts: Mapping[str, Facts], now: int, only: Sequence[str] = KINDS
) -> tuple[State, dict[str, pa.Table]]:
    """The state after the tick `now`, and what has changed since the last step, by query."""
    world = _with(state.world, added(state.world.history, facts))
    new = {
        name: distinct(facts[name].time) if name in facts else np.zeros(0, np.int64) for name in world.history
    }
    log = {
        name: changes(world, name, touched(world, name, new, state.now, now), state.now, now, only)
        for name, relation in world.relations.items()
        if relation.asked
    }
    return State(now, _with(world, without(world.history, _first_kept(world, now)))), log


def open_answers(state: State, name: str) -> pa.Table:
    """The answers of a query that are open, and those the last tick has confirmed."""
    return answers(state.world, name, every(state.world, name, state.now), state.now)


def _with(world: World, history: History) -> World:
    return World(world.relations, world.layouts, world.background, world.inputs, world.values, history)


def _first_kept(world: World, now: int) -> dict[str, int]:
    """For each input the first tick whose facts may still matter after `now`."""
    first: dict[str, int] = {}
    for name, relation in world.relations.items():
        if relation.asked:
            window = relation.bounds.window
            for source in _inputs_of(world, name, set()):
                needed = 0 if window is None else now - window
                first[source] = min(first.get(source, needed), needed)
    return {name: first.get(name, now + 1) for name in world.history}


def _inputs_of(world: World, name: str, seen: set[str]) -> set[str]:
    found = set()
    seen.add(name)
    for each in world.layouts[name]:
        found |= {place.atom.predicate for place in each.places}
        for negation in each.negations:
            if negation.relation not in seen:
                found |= _inputs_of(world, negation.relation, seen)
    return found


def _table(rows: frozenset[Row], values: Values) -> list[tuple[int, ...]]:
    return [tuple(values.cell(value) for value in row) for row in rows]


def _background(each: Layout, tables: Mapping[str, list[tuple[int, ...]]], values: Values) -> Background:
    rows = ONE
    for atom in each.pattern.statics:
        if not atom.negated:
            rows = joined(rows, _rows(atom, tables[atom.predicate], values))
    for test in each.pattern.comparisons:
        if compared(test) and compared(test) <= rows.bound.keys():
            rows = rows.take(holds(test, rows.bound, rows.count, values))
    forbidden = (_rows(a, tables[a.predicate], values) for a in each.pattern.statics if a.negated)
    return Background(rows, tuple(forbidden))


def _rows(atom: StaticAtom, table: list[tuple[int, ...]], values: Values) -> Rows:
    """The bindings of the variables of a static atom."""
    found: dict[tuple[int, ...], None] = {}
    names = list(dict.fromkeys(a.name for a in atom.arguments if isinstance(a, Var)))
    for row in table:
        bound: dict[str, int] = {}
        fits = True
        for argument, cell in zip(atom.arguments, row, strict=True):
            if isinstance(argument, Var):
                fits = fits and bound.setdefault(argument.name, cell) == cell
            elif argument is not None:
                fits = fits and values.cell(argument.value) == cell
        if fits:
            found[tuple(bound[name] for name in names)] = None
    columns = {name: np.array([row[i] for row in found], np.int64) for i, name in enumerate(names)}
    return Rows(columns, len(found))
