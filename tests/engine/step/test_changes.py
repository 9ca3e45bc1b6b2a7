"""antelog/engine/step/lines.py: the log of a query as a table, in order, and its answers."""

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa

from antelog.engine.kernel import count_open, open_answers
from antelog.engine.step.lines import as_they_stand, joined, no_lines
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
