"""A limit on kept facts: the oldest are dropped, and open answers that are lost with them are rejected.

A query that looks back at most `reach` ticks stays exact from `forgotten + reach` on, and reports nothing
about earlier ticks. One with facts of any age loses the answers that rest on dropped ones; the others remain
true, except with a negation: such a program is refused.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from itertools import accumulate

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from antelog.compile.nodes.plan import Plan, Relation
from antelog.compile.prepared.rules import prepared
from antelog.engine.carried import Dropped
from antelog.engine.columns.joins import find_rows
from antelog.engine.columns.tables import Column
from antelog.engine.facts.history import Facts, History, forgetting, rows_of
from antelog.engine.kernel import current_answers
from antelog.engine.state import State
from antelog.engine.step.query import POSSIBLE, LineSelection
from antelog.engine.step.schema import united

LIMIT = "(limit)"  # the reason reported for an answer that is rejected because its facts were dropped

Log = Mapping[str, pa.Table]


def cannot_limit(plan: Plan) -> str | None:
    """The reason why dropping facts could give false answers, if it could."""
    name = prepared(plan).of_any_age
    if name is None:
        return None
    return (
        f"{name} rests on a negation, and on facts of any age: without them an "
        "answer could be wrong. Bound their times with a comparison"
    )


def in_sight(state: State, facts: Mapping[str, Facts]) -> tuple[Mapping[str, Facts], dict[str, Dropped]]:
    """The facts about ticks that were not given up, and how many others there are."""
    if not state.carried.forgotten:  # as mostly
        return facts, {}
    kept = dict(facts)
    dropped: dict[str, Dropped] = {}
    for name, new in facts.items():
        old = new.time < state.carried.forgotten
        if old.any():
            kept[name] = new.take(~old)
            dropped[name] = _of_ticks(new.time[old])
    return kept, dropped


def within(
    plan: Plan, state: State, limit: int, only: tuple[str, ...]
) -> tuple[State, Log, dict[str, Dropped]]:
    """Applies the limit; returns the state, the changes of open answers, and the dropped facts."""
    if rows_of(state.history) <= limit:
        return state, {}, {}
    forgotten = _first_kept(state.history, limit)
    dropped = _dropped(state.history, forgotten)
    first = dict.fromkeys(state.history, forgotten)
    history = forgetting(prepared(plan), state.history, first, state.now)
    less = replace(state, history=history, carried=replace(state.carried, forgotten=forgotten))
    log = {relation.name: _log(plan, relation, state, less, only) for relation in plan.queries}
    return less, log, dropped


def _first_kept(history: History, limit: int) -> int:
    sizes = Counter[int]()
    for stream in history.values():
        sizes.update({tick: sum(part.count for part in parts) for tick, parts in stream.slices.items()})
    ticks = sorted(sizes, reverse=True)
    kept = zip(ticks, accumulate(sizes[tick] for tick in ticks), strict=True)
    fitting = [tick for tick, count in kept if count <= limit]
    return fitting[-1] if fitting else ticks[0] + 1


def _dropped(history: History, forgotten: int) -> dict[str, Dropped]:
    dropped = {}
    for name, stream in history.items():
        old = [part.time for tick, parts in stream.slices.items() if tick < forgotten for part in parts]
        if old:
            dropped[name] = _of_ticks(np.concatenate(old))
    return dropped


def _of_ticks(time: Column) -> Dropped:
    return Dropped(len(time), int(time.min()), int(time.max()))


# ---- what became of open answers ----


def _log(plan: Plan, relation: Relation, before: State, after: State, only: tuple[str, ...]) -> pa.Table:
    old, new = (current_answers(plan, state, relation.name, LineSelection()) for state in (before, after))
    then, now = old.open_, new.open_
    kept = find_rows(old.keys(then), new.keys(now)) >= 0
    known = find_rows(new.keys(now), old.keys(then)) >= 0
    later, column = new.table(now[known]), "explanations"
    pairs = zip(*(table[column].to_pylist() for table in (old.table(then[kept]), later)), strict=True)
    revised = later.filter(pa.array([one != other for one, other in pairs], pa.bool_()))
    rejected = old.ended(then[~kept], "rejected", [LIMIT])
    table = united([new.table(now[~known], POSSIBLE), revised, rejected])
    return table.filter(pc.is_in(table.column("change"), pa.array(only, pa.string())))
