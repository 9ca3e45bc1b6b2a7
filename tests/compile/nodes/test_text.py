"""antelog/compile/nodes/text.py: how the parts of a pattern read."""

from __future__ import annotations

import pytest

from antelog.compile.nodes.patterns import (
    Atom,
    Comparison,
    Const,
    Negated,
    Operand,
    StaticAtom,
    Sum,
    Time,
    Var,
)
from antelog.compile.nodes.text import (
    comparison_text,
    later,
    literal_text,
    operand_text,
    pattern_text,
    static_text,
    term_text,
)
from tests.compile.plans import pattern_of

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


def test_literals_and_comparisons_read_as_in_rules() -> None:
    assert literal_text(Atom("A", (X, Const(3)), T + 1)) == "A(X, 3, T+1)"
    assert literal_text(Negated("B", (X, None), T, "B(x, _, time)")) == "not B(X, _, T)"
    assert static_text(StaticAtom("S", (X, None), negated=True)) == "not S(X, _)"
    assert comparison_text(Comparison(Var("V"), ">=", Const(3))) == "V >= 3"
    assert (term_text(None), later("T", 2)) == ("_", "T+2")


def test_a_pattern_is_a_conjunction_with_first_ticks_that_are_not_plain_to_see() -> None:
    plain = pattern_of("static S(x). Q(X, T) :- A(X, T-3), S(X), not S(b), not B(X, T). query Q(X, T).")
    assert pattern_text(plain) == "S(X), A(X, T-3), not B(X, T), not S(b)"
    text = "P(X, T) :- A(X, T+3). Q(X, T) :- P(X, T-3). query Q(X, T)."
    assert pattern_text(pattern_of(text)) == "A(X, T), T >= 3"
