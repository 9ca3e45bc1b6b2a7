"""antelog/compile/literals/terms.py: how terms read, and which variables are in them."""

from __future__ import annotations

import pytest

from antelog.compile.literals import Atom, Comparison, Negation
from antelog.compile.literals.terms import Const, Operand, Substitution, Sum, Time, Var, operand_text

X, T = Var("X"), Time("T", 0)


@pytest.mark.parametrize(
    ("operand", "text"),
    [
        (X, "X"),
        (Const("high"), "high"),
        (Const("two words"), '"two words"'),
        (Const(2.5), "2.5"),
        (Time("T", 0), "T"),
        (Time("T", -3), "T-3"),
        (Time(None, 7), "7"),
        (Sum("V", 0.5), "V+0.5"),
        (Sum("V", -1), "V-1"),
    ],
)
def test_operands_read_as_in_rules(operand: Operand, text: str) -> None:
    assert operand_text(operand) == text


V = Var("V")


@pytest.mark.parametrize(
    ("left", "operator", "right", "known"),
    [
        (Const(3), "<", Const(5), True),
        (Const("a"), "<", Const(5), False),  # a text and a number have no order
        (Const("a"), "!=", Const(5), True),
        (V, ">=", V, True),
        (V, "<", V, False),
        (T, "<", Time("T", 1), True),
        (T, "<", Time("U", 1), None),
        (Sum("V", 1), ">", V, None),
    ],
)
def test_some_comparisons_are_known_before_any_fact(
    left: Operand, operator: str, right: Operand, known: bool | None
) -> None:
    comparison = Comparison(left, operator, right)
    if known is not None or not isinstance(left, Sum):
        assert comparison.outcome is known
        assert comparison.mirrored.outcome is known
    assert comparison.mirrored.mirrored == comparison


def test_a_sum_is_worked_out() -> None:
    assert Comparison(V, "=", Sum("W", 5)).calculates
    assert not Comparison(V, "=", Const(5)).calculates
    assert not Comparison(Time("T", 1), "=", Time("U", 0)).calculates


Y = Var("Y")


def test_variables_of_the_first_side_are_bound() -> None:
    known = Substitution()
    assert known.unify_terms(X, Y)
    assert (known.term(X), known.term(Y)) == (Y, Y)
    assert known.unify_terms(Y, Const("a"))
    assert known.term(X) == Const("a")
    assert not known.unify_terms(X, Const("b"))


def test_times_are_a_number_of_ticks_apart() -> None:
    known = Substitution()
    assert known.unify_times(Time("U", 1), Time("T", 3))
    assert known.time(Time("U", 0)) == Time("T", 2)
    assert known.unify_times(T, Time(None, 5))
    assert known.time(Time("U", 1)) == Time(None, 8)
    assert not known.unify_times(T, T + 1)  # no tick is one later than itself


def test_values_are_put_in_everywhere() -> None:
    known = Substitution()
    known.bind_object("X", Const(2))
    known.bind_time("T", Time("U", 1))
    assert Atom("A", (X, Y), T).replaced(known) == Atom("A", (Const(2), Y), Time("U", 1))
    negated = Negation("B", (X, None), T, T, True, "B(x, _, time)")
    time = Time("U", 1)
    assert negated.replaced(known) == Negation("B", (Const(2), None), time, time, True, "B(x, _, time)")
    assert Comparison(Sum("X", 3), "<", Y).replaced(known) == Comparison(Const(5), "<", Y)
