"""Which explanations another makes needless, by what is asked of the values they leave open."""

import pytest

from tests.engine.telling import told, told_at_once

INPUTS = (
    "input R(x: text, v: number, time) delay 1. input B(x: text, y: text, time) delay 1. "
    "input C(time) delay 1. static Site(x: text). Site(a). static Link(x: text, y: text). Link(a, b). "
)

# Rules of which the first is for some values, and the second needs one more fact C.
COVERED = [
    ("R(X, V, T+1), V >= 90", "R(X, V, T+1), V >= 95"),
    ("R(X, V, T+1), V >= 90", "R(X, 95, T+1)"),
    ("R(X, V, T+1), V >= 90", "R(X, V, T+1), V > W, R(a, W, T+1), W >= 90"),
    ("R(X, V, T+1), X != b", "R(a, V, T+1)"),
    ("B(X, Y, T+1), X < Y", "B(a, b, T+1)"),
    ("B(X, Y, T+1), X != Y", "B(Z, Y, T+1), Y != Z"),
    ("R(X, V, T+1), R(Y, W, T+1), W > V + 1", "R(a, 3, T+1), R(b, 5, T+1)"),
    ("R(X, V, T+1), R(Y, W, T+1), W > V + 1", "R(a, V, T+1), R(b, W, T+1), V < W - 1"),
    ("R(X, V, T+1), not Site(X)", "R(b, V, T+1)"),
    ("R(X, V, T+1), not Site(X)", "R(Y, 5, T+1), not Site(Y)"),
    ("B(X, Y, T+1), not Link(X, Y)", "B(b, a, T+1)"),
    ("B(X, X, T+1)", "B(a, a, T+1)"),
    ("B(X, Y, T+1), B(Y, Z, T+1), X != Z", "B(a, b, T+1), B(b, c, T+1)"),
]
NOT_COVERED = [
    ("R(X, V, T+1), V >= 90", "R(X, V, T+1), V >= 85"),
    ("R(X, V, T+1), V >= 90", "R(X, 85, T+1)"),
    ("R(X, V, T+1), X != a", "R(a, V, T+1)"),
    ("B(X, Y, T+1), X < Y", "B(b, a, T+1)"),
    ("B(X, Y, T+1), X != Y", "B(Z, Y, T+1)"),
    ("R(X, V, T+1), R(Y, W, T+1), W > V + 1", "R(a, 3, T+1), R(b, 4, T+1)"),
    ("R(X, V, T+1), not Site(X)", "R(a, V, T+1)"),
    ("R(X, V, T+1), not Site(X)", "R(Y, 5, T+1)"),
    ("B(X, Y, T+1), not Link(X, Y)", "B(a, b, T+1)"),
    ("B(X, X, T+1)", "B(a, b, T+1)"),
    ("B(X, Y, T+1), B(Y, Z, T+1), X != Z", "B(a, b, T+1), B(b, a, T+1)"),
]


def explanations(general: str, special: str) -> int:
    """How many are told of P(3) once a fact has come that both rules need."""
    text = f"{INPUTS}P(T) :- C(T), {general}. P(T) :- C(T), C(T+2), {special}. query P(T)."
    (line,) = (line for line in told(text, [("C", 3, 3)], 3)[3] if line.startswith("possible P(3)"))
    return line.count(" | ")


@pytest.mark.parametrize(("general", "special"), COVERED)
def test_what_asks_for_more_than_another_is_needless(general: str, special: str) -> None:
    assert explanations(general, special) == 1


@pytest.mark.parametrize(("general", "special"), NOT_COVERED)
def test_what_may_be_met_where_another_is_not_is_told(general: str, special: str) -> None:
    assert explanations(general, special) == 2


def test_an_answer_left_open_is_needless_if_another_asks_for_less_of_it() -> None:
    """Whatever X is, B(X, X, 2) is asked for besides A(X, 2) by the first rule alone."""
    inputs = INPUTS.replace("input C", "input A(x: text, time). input C")
    rules = "P(X, T) :- C(T), B(X, X, 2), A(X, 2). P(X, T) :- A(X, T+1). query P(X, T)."
    lines = told(f"{inputs}{rules}", [("C", 0, 1), ("C", 1, 1)], 1)
    assert lines == {1: ["possible P(_, 0): C(0) | A(X, 2), B(X, X, 2), rejected at 2, decided by 3"]}


# The second rule asks for less, for all values of Y but those B has named.
GIVEN_VALUES = """input A(x: text, time) delay 2. input B(x: text, time) delay 1. input C(time).
P(T) :- A(Y, U), not B(Y, U), A(Y, T), not C(T).
P(T) :- A(Y, T), not B(Y, T), not C(T).
query P(T)."""


def test_what_is_said_of_all_values_makes_more_needless_for_a_value_that_is_no_exception() -> None:
    (line,) = (line for line in told(GIVEN_VALUES, [("A", "c", 1, 1)], 1)[1] if "P(0)" in line)
    assert line == "revised P(0): not B(Y, 0), not C(0) | A(Y, 0), rejected at 2, decided by 2"


def test_for_an_exception_it_does_not() -> None:
    facts = [("A", "c", 1, 1), ("B", "c", 0, 1)]
    (line,) = (line for line in told(GIVEN_VALUES, facts, 1)[1] if "P(0)" in line)
    assert "A(c, 1), not C(0) | A(c, 0), not B(c, 1)" in line


def test_nor_is_it_told_where_a_later_fact_names_the_value() -> None:
    facts = [("A", "c", 1, 2)]
    assert told_at_once(GIVEN_VALUES, facts, 2) == [
        line for lines in told(GIVEN_VALUES, facts, 2).values() for line in lines
    ]
