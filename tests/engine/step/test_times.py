"""antelog/engine/step/wording.py: the timestamps beside ticks."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pyarrow as pa
import pytest

from antelog import Engine, ProgramError, parse

RULES = "input P(x, time) delay 3. A(X, T) :- P(X, T), P(X, T+1). query A(X, T)."
TIME = datetime(2026, 3, 30, 2, 50, tzinfo=UTC)
TICK = timedelta(minutes=10)


def test_each_column_of_ticks_has_one_of_times() -> None:
    engine = Engine(parse(f"tick 10 minutes. {RULES}"))
    changes = engine.advance(TIME, {"P": [("a", TIME)]})["A"]
    names = (
        "tick time change X T T_time explanations if_silent if_silent_time decided_by decided_by_time because"
    )
    assert changes.column_names == names.split()
    assert changes.schema.field("T_time").type == pa.timestamp("us", "UTC")
    rows = [(row["time"], row["T_time"], row["if_silent_time"]) for row in changes.to_pylist()]
    assert rows == [(TIME, TIME - TICK, TIME + 2 * TICK), (TIME, TIME, TIME + 4 * TICK)]
    assert engine.answers("A").to_pylist()[0]["decided_by_time"] == TIME + 2 * TICK
    assert engine.answers("A").schema == changes.schema


def test_ticks_that_are_counted_from_0_have_no_times() -> None:
    engine = Engine(parse(f"tick 10 minutes. {RULES}"))
    changes = engine.advance(1, {"P": [("a", 1)]})["A"]
    names = ("time", "T_time", "if_silent_time", "decided_by_time")
    assert {changes.column(name).null_count for name in names} == {changes.num_rows}
    plain = Engine(parse(RULES)).advance(1, {"P": [("a", 1)]})["A"]
    assert changes.drop_columns(names) == plain


def test_no_variable_is_called_as_a_column_of_times() -> None:
    text = "A(T_time, T) :- P(T_time, T). query A(T_time, T)."
    parse(text)
    with pytest.raises(ProgramError, match="a column T_time: the timestamps of T"):
        parse(f"tick 1 minute. {text}")
