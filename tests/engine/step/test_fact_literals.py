"""antelog/engine/step/literals.py: by when a fact must have come, with delays for values, and slots."""

from __future__ import annotations

import pytest

from tests.engine.telling import reported

INPUTS = "input A(time). input B(x: text, y: text, time) delay 1. query P(X, T). "


@pytest.mark.parametrize(
    ("rules", "deadline"),
    [
        ("delay B(a, b, _) = 3. P(X, T) :- A(T), B(X, b, T).", 4),
        ("delay B(a, b, _) = 3. P(X, T) :- A(T), B(X, c, T).", 2),
        # What a comparison says of an open value is not looked at.
        ("delay B(a, b, _) = 3. P(X, T) :- A(T), B(X, Y, T), X != a.", 4),
        # One value cannot be two.
        ("delay B(a, b, _) = 3. P(X, T) :- A(T), B(X, X, T).", 2),
        ("delay B(b, b, _) = 3. P(X, T) :- A(T), B(X, X, T).", 4),
        # What is declared for more values decides, for those that are known and for those that are not.
        ("delay B(a, _, _) = 3. delay B(a, b, _) = 0. P(X, T) :- A(T), B(X, b, T).", 2),
        ("delay B(a, _, _) = 3. delay B(a, b, _) = 0. P(X, T) :- A(T), B(X, c, T).", 4),
        ("delay B(_, b, _) = 0. delay B(a, b, _) = 3. P(X, T) :- A(T), B(X, b, T).", 4),
        ("delay B(_, b, _) = 0. delay B(_, c, _) = 3. P(X, T) :- A(T), B(X, b, T).", 1),
    ],
)
def test_deadline_of_an_open_value(rules: str, deadline: int) -> None:
    lines = reported(INPUTS + rules, [("A", 1, 1)], 5)
    ends = [
        now for now, found in lines.items() for line in found if line.startswith(("rejected", "possible"))
    ]
    assert ends == [1, deadline] if deadline > 1 else not lines


def test_literals_with_open_values_have_deadlines_of_their_own() -> None:
    """B(b, a, 1) may come at 4, though R(a, 1), which it needs, then is late: each is looked at alone."""
    text = """input A(time). input B(x: text, y: text, time) delay 1. input R(y: text, time) delay 4.
        delay B(_, a, _) = 3. delay R(a, _) = 0. P(Y, T) :- A(T), B(X, Y, T), R(Y, T). query P(Y, T)."""
    assert reported(text, [("A", 1, 1)], 6) == {
        1: ["possible P(_, 1): A(1) | B(X, Y, 1), R(Y, 1), rejected at 4, decided by 5"],
        4: ["rejected P(_, 1): A(1) | B(X, Y, 1), R(Y, 1), because B(X, Y, 1)"],
    }
