"""antelog/compile/prepared/rules.py: what holds of the rules as a whole."""

from __future__ import annotations

from antelog.compile.prepared.rules import prepared
from tests.compile.plans import plan_of, rules_of


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


def test_a_plan_is_prepared_once() -> None:
    text = "Q(X, T) :- A(X, T), B(X, T-3). query Q(X, T)."
    assert prepared(plan_of(text)) is prepared(plan_of(text))
    assert rules_of(text).widest == 3


def test_which_query_rests_on_a_negation_and_on_facts_of_any_age() -> None:
    aged = "P(X, T) :- A(X, T), B(X, U), U <= T, not C(X, T). query P(X, T)."
    assert rules_of(aged).of_any_age == "P"
    assert rules_of(aged.replace("U <= T", "U <= T, U >= T - 9")).of_any_age is None
    assert rules_of(aged.replace(", not C(X, T)", "")).of_any_age is None
