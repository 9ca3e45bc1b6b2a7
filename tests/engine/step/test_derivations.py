"""antelog/engine/step/derivations.py: when each literal of a row becomes true or false."""

from __future__ import annotations

import numpy as np

from antelog.engine.columns.tables import Column
from antelog.engine.step.derivations import Derivations
from antelog.engine.step.literals import with_facts
from tests.engine.stages import Fact, stage, ticks

MALF = """input Temp(device, level, time) delay 1{slot}.
    Malf(X, T) :- Temp(X, high, T), Temp(X, high, T+1). query Malf(X, T)."""


def derivation(facts: list[Fact], slot: str = "") -> Derivations:
    """The row with X = wt2 and T = 0."""
    given = stage(MALF.format(slot=slot), facts)
    prepared, _ = given.pattern("Malf")
    (row,) = (
        found.take(at)
        for part in given.partials("Malf")
        if part.rows.bound
        for found in [with_facts(given.known, prepared, part)]
        for at in [found.rows.bound["T"] == 0]
        if at.any()
    )
    return row


def lines(column: Column) -> list[list[int | None]]:
    return [ticks(line) for line in column]


def test_a_fact_is_true_from_its_arrival_and_one_that_is_awaited_false_from_its_deadline() -> None:
    row = derivation([("Temp", "wt2", "high", 0, 0)])
    assert lines(row.holds) == [[0], [None]]
    assert lines(row.fails) == [[None], [2]]
    assert lines(row.decided) == [[1], [2]]
    assert (ticks(row.complete), ticks(row.failed)) == ([None], [2])


def test_a_row_is_complete_with_its_last_fact() -> None:
    row = derivation([("Temp", "wt2", "high", 0, 1), ("Temp", "wt2", "high", 1, 2)])
    assert (ticks(row.complete), ticks(row.failed)) == ([2], [None])


def test_a_fact_that_excludes_another_makes_it_false_at_once() -> None:
    facts = [("Temp", "wt2", "high", 0, 0), ("Temp", "wt2", "low", 1, 1)]
    assert ticks(derivation(facts).failed) == [2]
    assert ticks(derivation(facts, ", one per device").failed) == [1]


def test_as_of_an_earlier_tick_later_facts_are_not_there() -> None:
    facts = [("Temp", "wt2", "high", 0, 1), ("Temp", "wt2", "high", 1, 2)]
    before = derivation(facts).as_of(np.array([1]))
    assert lines(before.holds) == [[1], [None]]
    assert lines(before.fails) == [[None], [2]]
    assert lines(before.decided) == [[1], [2]]
