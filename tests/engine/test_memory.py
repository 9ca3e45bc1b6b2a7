"""antelog/engine/{state,kernel}.py: nothing is kept longer than it matters; all is counted."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

import antelog
from antelog import DataError, Engine
from antelog.accounts import Counts
from antelog.engine import kernel
from antelog.engine.facts.history import rows_of
from antelog.engine.state import State, start
from antelog.engine.values import values as values_module

RULES = """
input Temp(device, level, time) delay 2.
delay Temp(slow, _, _) = 3.
static Site(device, name).
Site(d7, "North Sea").
Hot(X, N, T) :- Temp(X, high, T), Temp(X, high, T+1), Site(X, N).
Lone(X, T) :- Temp(X, L, T), not Hot2(X, T+2).
Hot2(X, T) :- Temp(X, high, T), Temp(X, high, T+1).
query Hot(X, N, T).
query Lone(X, T).
"""


def new_names(tick: int, count: int = 40) -> list[tuple[Any, ...]]:
    """Facts of devices nobody has heard of before, and of some that are there for good."""
    fresh = [(f"device {tick} {number}", "high" if number % 3 else "low", tick) for number in range(count)]
    late = [(f"device {tick} {number}", "high", max(tick - number % 3, 0)) for number in range(5)]
    return [*fresh, *late, ("d7", "high", tick), ("slow", "high", max(tick - 3, 0))]


def rows(changed: dict[str, pa.Table]) -> list[dict[str, Any]]:
    return [{"query": name, **row} for name, table in changed.items() for row in table.to_pylist()]


def test_values_that_no_fact_has_any_more_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    program = antelog.parse(RULES)
    plain = Engine(program)
    expected = [rows(plain.advance(tick, {"Temp": new_names(tick)})) for tick in range(60)]
    assert len(plain._state.values) > 60 * 40  # below the number from which it pays, all are kept
    monkeypatch.setattr(values_module, "_SOME", 50)
    engine = Engine(program)
    most = 0
    for tick in range(60):
        assert rows(engine.advance(tick, {"Temp": new_names(tick)})) == expected[tick]
        most = max(most, len(engine._state.values))
    # A window has some 7 ticks; twice as many values and some more may have come since the last time.
    assert most < 40 * 7 * 3 + 100
    assert engine.status.state_bytes < plain.status.state_bytes


def test_saving_leaves_out_the_values_no_fact_has() -> None:
    program = antelog.parse(RULES)
    engine = Engine(program)
    for tick in range(30):
        engine.advance(tick, {"Temp": new_names(tick)})
    again = Engine.restore(engine.to_bytes(), program)
    assert len(again._state.values) < len(engine._state.values) / 2
    for tick in range(30, 35):
        assert rows(again.advance(tick, {"Temp": new_names(tick)})) == rows(
            engine.advance(tick, {"Temp": new_names(tick)})
        )


def test_a_fact_that_comes_again_is_not_kept_twice() -> None:
    program = antelog.parse(RULES)
    once, again = Engine(program), Engine(program)
    for tick in range(12):
        facts = new_names(tick)
        repeated = [
            (*fact, tick) for before in (tick - 1, tick) for fact in new_names(before)[:20] if before >= 0
        ]
        arriving = [(*fact, tick) for fact in facts]
        assert rows(again.advance(tick, {"Temp": repeated + arriving})) == rows(
            once.advance(tick, {"Temp": arriving})
        )
    assert rows_of(again._state.history) == rows_of(once._state.history)
    counts = again.counts["Temp"]
    assert counts.admitted == once.counts["Temp"].admitted
    assert counts.repeated == 12 * 20 + 11 * 20 + once.counts["Temp"].repeated


def test_a_step_leaves_its_state_as_it_was() -> None:
    plan = antelog.parse(RULES).plan
    state = start(plan)

    def reported(before: State, tick: int) -> tuple[State, list[dict[str, Any]]]:
        ready, batch = kernel.admitted(plan, before, {"Temp": new_names(tick)}, tick)
        after, changed = kernel.step(plan, ready, batch.facts, tick)
        return after, rows({name: changes.table for name, changes in changed.items()})

    for tick in range(6):
        after, expected = reported(state, tick)
        reported(after, tick + 1)
        again, found = reported(state, tick)
        assert found == expected
        assert reported(again, tick + 1)[1] == reported(after, tick + 1)[1]
        state = after


def test_the_first_arrival_counts() -> None:
    program = antelog.parse("input P(x, time) delay 5. Q(X, T) :- P(X, T), P(X, T+1). query Q(X, T).")
    engine = Engine(program)
    engine.advance(1, {"P": [("a", 0, 0)]})
    assert engine.advance(2, {"P": [("a", 0, 2)]})["Q"].num_rows == 0
    table = engine.advance(3, {"P": [("a", 0, 3), ("a", 1, 3)]})["Q"]
    assert table.select(["tick", "change"]).to_pylist()[0] == {"tick": 3, "change": "confirmed"}


def test_the_latest_rejects_are_kept_and_all_are_counted() -> None:
    engine = Engine(antelog.parse(RULES), keep_rejects=10)
    for tick in range(100):
        engine.advance(tick, {"Temp": [("a", "high", tick), ("b", "low", tick + 1), (None, "low", tick)]})
        last = engine.last_rejects
        assert last["row"].to_pylist() == [1, 2]
        assert last["reason"].to_pylist() == ["early", "malformed"]
    assert engine.rejects["arrival"].to_pylist() == [t for t in range(95, 100) for _ in range(2)]
    assert (engine.counts["Temp"].early, engine.counts["Temp"].malformed) == (100, 100)
    engine.advance(100)
    assert engine.last_rejects.num_rows == 0
    assert engine.rejects.num_rows == 10


def test_the_status_counts_everything() -> None:
    engine = Engine(antelog.parse(RULES))
    assert engine.status.open_answers == {"Hot": 0, "Lone": 0}
    engine.advance(
        4, {"Temp": [("d7", "high", 3, 4), ("d7", "high", 3, 4), ("x", "low", 1, 4), (None, 1, 3, 3)]}
    )
    status = engine.status
    assert (status.now, status.counts) == (4, Counts(admitted=1, repeated=1, late=1, malformed=1))
    assert (status.dropped, status.state_rows) == (0, 1)
    for query, count in status.open_answers.items():
        changes = engine.answers(query)["change"].to_pylist()
        assert count == len([change for change in changes if change != "confirmed"]) > 0
    assert status.state_bytes > 32


@pytest.mark.parametrize(
    ("static", "message"),
    [
        ({"Sites": [("a", "b")]}, "no static predicate Sites. Did you mean Site?"),
        ({"Site": [("a",)]}, "Site is given 1 columns; it has device, name"),
        ({"Site": [("a", None)]}, "`None` in column name of Site is neither a number nor a text"),
        ({"Site": [("a", float("inf"))]}, "`inf` in column name of Site is neither a number nor a text"),
        ({"Site": 7}, "given as int"),
    ],
)
def test_static_facts_that_do_not_fit_are_refused(static: dict[str, Any], message: str) -> None:
    with pytest.raises(DataError, match=message):
        Engine(antelog.parse(RULES), static=static)


def test_static_facts_may_be_a_frame() -> None:
    table = pa.table({"name": ["Baltic"], "device": ["d9"]})
    engine = Engine(antelog.parse(RULES), static={"Site": table})
    changed = engine.advance(0, {"Temp": [("d9", "high", 0)]})
    assert changed["Hot"]["N"].to_pylist() == ["Baltic"]
