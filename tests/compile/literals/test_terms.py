"""antelog/compile/literals/terms.py: how terms read, and which variables are in them."""

from __future__ import annotations

import pytest

from antelog.compile.literals.terms import (
    Const,
    Operand,
    Sum,
    Time,
    Var,
    call_parts,
    later,
    operand_text,
    shifted,
    term_text,
    variables_in,
)

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


def test_gaps_and_later_times() -> None:
    assert (term_text(None), later("T", 2)) == ("_", "T+2")


def test_the_parts_of_a_call_are_texts_and_operands_in_turn() -> None:
    assert call_parts("P", (X, None, Const(2), T + 1)) == (
        "P(",
        X,
        ", ",
        "_",
        ", ",
        Const(2),
        ", ",
        T + 1,
        ")",
    )
    assert call_parts("P", ()) == ("P(", ")")


def test_variables_of_terms() -> None:
    assert variables_in((X, None, Const(2), Sum("V", 1), Time(None, 2), T)) == {"X", "V", "T"}


def test_the_sides_of_comparisons_of_values_taken_apart() -> None:
    assert [shifted(each) for each in (X, Const("a"), Sum("V", 0.5))] == [
        (X, 0),
        (Const("a"), 0),
        (Var("V"), 0.5),
    ]
    assert shifted(T) is None
