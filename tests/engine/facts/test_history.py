"""antelog/engine/facts/history.py: the facts that still matter, and the slots they hold."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pytest

import antelog
from antelog import Engine
from antelog.accounts import Counts
from antelog.engine.columns.spans import NOWHERE, span, union
from antelog.engine.facts import history
from antelog.engine.facts.history import Facts, History, Stream

EMPTY: History = {"P": Stream(1, {})}


def facts(*rows: tuple[int, int, int]) -> Facts:
    """Facts as (value, time, arrival)."""
    x, time, arrival = (np.array(column, np.int64) for column in zip(*rows, strict=True))
    return Facts((x,), time, arrival)


def rows(found: Facts) -> list[tuple[int, ...]]:
    return sorted(zip(*(c.tolist() for c in (*found.columns, found.time, found.arrival)), strict=True))


def test_facts_are_found_by_tick_and_by_what_they_have() -> None:
    kept = history.added(EMPTY, {"P": facts((7, 1, 1), (8, 1, 2), (7, 5, 5))})
    assert rows(history.gather(kept, "P", span(0, 4))) == [(7, 1, 1), (8, 1, 2)]
    assert rows(history.gather(kept, "P", None, constants=((0, 7),))) == [(7, 1, 1), (7, 5, 5)]
    assert history.rows_of(kept) == 3
    assert history.rows_of(EMPTY) == 0  # what was handed over stays as it was


def test_a_far_tick_costs_no_more_than_a_near_one() -> None:
    kept = history.added(EMPTY, {"P": facts((7, 1, 1), (7, 2**50, 2**50))})
    assert len(kept["P"].slices) == 2
    assert rows(history.gather(kept, "P", span(2, 2**52))) == [(7, 2**50, 2**50)]


def test_facts_several_ask_for_are_the_ones_each_would_find() -> None:
    def kept() -> History:
        some = history.added(EMPTY, {"P": facts(*((x, tick, tick) for tick in range(40) for x in (7, 8)))})
        return history.added(some, {"P": facts((9, 5, 6), (7, 5, 7), (7, 41, 41))})

    # The second and the third are stretches of all that are asked for, the last has a gap.
    wanted = [None, span(3, 6), span(38, 50), NOWHERE, union((span(1, 1), span(9, 9)))]
    for constants in ((), ((0, 7),)):
        for asked in (wanted, wanted[1:], wanted[1:2]):
            found = history.gather_each(kept(), "P", asked, constants)
            for facts_, about in zip(found, asked, strict=True):
                assert rows(facts_) == rows(history.gather(kept(), "P", about, constants))


# ---- slots: of facts that exclude each other the first counts ----

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
