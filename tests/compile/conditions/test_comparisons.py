"""antelog/compile/conditions/comparisons.py: what a comparison says before any fact has come."""

from __future__ import annotations

import pytest

from antelog.compile.conditions.comparisons import mirrored, outcome
from antelog.compile.nodes.patterns import Comparison, Const, Operand, Sum, Time, Var
from antelog.compile.nodes.text import comparison_text

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
        assert outcome(comparison) is known
        assert outcome(mirrored(comparison)) is known
    assert comparison_text(mirrored(mirrored(comparison))) == comparison_text(comparison)
