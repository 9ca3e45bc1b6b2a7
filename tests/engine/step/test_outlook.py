"""antelog/engine/step/lines.py: what becomes of an open answer in silence, and when it is decided."""

from __future__ import annotations

import pytest

from tests.engine.telling import Fact, reported

INPUTS = "input A(x, time) delay 1. input B(x, time) delay 3. static S(x). S(a). "

OPEN: dict[str, tuple[str, list[Fact], str]] = {
    "it ends when the first fact it waits for is due": (
        "P(X, T) :- A(X, T), A(X, T+1), B(X, T).",
        [("A", "a", 1, 1)],
        "rejected at 3, decided by 4",
    ),
    "of two explanations with the last that is left": (
        "P(X, T) :- A(X, T), A(X, T+1).  P(X, T) :- A(X, T), B(X, T+1).",
        [("A", "a", 1, 1)],
        "rejected at 5, decided by 5",
    ),
    "an absence is confirmed": (
        "P(X, T) :- A(X, T), not B(X, T).",
        [("A", "a", 1, 1)],
        "confirmed at 4, decided by 4",
    ),
    "what is negated may be due sooner than that is decided": (
        "Both(X, T) :- A(X, T+1), B(X, T+2).  P(X, T) :- A(X, T), not Both(X, T).",
        [("A", "a", 1, 1)],
        "confirmed at 3, decided by 6",
    ),
    "nothing bounds it": ("P(X, T) :- A(X, T), B(X, U).", [("A", "a", 1, 1)], ""),
}


@pytest.mark.parametrize("name", OPEN)
def test_what_is_known_ahead(name: str) -> None:
    rules, facts, expected = OPEN[name]
    lines = reported(f"{INPUTS}{rules} query P(X, T).", facts, 1)[1]
    (line,) = (line for line in lines if line.startswith("possible P(a, 1)"))
    _, _, ahead = line.partition(" | ")
    assert ahead.endswith(expected)
    assert ("decided" in ahead) == bool(expected)
