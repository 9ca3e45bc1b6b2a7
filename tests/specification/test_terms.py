"""tests/specification/{constraints,terms}.py: what makes terms one, and what comparisons say together."""

from __future__ import annotations

import math

import pytest

from tests.specification.constraints import follows, is_bounded, latest, leaves_none, possible
from tests.specification.literals import Comparison
from tests.specification.terms import Atom, Variable, apply, put_in, unify, variables

X, Y, T, U = map(Variable, "XYTU")


def test_unification_puts_times_apart_by_their_ticks() -> None:
    assert unify((X, Variable("T", 2)), ("a", 7), {}) == {"X": "a", "T": 5}
    assert unify((X, X), ("a", "b"), {}) is None
    found = unify((X, Y), (Y, "a"), {})
    assert found is not None
    assert (put_in(X, found), put_in(Y, found)) == ("a", "a")
    assert unify((Variable("T", 1),), (T,), {}) is None  # no tick is the one after itself


def test_a_substitution_is_applied_to_all_of_an_atom() -> None:
    atom = Atom("P", (X, "a", Variable("T", 1)))
    assert variables(atom) == {"X", "T"}
    assert apply(atom, {"X": "b", "T": 3}) == Atom("P", ("b", "a", 4))


@pytest.mark.parametrize(
    ("comparison", "outcome"),
    [
        (Comparison(1, "<", 2), True),
        (Comparison("a", "<", "b"), True),
        (Comparison("a", "<", 2), False),  # values of different kinds have no order
        (Comparison("a", "!=", 2), True),
        (Comparison(Variable("T", 1), ">", T), True),
        (Comparison(X, "<", 2), None),
    ],
)
def test_comparisons_of_values(comparison: Comparison, outcome: bool | None) -> None:
    assert comparison.holds() is outcome


def test_comparisons_together() -> None:
    between = [Comparison(X, ">", 1), Comparison(X, "<", 2)]
    assert possible(between, {})  # between two numbers there is another
    assert not possible([Comparison(T, ">", 1), Comparison(T, "<", 2)], {"T": 0})  # but no other tick
    assert follows(Comparison(X, "<", 3), between, {})
    assert not follows(Comparison(X, "<", 1.5), between, {})
    assert leaves_none("X", [Comparison(X, "<", 1), Comparison(X, ">", 2)])
    assert not leaves_none("X", between)


def test_how_late_a_time_can_be() -> None:
    first = {"T": 0, "U": 0}
    assert latest(T, [Comparison(T, "<", 5)], first) == 4
    assert latest(Variable("T", 2), [Comparison(T, "<", 5)], first) == 6
    assert latest(T, [Comparison(T, ">", 5)], first) == math.inf
    assert latest(T, [Comparison(T, "<", 0)], first) is None
    assert is_bounded("U", [Comparison(U, "<=", Variable("T", 3))], first, ["T"])
    assert not is_bounded("U", [Comparison(U, "<=", Variable("T", 3))], first, [])
