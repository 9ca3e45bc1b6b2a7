"""antelog/engine/step/literals.py: ranges under `not` with an open end, and open aggregates."""

from __future__ import annotations

from tests.engine.telling import reported_both_ways

STEPS = """input Step(x: text, name: text, time) delay {delay}.
    Good(X, T) :- Step(X, glue, T), Step(X, press, U), U > T{most}, not Step(X, cool, T..U). {more}"""
GOOD = STEPS.format(delay=2, most=", U <= T+15", more="query Good(X, T).")


def test_an_answer_is_over_with_the_first_cooling_and_what_lies_before_it() -> None:
    facts = [("Step", "x", "glue", 0, 0), ("Step", "x", "cool", 5, 5), ("Step", "x", "cool", 4, 6)]
    told = "Step(x, press, U) where U > 0, U <= 15{0}, not Step(x, cool, 0..U) where U > 0, U <= 15{0}"
    lines = reported_both_ways(GOOD, facts, 20)
    over = f"{told.format(', U < 5')}, because {told.format(', U < 5')}"
    assert lines == {
        0: [f"possible Good(x, 0): Step(x, glue, 0) | {told.format('')}, rejected at 17, decided by 17"],
        5: [f"revised Good(x, 0): Step(x, glue, 0) | {told.format(', U < 5')}, rejected at 6, decided by 6"],
        6: [f"rejected Good(x, 0): Step(x, glue, 0) | {over}"],
    }


def test_a_press_before_the_cooling_may_still_be_late() -> None:
    facts = [("Step", "x", "glue", 0, 0), ("Step", "x", "cool", 3, 3), ("Step", "x", "press", 2, 4)]
    lines = reported_both_ways(GOOD, facts, 8)
    assert [line.partition(":")[0] for line in lines[4]] == ["confirmed Good(x, 0)"]


def test_at_once_if_no_tick_is_left_between() -> None:
    lines = reported_both_ways(GOOD, [("Step", "x", "glue", 0, 0), ("Step", "x", "cool", 1, 1)], 4)
    (line,) = lines[1]
    assert line.startswith("rejected Good(x, 0)")
    assert line.endswith("because not Step(x, cool, 0..U) where U > 0, U <= 15")


def test_what_denies_a_range_without_a_bound_is_decided() -> None:
    text = STEPS.format(
        delay=0, most="", more="Bad(X, T) :- Step(X, glue, T), not Good(X, T). query Bad(X, T)."
    )
    lines = reported_both_ways(text, [("Step", "x", "glue", 0, 0), ("Step", "x", "cool", 7, 7)], 9)
    assert [line.partition(":")[0] for line in lines[7]] == ["confirmed Bad(x, 0)"]


COUNT = """input p(x: text, time) delay 0. input q(y: text, time) delay 0.
    input v(y: text, n: number, time) delay 1.
    A(X, T) :- p(X, T), q(Y, T+3), {}. query A(X, T)."""


def test_a_count_that_no_value_can_make_true_is_false() -> None:
    lines = reported_both_ways(
        COUNT.format("count(v(Y, _, T)) >= 2"), [("p", "a", 0, 0), ("v", "b", 1, 0, 0)], 3
    )
    literal = "count(v(Y, _, 0)) >= 2"
    assert lines == {
        0: [f"possible A(a, 0): p(a, 0) | {literal}, q(Y, 3), rejected at 1, decided by 3"],
        1: [f"rejected A(a, 0): p(a, 0) | {literal}, q(Y, 3), because {literal}"],
    }


def test_more_than_one_value_together_put_off_when_it_is_false() -> None:
    facts = [("p", "a", 0, 0), ("v", "b", 1, 0, 0), ("v", "c", 1, 0, 1)]
    lines = reported_both_ways(COUNT.format("count(v(Y, _, T)) >= 2"), facts, 4)
    told = "A(a, 0): p(a, 0) | count(v(Y, _, 0)) >= 2, q(Y, 3)"
    assert lines[1] == [f"revised {told}, rejected at 3, decided by 3"]
    assert [line.partition(",")[0] for line in lines[3]] == ["rejected A(a"]


def test_an_aggregate_of_nothing_is_decided_whatever_the_value() -> None:
    facts = [("p", "a", 0, 0), ("q", "b", 3, 3)]
    lines = reported_both_ways(COUNT.format("count(v(Y, _, T)) < 1"), facts, 4)
    assert lines[1] == [
        "revised A(a, 0): count(v(Y, _, 0)) < 1, p(a, 0) | q(Y, 3), rejected at 3, decided by 3"
    ]
    assert [line.partition(":")[0] for line in lines[3]] == ["confirmed A(a, 0)"]
    lines = reported_both_ways(COUNT.format("avg(N : v(Y, N, T)) < 1"), facts, 4)
    assert [line.partition(":")[0] for line in lines[1]] == ["rejected A(a, 0)"]


def test_a_rule_whose_input_has_a_slot_derives_one_atom_a_tick() -> None:
    text = """input Temp(x: text, v: number, time) delay 1{}. input Go(x: text, time).
        Hot(X, V, T) :- Temp(X, V, T), V > 90.
        Few(X, T) :- Go(X, T), count(Hot(X, _, T..T+2)) < {}. query Few(X, T)."""
    facts = [("Go", "a", 0, 0)]
    assert [*reported_both_ways(text.format(", one per x", 4), facts, 5)] == [0]
    assert [*reported_both_ways(text.format("", 4), facts, 5)] == [0, 3]
