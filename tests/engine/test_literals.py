"""The texts of literals in an explanation: each once, and in order."""

import pytest

from tests.engine.telling import told

INPUTS = "input A(x: text, v: number, time) delay 1. input B(x: text, v: number, time) delay 1. "


@pytest.mark.parametrize(
    "body",
    [
        "A(X, V, T), A(X, V, 5)",
        "A(X, V, T), A(X, V, U), U = 5",
        "A(X, V, T), A(X, 7, T)",
        "A(X, V, T), A(c, V, T)",
        "A(X, V, T), A(c, 7, 5)",
    ],
)
def test_two_literals_that_are_one_are_told_once(body: str) -> None:
    lines = told(f"{INPUTS}P(X, V, T) :- {body}. query P(X, V, T).", [("A", "c", 7, 5, 5)], 5)
    assert "confirmed P(c, 7, 5): A(c, 7, 5) |" in lines[5]


def test_texts_with_and_without_conditions_are_in_one_order() -> None:
    """Where one begins as another does, it comes first: conditions after none, longer ticks after shorter."""
    body = "A(a, V, T), B(X, V, T+9), B(X, W, T+9), B(X, W, T+10), W > V, W < 4, not C(X, 9), not C(X, T+9)"
    text = f"{INPUTS} input C(x: text, time) delay 9. P(X, T) :- {body}. query P(X, T)."
    (line,) = told(text, [("A", "a", 1, 0, 0)], 0)[0]
    assert line == (
        "possible P(_, 0): A(a, 1, 0) | B(X, 1, 9), B(X, W, 10) where W > 1, W < 4, "
        "B(X, W, 9) where W > 1, W < 4, not C(X, 9), rejected at 10, decided by 18"
    )


def test_conditions_on_an_open_value_and_known_ones() -> None:
    body = "A(a, V, T), A(X, W, T), B(X, U, T+1), U != V, U >= W + 2"
    text = f"{INPUTS}P(X, T) :- {body}. query P(X, T)."
    lines = told(text, [("A", "a", 1, 0, 0), ("A", "b", 12, 0, 0)], 0)[0]
    assert lines[1] == (
        "possible P(b, 0): A(a, 1, 0), A(b, 12, 0) | B(b, U, 1) where U != 1, U >= 14 ; "
        "A(b, 12, 0) | A(a, V, 0) where U != V, B(b, U, 1) where U != V, U >= 14, rejected at 2, decided by 2"
    )
