"""antelog/engine/step/{lines,query}.py: the log of a query as a table, and the ticks a step can change."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa

import antelog
from antelog.compile.prepared.rules import prepared
from antelog.engine.columns.spans import EVERYWHERE, NOWHERE, Spans, span
from antelog.engine.facts.history import SeenValues
from antelog.engine.kernel import count_open, open_answers
from antelog.engine.step.lines import as_they_stand, joined, no_lines
from antelog.engine.step.query import Step, affected, undecided
from tests.engine.stages import Stage, stage

MALF = "input Temp(x: text, time) delay 2. Malf(X, T) :- Temp(X, T), Temp(X, T+1). query Malf(X, T)."
CALM = "input Alarm(x: text, time) delay 2. Calm(X, T) :- not Alarm(X, T), T >= 3. query Calm(X, T)."


def answers(given: Stage) -> pa.Table:
    """The answers after the last tick of the stage."""
    state = replace(given.state, now=given.now)
    return open_answers(given.plan, state, given.query().name).table


def test_lines_are_in_the_order_of_ticks_times_and_values() -> None:
    given = stage(MALF, [("Temp", "b", 3, 3), ("Temp", "a", 3, 3), ("Temp", "a", 4, 4)], now=4)
    found = given.changes()
    rows = found.table.select(["tick", "change", "X", "T"]).to_pylist()
    assert [tuple(row.values()) for row in rows] == [
        (3, "possible", "a", 2),
        (3, "possible", "b", 2),
        (3, "possible", "a", 3),
        (3, "possible", "b", 3),
        (4, "rejected", "a", 2),
        (4, "rejected", "b", 2),
        (4, "confirmed", "a", 3),
        (4, "possible", "a", 4),
    ]
    assert found.opened == 2
    assert count_open(given.plan, replace(given.state, now=given.now), "Malf") == 2


def test_answers_are_those_open_now_and_those_the_step_confirmed() -> None:
    given = stage(MALF, [("Temp", "a", 3, 3), ("Temp", "a", 4, 4)], now=4)
    table = answers(given)
    assert table.select(["change", "T"]).to_pylist() == [
        {"change": "revised", "T": 4},
        {"change": "confirmed", "T": 3},
    ]
    found = as_they_stand(table)
    assert found["change"].to_pylist() == ["open", "confirmed"]
    assert found.drop_columns("change") == table.drop_columns("change")
    assert found.schema == as_they_stand(table[:0]).schema == table.schema


def test_all_others_are_null_with_the_variables_that_stand_for_them() -> None:
    given = stage(CALM, [("Alarm", "b", 3, 3), ("Alarm", "a", 2, 3)], now=3)
    table = answers(given)
    assert table.select(["X", "T", "others"]).to_pylist() == [
        {"X": "a", "T": 3, "others": None},
        {"X": None, "T": 3, "others": ["X"]},
    ]


def test_parts_of_a_log_are_put_together() -> None:
    given = stage(MALF, [("Temp", "a", 3, 3)], now=3)
    empty, some = given.state.observed.answers["Malf"].schema.empty_table(), given.changes()
    whole = joined([no_lines(empty, given.plan.relation("Malf"), opened=0), some])
    assert whole.table.equals(some.table)
    assert whole.opened == some.opened


# ---- the ticks whose answers a step can change ----

SLOW_MALF = (
    "input Temp(x, time) delay 1. Malf(X, T) :- Temp(X, T), Temp(X, T+1), Temp(X, T+2). query Malf(X, T)."
)
EARLY_CALM = "input Alarm(x, time) delay 1. Calm(X, T) :- not Alarm(X, T-2). query Calm(X, T)."


def of(text: str, step: Step, seen: SeenValues | None = None, **new: Spans) -> list[tuple[int, int]]:
    rules = prepared(antelog.parse(text).plan)
    (query,) = rules.plan.queries
    facts = {name: new.get(name, NOWHERE) for name in rules.inputs}
    values = seen or SeenValues(np.zeros(0, np.int64), np.zeros(0, np.int64))
    spans = affected(rules, [query.name], step, facts, dict.fromkeys(rules.seen, values))[query.name]
    return list(zip(spans.first.tolist(), spans.last.tolist(), strict=True))


def test_a_fact_changes_the_answers_that_may_rest_on_it_and_a_tick_those_it_is_the_deadline_of() -> None:
    # A fact about 20 comes; what was due at 9 is about 8.
    assert of(SLOW_MALF, Step(0, 8, 9), Temp=span(20, 20)) == [(6, 8), (18, 20)]
    assert of(SLOW_MALF, Step(0, 8, 9)) == [(6, 8)]
    assert of(SLOW_MALF, Step(0, 8, 10**12)) == [(6, 10**12 - 1)]


def test_a_pattern_without_facts_speaks_at_each_tick() -> None:
    # Of tick 9; and not Alarm(X, 8) is decided now, on which that about 10 rests.
    assert of(EARLY_CALM, Step(0, 8, 9)) == [(9, 10)]
    assert of(EARLY_CALM, Step(0, 8, 9), Alarm=span(3, 3)) == [(5, 5), (9, 10)]


def test_a_value_that_is_seen_has_answers_where_all_others_are_open() -> None:
    at_9 = SeenValues(np.array([7]), np.array([9]))
    slow = "input Alarm(x, time) delay 3. Calm(X, T) :- not Alarm(X, T). query Calm(X, T)."
    ((first, _),) = of(slow, Step(0, 8, 9), at_9)
    assert first == 6
    assert of(slow, Step(0, 9, 10), at_9) == [(7, 7), (10, 10)]


def test_answers_that_can_be_open_now() -> None:
    rules = prepared(antelog.parse(SLOW_MALF).plan)
    assert int(undecided(rules, "Malf", Step(0, 8, 9)).first[0]) == 6  # that about 6 is decided at 9
    endless = prepared(antelog.parse("Q(X, T) :- A(X, T), B(X, U). query Q(X, T).").plan)
    assert undecided(endless, "Q", Step(0, 8, 9)) is EVERYWHERE
