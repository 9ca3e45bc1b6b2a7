"""antelog/engine/step/matching.py: the rows that some, or all, of a pattern's fact literals make."""

from __future__ import annotations

from antelog.engine.step.matching import within
from tests.engine.stages import Stage, stage

RULES = (
    "input p(x, time) delay 3. input r(y, time) delay 3. q(X, Y, T) :- p(X, T), r(Y, T). query q(X, Y, T)."
)


def tables(given: Stage, relation: str) -> list[list[dict[str, object]]]:
    prepared, _ = given.pattern(relation)
    return [given.read(prepared, part.rows) for part in given.partials(relation)]


def test_evidence_gives_values_to_as_many_variables_as_it_has() -> None:
    given = stage(RULES, [("p", "a", 0, 0), ("r", "b", 0, 0)])
    assert tables(given, "q") == [
        [{}],
        [{"T": 0, "X": "a"}],
        [{"T": 0, "Y": "b"}],
        [{"T": 0, "X": "a", "Y": "b"}],
    ]
    last = given.partials("q")[-1]
    assert last.arrived.tolist() == [[0], [0]]  # when the facts of both literals came


def test_rows_that_wait_for_what_can_come_no_more_are_none() -> None:
    given = stage(RULES, [("p", "a", 0, 3)])
    assert tables(given, "q") == [[{}], []]


def test_rows_with_a_gap_that_stays_make_no_others() -> None:
    """Of eight readings in a row, those that can be missing are the latest ones: not one set of each size."""
    steps = " ".join(f"R(V{i}, T+{i}), V{i} > 0," for i in range(8))
    text = f"input R(v: number, time) delay 1. q(T) :- {steps.rstrip(',')}. query q(T)."
    given = stage(text, [("R", 5, tick, tick) for tick in range(9)])
    assert 0 < len(given.partials("q")) < 50


def test_bounds_between_times_are_a_band_of_the_join() -> None:
    text = "input p(x, time). q(X, T) :- p(X, T), p(X, U), U > T, U <= T+3. query q(X, T)."
    given = stage(text, [("p", "a", 4, 4)])
    prepared, _ = given.pattern("q")
    first, second = given.known.found(prepared, None)
    found = within(prepared, first.rows, second.rows)
    assert found is not None
    assert (found.variable, found.band.first.tolist(), found.band.last.tolist()) == ("U", [5], [7])
