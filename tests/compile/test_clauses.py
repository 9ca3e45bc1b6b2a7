"""antelog/compile/{clauses,renaming,comparisons,times}.py: rules in normal form, with readable names."""

from __future__ import annotations

import pytest

from antelog.compile.comparisons import mirrored, outcome
from antelog.compile.explain import comparison_text, pattern_text
from antelog.compile.plan import Comparison, Const, Operand, Sum, Time, Var
from antelog.compile.times import times_of
from tests.compile.plans import pattern_of


@pytest.mark.parametrize(
    ("rule", "pattern"),
    [
        # Equations are put in.
        ("Q(X, T) :- A(X, U), B(X, b, T), U = T - 1.", "A(X, T-1), B(X, b, T)"),
        ("Q(X, T) :- B(X, Y, T), Y = b.", "B(X, b, T)"),
        # `_` becomes a variable of its own in a fact, and stays under negation.
        ("Q(X, T) :- B(X, _, T), not B(X, _, T+1).", "B(X, Y, T), not B(X, _, T+1)"),
        # Rules are put together with names of their own.
        ("Q(X, T) :- P(X, T), P(Y, T+1), X != Y. P(X, T) :- B(X, Y, T).", None),
    ],
)
def test_what_a_rule_becomes(rule: str, pattern: str | None) -> None:
    text = pattern_text(pattern_of(f"input A(x, time). input B(x, y, time). {rule} query Q(X, T)."))
    if pattern is None:
        first, second = text.split("), ")[:2]
        names = {*first.partition("(")[2].split(", "), *second.partition("(")[2].split(", ")} - {"T", "T+1"}
        assert len(names) == 4
    else:
        assert text.replace("V1", "Y") == pattern


def test_an_instance_has_natural_times_only() -> None:
    pattern = pattern_of("input A(x, time). Q(X, T) :- A(X, T-3). query Q(X, T).")
    assert [(each.variable, each.tick) for each in pattern.earliest] == [("T", 3)]


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


def test_how_far_apart_times_can_be() -> None:
    rule = "Q(X, T) :- A(X, T), B(X, U), C(X, V), U > T, V <= U + 2, U <= T + 9."
    text = f"{rule} query Q(X, T)."
    times = times_of(pattern_of(text))
    at = {name: Time(name, 0) for name in "TUV"}
    assert times.furthest(at["T"], at["U"]) == 9
    assert times.furthest(at["U"], at["T"]) == -1
    assert times.furthest(at["T"], at["V"]) == 11  # through U
    assert times.furthest(at["V"], at["T"]) is None
