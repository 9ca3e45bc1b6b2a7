"""antelog/compile/literals/fact.py: which columns bind, repeat or are fixed, and how far times lie."""

from __future__ import annotations

from tests.compile.plans import prepared_of

RISE = """input R(d, v: number, time) delay 1, one per d.
    Rise(D, T) :- R(D, V, T), R(D, W, U), W >= V + 0.5, W < 9, U > T, U <= T + 20. query Rise(D, T)."""


def test_a_fact_literal_knows_which_columns_bind_repeat_or_are_fixed() -> None:
    text = "input P(a, b, c, d: number, time). Q(X, T) :- P(X, X, red, V, T+1), V > 3. query Q(X, T)."
    (fact,) = prepared_of(text).facts
    assert (fact.binds, fact.repeats, fact.constants) == ((("X", 0), ("V", 3)), ((0, 1),), ((2, "red"),))
    assert [test.text for test in fact.tests] == ["V > 3"]


def test_how_far_from_the_answer_a_literal_lies() -> None:
    first, second = prepared_of(RISE).facts
    assert (first.behind, first.ahead) == (0, 0)
    assert (second.behind, second.ahead) == (-1, 20)
    assert (first.slot, sorted(first.slot_variables)) == ((0,), ["D", "T"])


def test_a_negated_literal_lies_as_far_as_comparisons_say() -> None:
    text = "input A(x, time). Q(X, T) :- A(X, T), A(X, U), U > T, U <= T + 3, not B(X, U). query Q(X, T)."
    (negation,) = prepared_of(text).asked
    (reach,) = negation.reaches
    assert (reach.behind, reach.ahead) == (-1, 3)
    assert negation.variables == {"X", "U"}
