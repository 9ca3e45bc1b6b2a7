"""antelog/engine/facts/history.py: facts that exclude each other; the first of a slot counts."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import pytest

import antelog
from antelog import Engine
from antelog.accounts import Counts

RULES = (
    "input Temp(device, level, time) delay 2, one per {slot}. Q(X, L, T) :- Temp(X, L, T). query Q(X, L, T)."
)


def admitted(slot: str, rows: Sequence[tuple[object, ...]]) -> tuple[list[tuple[object, ...]], pa.Table]:
    """The facts that count, and what was set aside."""
    engine = Engine(antelog.parse(RULES.format(slot=slot)))
    reported = engine.advance(9, {"Temp": rows})["Q"].to_pylist()
    return [(row["X"], row["L"], row["T"]) for row in reported], engine.rejects


def test_of_a_slot_the_fact_that_arrived_first_counts() -> None:
    rows = [("wt2", "high", 7, 8), ("wt2", "low", 7, 7), ("wt3", "low", 7, 8)]
    found, rejects = admitted("device", rows)
    assert found == [("wt2", "low", 7), ("wt3", "low", 7)]
    assert rejects.select(["reason", "detail"]).to_pylist() == [
        {"reason": "conflicting", "detail": "another fact of this device and tick came first"}
    ]


LEVELS = [(["low", "high"], "high"), (["b", 3], "3"), ([10, 9], 9), (["a", "a"], "a")]


@pytest.mark.parametrize(("levels", "first"), LEVELS)
def test_of_those_that_arrive_together_the_least_counts(levels: list[object], first: object) -> None:
    found, rejects = admitted("device", [("wt2", level, 7, 7) for level in levels])
    assert found == [("wt2", first, 7)]
    assert rejects.num_rows == len(set(levels)) - 1


def test_a_fact_that_is_late_takes_no_slot() -> None:
    found, rejects = admitted("device", [("wt2", "low", 4, 7), ("wt2", "high", 4, 6)])
    assert found == [("wt2", "high", 4)]
    assert rejects["reason"].to_pylist() == ["late"]


def test_a_slot_may_be_the_tick_alone() -> None:
    found, _ = admitted("tick", [("wt2", "low", 4, 4), ("wt3", "low", 4, 5), ("wt3", "low", 5, 5)])
    assert found == [("wt2", "low", 4), ("wt3", "low", 5)]


def test_a_slot_is_held_from_step_to_step() -> None:
    engine = Engine(antelog.parse(RULES.format(slot="device")))
    engine.advance(7, {"Temp": [("wt2", "low", 7)]})
    engine.advance(8, {"Temp": [("wt2", "high", 7, 8), ("wt2", "low", 7, 8)]})
    assert engine.last_rejects["reason"].to_pylist() == ["conflicting"]
    assert engine.status.counts == Counts(1, repeated=1, conflicting=1)
