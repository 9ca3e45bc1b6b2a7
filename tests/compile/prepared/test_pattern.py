"""antelog/compile/prepared/pattern.py: what the engine need not find out about a pattern."""

from __future__ import annotations

from antelog.compile.prepared.pattern import Cluster, units
from antelog.compile.prepared.rules import prepared
from tests.compile.plans import plan_of, prepared_of, rules_of

RISE = """input R(d, v: number, time) delay 1, one per d.
    Rise(D, T) :- R(D, V, T), R(D, W, U), W >= V + 0.5, W < 9, U > T, U <= T + 20. query Rise(D, T)."""


def test_comparisons_of_times_are_bands_and_those_of_values_say_more_together() -> None:
    prepared = prepared_of(RISE)
    assert prepared.band("T", "U") == ("T", -1, 20)
    assert prepared.band("U", "T") == ("U", 20, -1)
    assert prepared.band("V", "U") is None  # no time
    said = [test.text for test in prepared.comparisons]
    assert said[-1] == "V < 8.5"  # for W is at least V + 0.5, and less than 9


def test_background_gives_values_that_something_else_uses() -> None:
    text = """static S(x, y, z). static V(x). input A(x, time).
        Q(X, T) :- A(X, T), S(X, Y, Z), V(Y), Z != b, not V(X). query Q(X, T)."""
    assert prepared_of(text).used == {"X", "T"}  # Y and Z are decided by the background alone
    more = "static S(x, y). input A(x, v, time). Q(X, T) :- A(X, V, T), S(X, Y), Y != V. query Q(X, T)."
    assert prepared_of(more).used == {"X", "T", "V", "Y"}


JOIN = "q(X, T) :- p(X, T), r(Y, T), s(Y, T). query q(X, T)."


def of(text: str, *bound: str) -> list[Cluster]:
    return list(units(prepared_of(text), frozenset(bound), ("X",)))


def test_literals_that_share_an_open_variable_are_one_unit() -> None:
    known, open_ = of(JOIN, "X", "T")
    assert (known.literals, known.signature, known.is_open) == ((0,), "p(#, #)", False)
    assert (open_.literals, open_.signature, open_.is_open) == ((1, 2), "r(?0, #) s(?0, #)", True)


def test_what_the_answer_leaves_open_is_called_as_the_query_calls_it() -> None:
    first, *_ = of(JOIN, "Y", "T")
    assert (first.signature, first.is_open) == ("p(X, #)", True)


def test_open_conditions_are_part_of_the_signature() -> None:
    text = "q(X, T) :- p(X, T), r(V, T+1), V > 3. query q(X, T)."
    assert of(text, "X", "T")[1].signature == "r(?0, #) where ?0 > #"


def test_literals_that_read_alike_have_their_gaps_in_every_order() -> None:
    text = "q(X, T) :- p(X, T), r(Y, a, T), r(Y, b, T). query q(X, T)."
    _, both = of(text, "X", "T")
    assert both.signature == "r(?0, #, #) r(?0, #, #)"
    assert len(both.gaps) == 2


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
