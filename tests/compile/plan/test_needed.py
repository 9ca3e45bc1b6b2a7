"""antelog/compile/plan/bounds.py: how far back the facts lie that may still matter."""

from __future__ import annotations

import pytest

from tests.compile.plans import rules_of


@pytest.mark.parametrize(
    ("text", "needed"),
    [
        ("input A(x, time). Q(X, T) :- A(X, T). query Q(X, T).", {"A": -1}),
        # P about T is decided at T + 2, and rests on the A of three ticks before.
        (
            "input A(time) delay 2. input B(time) delay 2. P(T) :- A(T-3), B(T). query P(T).",
            {"A": -6, "B": -3},
        ),
        # through a negation as well
        (
            """input A(x, time). input B(x, time) delay 1. C(X, T) :- B(X, T-4).
                Q(X, T) :- A(X, T), not C(X, T). query Q(X, T).""",
            {"A": -1, "B": -5},
        ),
        # Any B will do, however old.
        ("input A(x, time). input B(x, time). Q(X, T) :- A(X, T), B(X, U). query Q(X, T).", None),
        # What holds a slot matters until no other fact can claim it: a slow one may, until 9 ticks later.
        (
            """input A(x, y, time) delay 9, one per y. delay A(fast, _, _) = 0.
                Q(Y, T) :- A(fast, Y, T). query Q(Y, T).""",
            {"A": -9},
        ),
    ],
)
def test_counted_from_now(text: str, needed: dict[str, int] | None) -> None:
    found = rules_of(text).needed
    assert found == (dict.fromkeys(found) if needed is None else needed)


def test_how_far_before_its_own_time_the_facts_of_an_atom_lie() -> None:
    text = "input A(x, time). Q(X, T) :- A(X, T-3), not P(X, T-1). P(X, T) :- A(X, T-5). query Q(X, T)."
    assert rules_of(text).reaches["Q"] == 6
    loop = "input A(x, time). Q(X, T) :- A(X, T), not Q(X, T-1). query Q(X, T)."
    assert rules_of(loop).reaches["Q"] is None
