"""The state between two steps: the facts that still matter, and little else."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TypeVar

from antelog.compile.nodes.plan import Plan
from antelog.compile.prepared.rules import prepared
from antelog.compile.rules.statics import Row, evaluate
from antelog.engine.carried import NOTHING_CARRIED, Carried, SettledAnswers
from antelog.engine.columns.tables import Column
from antelog.engine.facts.history import (
    Facts,
    History,
    Seen,
    SeenValues,
    added,
    gather,
    latest_of,
    only_latest,
    parts_of,
    rows_of,
    seen_from_the_start,
    seen_with,
    stream_of,
    with_latest_facts,
)
from antelog.engine.step.derivations import DecidedAtoms, Knowledge, Memo, nothing_decided
from antelog.engine.step.matching import StaticFacts, static_of
from antelog.engine.step.query import Step
from antelog.engine.step.schema import AnswerColumns, answer_columns, seen_types
from antelog.engine.values.functions import Functions
from antelog.engine.values.types import NOTHING, Types, types_of_rows, wider
from antelog.engine.values.types import Seen as SeenTypes
from antelog.engine.values.values import Values
from antelog.functions import NO_FUNCTIONS, UserFunction

Given = Mapping[str, list[Row]]


@dataclass(frozen=True)
class Observed:
    """The types of columns of facts and answers, the values seen, and how many lines facts give."""

    types: Mapping[str, Types]
    answers: Mapping[str, AnswerColumns]
    seen: Seen
    lines: float = 0.0


@dataclass(frozen=True)
class State:
    """The state of an engine after the tick `now`, with the facts that still matter."""

    now: int
    begin: int | None  # 0, or, if ticks are counted from 1970, that of the first arrival (None until then)
    values: Values
    static: StaticFacts
    history: History
    decided: Mapping[str, DecidedAtoms]  # to remember, of relations that rest on their own negation
    observed: Observed
    carried: Carried = NOTHING_CARRIED

    @property
    def rows(self) -> int:
        return rows_of(self.history) + sum(facts.count for facts in latest_of(self.history))

    @property
    def nbytes(self) -> int:
        facts = (*parts_of(self.history), *latest_of(self.history))
        return sum(each.nbytes for each in facts) + self.values.nbytes


def start(
    plan: Plan,
    given: Given | None = None,
    values: Values | None = None,
    functions: Mapping[str, UserFunction] = NO_FUNCTIONS,
) -> State:
    """The state before the first tick; `given` are static facts, `values` those of a saved state."""
    called = Functions.of(plan, functions)
    rules, known = prepared(plan), evaluate(plan, given, Values(functions=called).called)
    values = Values(_constants(plan, known)) if values is None else values
    values.functions = called
    static = static_of(plan, rules, known, values)
    history = {source.name: stream_of(rules, source.name) for source in plan.inputs}
    decided = {name: nothing_decided(len(plan.relation(name).answer.variables)) for name in rules.cycles}
    types = seen_types(plan, types_of_rows(given or {}))
    begin = 0 if plan.tick is None else None
    seen = seen_from_the_start(rules.seen, static.tables, values)
    observed = Observed(types, answer_columns(plan, types), seen)
    return State(-1, begin, values, static, history, decided, observed)


def _constants(plan: Plan, known: Mapping[str, frozenset[Row]]) -> Iterator[str | int | float]:
    """The constants of refinements and of the background, whose cells never change."""
    for source in plan.inputs:
        for refinement in source.refinements:
            yield from (value for value in refinement.pattern if value is not None)
    for rows in known.values():
        yield from (value for row in rows for value in row)


def with_facts(state: State, facts: Mapping[str, Facts]) -> State:
    observed = replace(state.observed, seen=seen_with(state.observed.seen, facts))
    return replace(state, history=added(state.history, facts), observed=observed)


def seeing(plan: Plan, state: State, types: SeenTypes) -> State:
    """Widens the observed types by those of new facts."""
    seen, changed = state.observed.types, dict[str, Types]()
    for name, new in types.items():
        both = tuple(map(wider, seen.get(name, (NOTHING,) * len(new)), new))
        if both != seen.get(name):
            changed[name] = both
    if not changed:
        return state
    known = {**seen, **changed}
    return replace(state, observed=replace(state.observed, types=known, answers=answer_columns(plan, known)))


def begun(plan: Plan, state: State, facts: Mapping[str, Facts]) -> State:
    """Lets time begin at the first arrival, if it has not begun."""
    arrivals = [new.arrival.min() for new in facts.values() if new.count]
    if state.begin is not None or not arrivals:
        return state
    return beginning(plan, state, int(min(arrivals)))


def has_begun(state: State) -> bool:
    return state.begin is not None and state.begin <= state.now


def beginning(plan: Plan, state: State, begin: int) -> State:
    """Lets time begin at a tick, which may be in the future."""
    decided = {
        name: replace(known, until=begin - 1 - delay)
        for name, known in state.decided.items()
        if (delay := plan.relation(name).bounds.delay) is not None
    }
    return replace(state, begin=begin, decided={**state.decided, **decided})


def knowledge_of(plan: Plan, state: State) -> Knowledge:
    """The knowledge of a step, with nothing computed yet."""
    return Knowledge(
        prepared(plan), state.values, state.history, state.static, state.observed.seen, state.decided, Memo()
    )


def since(plan: Plan, state: State, name: str) -> int | None:
    """The first tick about which answers of a query are reported, after facts or rules changed."""
    reach, carried = prepared(plan).reaches[name], state.carried.since.get(name)
    given_up = None if reach is None or not state.carried.forgotten else state.carried.forgotten + reach
    return max((tick for tick in (given_up, carried) if tick is not None), default=None)


def step_to(state: State, now: int) -> Step:
    """The ticks after the last finished one, up to `now`."""
    begin = state.begin or 0
    return Step(begin, max(state.now, begin - 1), now)


# ---- without what nobody needs any more ----


def lighter(plan: Plan, state: State) -> State:
    """Prunes the state if many values may be unused."""
    # Rows are counted last, for that takes a moment.
    if not state.values.grown or len(state.values) < state.rows // 4:
        return state
    return pruned(plan, state)


def pruned(plan: Plan, state: State) -> State:
    """Drops the values that neither a fact nor a remembered atom has."""
    history = only_latest(prepared(plan), state.history, state.now)
    used = [column for name in history for column in with_latest_facts(history, name).columns]
    atoms = [column for each in state.decided.values() for column in each.columns]
    seen = [each.cells for each in state.observed.seen.values()]
    settled = {name: _settled_still(plan, state, name) for name in state.carried.settled}
    answers = [column for each in settled.values() for column in each.columns]
    kept, cells = state.values.retain(*used, *atoms, *seen, *answers)
    whole = {name: with_cells(gather(history, name, None), cells) for name in history}
    empty = {
        name: replace(stream, slices={}, latest=stream.latest and with_cells(stream.latest, cells))
        for name, stream in history.items()
    }
    decided = {name: with_cells(each, cells) for name, each in state.decided.items()}
    seen_values = {each: SeenValues(cells(own.cells), own.since) for each, own in state.observed.seen.items()}
    observed = replace(state.observed, seen=seen_values)
    settled = {name: with_cells(each, cells) for name, each in settled.items() if each.count}
    carried = replace(state.carried, settled=settled)
    return replace(
        state, values=kept, history=added(empty, whole), decided=decided, observed=observed, carried=carried
    )


Rows = TypeVar("Rows", Facts, DecidedAtoms, SettledAnswers)


def with_cells(rows: Rows, cells: Callable[[Column], Column]) -> Rows:
    """Translates the cells of facts, atoms or answers."""
    return replace(rows, columns=tuple(map(cells, rows.columns)))


def _settled_still(plan: Plan, state: State, name: str) -> SettledAnswers:
    """The settled answers of a query that its rules could still confirm."""
    settled, delay = state.carried.settled[name], plan.relation(name).bounds.delay
    if delay is None:
        return settled
    return settled.take((settled.time < 0) | (settled.time >= state.now - delay))
