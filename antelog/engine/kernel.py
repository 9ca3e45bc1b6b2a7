"""The kernel: new facts and a tick in, a new state and the changes out.

The state is the facts that still matter; everything else is computed from them, for the answers a
step can change. A step covers any number of ticks and dates each change, so it does not matter
how a stream is cut into steps.

    facts   admitted, and kept by tick                    facts/
    ticks   of the answers the step can change            answers/affected.py
    rows    of each pattern, with what its facts give     matching/
    truth   when each literal becomes true or false       truth/
    lives   when each row is told, complete, over         answers/
    lines   of the log                                    log/
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
import pyarrow as pa

from antelog.compile.nodes.plan import Input, Plan
from antelog.compile.prepared.rules import prepared
from antelog.engine.batches import batches
from antelog.engine.columns.joins import TooLargeError
from antelog.engine.columns.spans import spans_of
from antelog.engine.columns.tables import Mask, distinct
from antelog.engine.facts.facts import Admitted, Facts, admit
from antelog.engine.facts.frames import Frame
from antelog.engine.facts.history import conflicting, fresh, sentence, without
from antelog.engine.log.changes import (
    KINDS,
    Changes,
    Lines,
    Query,
    Share,
    answers,
    changes,
    count,
    joined,
    no_lines,
    nothing_changed,
)
from antelog.engine.log.schema import changes_schema
from antelog.engine.state import (
    State,
    begun,
    has_begun,
    knowledge_of,
    lighter,
    seeing,
    since,
    step_to,
    with_facts,
)
from antelog.engine.step.affected import affected, unsettled
from antelog.engine.step.remembering import remembered
from antelog.errors import DataError

_MANY = 1_000
"""From this many facts at once on, the lines per fact are a good estimate."""


def admitted(
    plan: Plan, state: State, frames: Mapping[str, Frame], now: int, *, arrival: str = "arrival"
) -> tuple[State, Admitted]:
    """The facts of frames that have arrived since the last step up to `now`, ready for the next one.

    See `facts.admit`. Facts that the state has already are repetitions. The state knows the frames' types.
    """

    def conflicts(source: Input, facts: Facts) -> tuple[Mask, pa.Array]:
        lost = conflicting(source, facts, state.history, state.values)
        return lost, sentence(source, int(lost.sum()))

    batch = admit(plan, frames, state.values, state.now, now, arrival=arrival, conflicts=conflicts)
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
    staged: bool = False,
) -> tuple[State, dict[str, Changes]]:
    """The state after the tick `now`, and what has changed since the last step, by query.

    The facts have arrived since then, and no equal one is in the state: `admitted` makes them of
    frames. Some kinds of changes `only`, and only those of answers that are in the `share`.
    """
    found: dict[str, list[Changes]] = {query.name: [] for query in plan.queries}
    asked = Asked(tuple(only), share, staged)
    for end, batch in batches(facts, state.history, now, state.told.lines):
        for after, told in _with_room(plan, state, batch, end, asked):
            state = after
            for name, changed in told.items():
                found[name].append(changed)
    whole = {name: joined(parts) for name, parts in found.items()}
    count = sum(new.count for new in facts.values())
    if count > _MANY:
        lines = sum(each.log.num_rows for each in whole.values()) / count
        state = replace(state, told=replace(state.told, lines=lines))
    return lighter(state), whole


@dataclass(frozen=True)
class Asked:
    """The kinds of changes that are asked for, of which answers, and whether with their stages."""

    only: tuple[str, ...]
    share: Share | None
    staged: bool


Stepped: TypeAlias = tuple[State, dict[str, Changes]]


def _with_room(
    plan: Plan, state: State, facts: Mapping[str, Facts], now: int, asked: Asked
) -> Iterator[Stepped]:
    """A step, or several smaller ones if a table would get too large; each goes on from the one before."""
    try:
        done = _stepped(plan, state, facts, now, asked)
    except TooLargeError as error:
        middle = _middle(state, facts, now)
        if middle is None:
            raise DataError(_too_large(now, error)) from None
    else:
        yield done
        return
    first = {name: new.take(new.arrival <= middle) for name, new in facts.items()}
    second = {name: new.take(new.arrival > middle) for name, new in facts.items()}
    last = state
    for each in _with_room(plan, state, first, middle, asked):
        last = each[0]
        yield each
    yield from _with_room(plan, last, second, now, asked)


def _middle(state: State, facts: Mapping[str, Facts], now: int) -> int | None:
    """A tick that cuts a step in two, with half of the facts on each side; None if it has only one tick."""
    if now <= state.now + 1:
        return None
    arrivals = np.sort(np.concatenate([np.zeros(0, np.int64), *(new.arrival for new in facts.values())]))
    middle = int(arrivals[len(arrivals) // 2]) - 1 if len(arrivals) else (state.now + now) // 2
    return min(max(middle, state.now + 1), now - 1)


def _too_large(now: int, error: TooLargeError) -> str:
    rule = f" for {error.where}" if error.where else ""
    return (
        f"tick {now} needs {error.rows:,} rows at once{rule}; that is more than the budget. "
        "Bound the times of the rule more tightly, compare more of its values, or give it a larger budget"
    )


def _stepped(plan: Plan, state: State, facts: Mapping[str, Facts], now: int, asked: Asked) -> Stepped:
    """A step in one piece; values that no fact has any more stay."""
    only, share = asked.only, asked.share
    state = begun(plan, state, facts)
    names = [query.name for query in plan.queries]
    if state.begin is None:
        return replace(state, now=now), _nothing_changed(plan, state, only)
    rules, ticks = prepared(plan), step_to(state, now)
    whole = with_facts(state, facts)
    known = knowledge_of(plan, whole)
    new = {
        name: spans_of(distinct(facts[name].time) if name in facts else np.zeros(0, np.int64))
        for name in whole.history
    }
    speaks = bool(only) and now >= state.begin
    told = {} if speaks else _nothing_changed(plan, state, only)
    for name, about in affected(rules, names if speaks else (), ticks, new, whole.told.values).items():
        query = Query(name, about, tuple(only), share, since(plan, state, name), asked.staged)
        told[name] = changes(known, query, ticks, state.told.types)
    settled = {name: remembered(known, name, now) for name in rules.cycles}
    first = {name: 0 if back is None else now + back for name, back in rules.needed.items()}
    history = without(whole.history, first)
    return replace(whole, now=now, history=history, settled=settled), told


def _nothing_changed(plan: Plan, state: State, only: Sequence[str]) -> dict[str, Changes]:
    return {query.name: nothing_changed(_nothing(plan, state, query.name), only) for query in plan.queries}


def _nothing(plan: Plan, state: State, query: str) -> Lines:
    return no_lines(changes_schema(plan, query, state.told.types).empty_table(), plan.relation(query))


def open_answers(
    plan: Plan, state: State, name: str, share: Share | None = None, *, staged: bool = False
) -> Lines:
    """The answers of a query that are open, and those the last tick has confirmed; those in a share."""
    if not has_begun(state):
        return _nothing(plan, state, name)
    last = step_to(replace(state, now=state.now - 1), state.now)
    about = unsettled(prepared(plan), name, last)
    query = Query(name, about, KINDS, share, since(plan, state, name), staged)
    return answers(knowledge_of(plan, state), query, last, state.told.types)


def count_open(plan: Plan, state: State, name: str, share: Share | None = None) -> int:
    """How many answers of a query are open; of those in a share."""
    if not has_begun(state):
        return 0
    last = step_to(replace(state, now=state.now - 1), state.now)
    about = unsettled(prepared(plan), name, last)
    return count(knowledge_of(plan, state), Query(name, about, KINDS, share, since(plan, state, name)), last)
