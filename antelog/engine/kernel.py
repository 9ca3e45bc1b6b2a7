"""The kernel: new facts and a tick in, a new state and the changes out.

The state is the facts that still matter; everything else is computed from them, for the
answers a step can change. A step covers any number of ticks and dates each change, so it does
not matter how a stream is cut into steps.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
import pyarrow as pa

from antelog.compile.plan import Input, Plan, Relation
from antelog.compile.statics import Row, evaluate
from antelog.engine.background import background_of, table
from antelog.engine.facts import Admitted, Facts, admit
from antelog.engine.foresight import Foresight, cycles, foresee
from antelog.engine.frames import Frame
from antelog.engine.history import History, Stream, added, fresh, retained, without
from antelog.engine.layout import Layout
from antelog.engine.log import KINDS, Changes, Share, answers, changes, count, joined, nothing_changed
from antelog.engine.match import Background
from antelog.engine.pieces import pieces
from antelog.engine.prepared import layouts
from antelog.engine.reach import reaches
from antelog.engine.remembering import lag, needed, remembered
from antelog.engine.schema import (
    AnswerTypes,
    Seen,
    Types,
    answer_types,
    changes_schema,
    seen_types,
    types_of_rows,
    widened,
)
from antelog.engine.settled import Settled, nothing_settled
from antelog.engine.tables import distinct
from antelog.engine.touched import every, touched
from antelog.engine.values import Values
from antelog.engine.world import World

Given = Mapping[str, Sequence[Row]]

_MANY = 1_000
"""So many facts at once show how much is told of them."""


@dataclass(frozen=True)
class State:
    """What a step hands on to the next.

    now         the last finished tick
    begin       the tick at which time begins: 0, or, if ticks are counted from 1970, that of the first
                arrival (None until then)
    values      what the cells of the facts stand for
    background  what static facts say of each pattern of each relation
    history     the facts that still matter
    settled     the atoms to remember, of relations that rest on their own negation in the past
    forgotten   facts about ticks before this one were given up, for want of room
    seen        the types of the columns of inputs and static predicates so far
    types       those of the answers' columns, which follow from them
    lines       how many lines were told of each of the last facts, if there were many
    """

    now: int
    begin: int | None
    values: Values
    background: Mapping[str, tuple[Background, ...]]
    history: History
    settled: Mapping[str, Settled]
    forgotten: int
    seen: Mapping[str, Types]
    types: AnswerTypes
    lines: float = 0.0


@dataclass(frozen=True)
class Prepared:
    """What is worked out for a plan once."""

    relations: Mapping[str, Relation]
    layouts: Mapping[str, tuple[Layout, ...]]
    inputs: Mapping[str, Input]
    reaches: Mapping[str, int | None]
    needed: Mapping[str, int | None]
    cycles: Mapping[str, frozenset[str]]
    lag: int
    foresight: Foresight


@lru_cache(maxsize=64)
def prepared(plan: Plan) -> Prepared:
    return Prepared(
        {r.name: r for r in plan.relations},
        layouts(plan),
        {source.name: source for source in plan.inputs},
        reaches(plan),
        needed(plan),
        cycles(plan),
        lag(plan),
        foresee(plan),
    )


def start(plan: Plan, given: Given | None = None, values: Values | None = None) -> State:
    """The state before the first tick; `given` are static facts from outside the program.

    With the values of a saved state, cells are the same as in that.
    """
    known = evaluate(plan, given)
    values = Values(_constants(plan, known)) if values is None else values
    tables = {name: table(rows, values) for name, rows in known.items()}
    background = {
        name: tuple(background_of(each, tables, values) for each in own)
        for name, own in prepared(plan).layouts.items()
    }
    history = {source.name: Stream(len(source.types), {}) for source in plan.inputs}
    seen = seen_types(plan, types_of_rows(given or {}))
    settled = {name: nothing_settled(len(plan.relation(name).variables)) for name in prepared(plan).cycles}
    begin = 0 if plan.tick is None else None
    return State(-1, begin, values, background, history, settled, 0, seen, answer_types(plan, seen))


def seeing(plan: Plan, state: State, types: Seen) -> State:
    """The state when facts have come whose columns have these types."""
    seen = widened(state.seen, types)
    return state if seen is state.seen else replace(state, seen=seen, types=answer_types(plan, seen))


def admitted(
    plan: Plan, state: State, frames: Mapping[str, Frame], now: int, *, arrival: str = "arrival"
) -> tuple[State, Admitted]:
    """The facts of frames that have arrived since the last step up to `now`, ready for the next one.

    See `facts.admit`. Facts that the state has already are repetitions. The state knows the frames' types.
    """
    batch = admit(plan, frames, state.values, state.now, now, arrival=arrival)
    facts = {name: fresh(state.history, name, new) for name, new in batch.facts.items()}
    counts = {
        name: replace(c, admitted=facts[name].count, repeated=c.repeated + c.admitted - facts[name].count)
        for name, c in batch.counts.items()
    }
    return seeing(plan, state, batch.types), replace(batch, facts=facts, counts=counts)


def step(
    plan: Plan,
    state: State,
    facts: Mapping[str, Facts],
    now: int,
    *,
    only: Sequence[str] = KINDS,
    share: Share | None = None,
) -> tuple[State, dict[str, Changes]]:
    """The state after the tick `now`, and what has changed since the last step, by query.

    The facts have arrived since then, and no equal one is in the state: `admitted` makes them of
    frames. Some kinds of changes `only`, and only those of answers that are in the `share`.
    """
    found: dict[str, list[Changes]] = {query.name: [] for query in plan.queries}
    for end, piece in pieces(facts, state.history, now, state.lines):
        state, told = _stepped(plan, state, piece, end, only, share)
        for name, changed in told.items():
            found[name].append(changed)
    whole = {name: joined(parts) for name, parts in found.items()}
    count = sum(new.count for new in facts.values())
    if count > _MANY:
        state = replace(state, lines=sum(each.log.num_rows for each in whole.values()) / count)
    return _lighter(state), whole


def _stepped(
    plan: Plan,
    state: State,
    facts: Mapping[str, Facts],
    now: int,
    only: Sequence[str],
    share: Share | None,
) -> tuple[State, dict[str, Changes]]:
    """The same in one piece; values that no fact has any more stay."""
    state = _begun(plan, state, facts)
    if state.begin is None:
        return replace(state, now=now), {
            query.name: nothing_changed(_nothing(plan, state, query.name), only) for query in plan.queries
        }
    before = max(state.now, state.begin - 1)
    world = world_of(plan, replace(state, history=added(state.history, facts)), before, now)
    new = {
        name: distinct(facts[name].time) if name in facts else np.zeros(0, np.int64) for name in world.history
    }
    told = {
        name: changes(world, name, touched(world, name, new), before, now, only, share)
        if only
        else nothing_changed(_nothing(plan, state, name), only)
        for name, relation in world.relations.items()
        if relation.asked
    }
    settled = {name: remembered(world, name) for name in world.cycles}
    first = {name: 0 if ticks is None else now + ticks for name, ticks in prepared(plan).needed.items()}
    history = without(world.history, first)
    return replace(state, now=now, history=history, settled=settled), told


def _begun(plan: Plan, state: State, facts: Mapping[str, Facts]) -> State:
    """The state in which time has begun, if there is a fact."""
    arrivals = [new.arrival.min() for new in facts.values() if new.count]
    if state.begin is not None or not arrivals:
        return state
    begin = int(min(arrivals))
    settled = {
        name: replace(known, until=begin - 1 - delay)
        for name, known in state.settled.items()
        if (delay := plan.relation(name).bounds.delay) is not None
    }
    return replace(state, begin=begin, settled={**state.settled, **settled})


def _nothing(plan: Plan, state: State, query: str) -> pa.Table:
    return changes_schema(plan, query, state.types).empty_table()


def open_answers(plan: Plan, state: State, name: str, share: Share | None = None) -> pa.Table:
    """The answers of a query that are open, and those the last tick has confirmed; those in a share."""
    if state.begin is None:
        return _nothing(plan, state, name)
    world = world_of(plan, state, state.now - 1, state.now)
    return answers(world, name, every(world, name), state.now, share)


def count_open(plan: Plan, state: State, name: str, share: Share | None = None) -> int:
    """How many answers of a query are open; of those in a share."""
    if state.begin is None:
        return 0
    world = world_of(plan, state, state.now - 1, state.now)
    return count(world, name, every(world, name), state.now, share)


def world_of(plan: Plan, state: State, before: int, now: int) -> World:
    """The state, together with what is known of the plan, for the ticks after `before` up to `now`."""
    known = prepared(plan)
    since = {
        name: state.forgotten + reach
        for name, reach in known.reaches.items()
        if reach is not None and state.forgotten
    }
    return World(
        known.relations,
        known.layouts,
        state.background,
        known.inputs,
        known.cycles,
        known.foresight,
        state.values,
        state.history,
        state.settled,
        state.types,
        since,
        known.lag,
        0 if state.begin is None else state.begin,
        before,
        now,
    )


def _lighter(state: State) -> State:
    """The same without the values no fact has any more, if these have become many."""
    values, history, settled = retained(state.values, state.history, state.settled)
    if values is state.values:
        return state
    return replace(state, values=values, history=history, settled=settled)


def _constants(plan: Plan, known: Mapping[str, frozenset[Row]]) -> Iterator[str | int | float]:
    """What the state holds cells of besides those in facts: they stay the same for good."""
    for source in plan.inputs:
        for refinement in source.refinements:
            yield from (value for value in refinement.pattern if value is not None)
    for rows in known.values():
        yield from (value for row in rows for value in row)
