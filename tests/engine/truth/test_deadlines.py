"""By when a fact must have arrived where delays are declared for values, and a literal leaves values open."""

from __future__ import annotations

import pytest

from tests.engine.telling import told

INPUTS = "input A(time). input B(x: text, y: text, time) delay 1. query P(X, T). "


@pytest.mark.parametrize(
    ("rules", "deadline"),
    [
        ("delay B(a, b, _) = 3. P(X, T) :- A(T), B(X, b, T).", 4),
        ("delay B(a, b, _) = 3. P(X, T) :- A(T), B(X, c, T).", 2),
        ("delay B(a, b, _) = 3. P(X, T) :- A(T), B(X, Y, T), X != a.", 2),
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
    lines = told(INPUTS + rules, [("A", 1, 1)], 5)
    ends = [
        now for now, found in lines.items() for line in found if line.startswith(("rejected", "possible"))
    ]
    assert ends == [1, deadline] if deadline > 1 else not lines


@pytest.mark.parametrize(
    ("delays", "deadline"),
    [
        # B(_, a, 1) is awaited until 4, but then R(a, 1) is not any more; the others until 2.
        ("delay B(_, a, _) = 3. delay R(a, _) = 0.", 2),
        ("delay B(_, a, _) = 3. delay R(a, _) = 2.", 3),
        ("delay B(_, a, _) = 3. delay R(b, _) = 0.", 4),
        ("delay B(_, a, _) = 0. delay R(b, _) = 0.", 2),
        ("delay B(a, a, _) = 3. delay B(b, a, _) = 0. delay R(a, _) = 2.", 3),
    ],
)
def test_deadline_of_a_value_that_two_literals_share(delays: str, deadline: int) -> None:
    text = f"{INPUTS} input R(y: text, time) delay 4. {delays} P(Y, T) :- A(T), B(X, Y, T), R(Y, T)."
    assert list(told(text.replace("P(X", "P(Y", 1), [("A", 1, 1)], 6)) == [1, deadline]
