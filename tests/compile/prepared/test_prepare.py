"""antelog/compile/prepared/prepare.py: what follows from the rules alone, in the form the engine looks at."""

from __future__ import annotations

from antelog.compile.nodes.text import comparison_text
from tests.compile.plans import prepared_of, rules_of

RISE = """input R(d, v: number, time) delay 1, one per d.
    Rise(D, T) :- R(D, V, T), R(D, W, U), W >= V + 0.5, W < 9, U > T, U <= T + 20. query Rise(D, T)."""


def test_a_fact_literal_knows_which_columns_bind_repeat_or_are_fixed() -> None:
    text = "input P(a, b, c, d: number, time). Q(X, T) :- P(X, X, red, V, T+1), V > 3. query Q(X, T)."
    (fact,) = prepared_of(text).facts
    assert (fact.binds, fact.repeats, fact.constants) == ((("X", 0), ("V", 3)), ((0, 1),), ((2, "red"),))
    assert [comparison_text(test) for test in fact.tests] == ["V > 3"]


def test_how_far_from_the_answer_a_literal_lies() -> None:
    first, second = prepared_of(RISE).facts
    assert (first.behind, first.ahead) == (0, 0)
    assert (second.behind, second.ahead) == (-1, 20)
    assert (first.slot, sorted(first.slot_variables)) == ((0,), ["D", "T"])


def test_comparisons_of_times_are_bands_and_those_of_values_say_more_together() -> None:
    prepared = prepared_of(RISE)
    assert prepared.band("T", "U") == ("T", -1, 20)
    assert prepared.band("U", "T") == ("U", 20, -1)
    assert prepared.band("V", "U") is None  # no time
    said = [comparison_text(test) for test in prepared.tests]
    assert said[-1] == "V < 8.5"  # for W is at least V + 0.5, and less than 9


def test_what_evidence_may_leave_open() -> None:
    assert not prepared_of("Q(X, T) :- A(X, T), B(X, T+1). query Q(X, T).").leaves_time_open
    assert prepared_of("Q(X, T) :- A(X, T), B(X, U). query Q(X, T).").leaves_time_open
    clock = prepared_of("input A(x, time). Q(X, T) :- not A(X, T). query Q(X, T).")
    assert not clock.leaves_time_open
    assert clock.given == {"X", "T"}
    assert clock.naming is not None


def test_relations_in_a_cycle_of_negations_belong_together() -> None:
    text = """input Beat(x, time). Ping(X, T) :- Beat(X, T), not Pong(X, T-1).
        Pong(X, T) :- Beat(X, T), Ping(X, T-1). query Ping(X, T)."""
    rules = rules_of(text)
    assert rules.cycles == {"Pong(X, T)": {"Pong(X, T)"}}  # Ping is put in
    assert rules_of("Q(X, T) :- A(X, T), not B(X, T). query Q(X, T).").cycles == {}


def test_a_query_whose_end_may_be_put_off_is_unsteady() -> None:
    alone = "Q(X, T) :- A(X, T), not B(X, T). query Q(X, T)."
    assert not rules_of(alone).unsteady
    both = "C(X, T) :- B(X, T), B(X, T+1). Q(X, T) :- A(X, T), not C(X, T). query Q(X, T)."
    assert rules_of(both).unsteady == {"Q"}
