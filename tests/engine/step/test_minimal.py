"""antelog/engine/step/explanations.py: derivations that ask for more than another are not reported."""

from __future__ import annotations

import pytest

from tests.engine.telling import reported

INPUTS = """input A(x, time) delay 1. input B(x, time) delay 1. input C(x, y, time) delay 1. input D(time).
    static S(x). S(a). """

# B(b, 1) comes and speaks for the first rule alone, so that no rule makes another needless by itself.
REPORTED: dict[str, tuple[str, str]] = {
    "fewer hypotheses make more of them needless": (
        "P(T) :- D(T), B(b, T), A(a, T+1).  P(T) :- D(T), A(a, T+1), B(a, T+1).",
        "B(b, 1), D(1) | A(a, 2)",
    ),
    "they are the same as they read, whatever their variables are called": (
        "P(T) :- D(T), B(b, T), C(X, Y, T+1).  P(T) :- D(T), C(Y, X, T+1), A(b, T+2).",
        "B(b, 1), D(1) | C(X, Y, 2)",
    ),
    "a value is another text than a variable": (
        "P(T) :- D(T), B(b, T), A(X, T+1).  P(T) :- D(T), A(a, T+1), B(a, T+1).",
        "B(b, 1), D(1) | A(X, 2) ; D(1) | A(a, 2), B(a, 2)",
    ),
    "conditions are part of the text": (
        "P(T) :- D(T), B(b, T), A(X, T+1), X != b.  P(T) :- D(T), A(X, T+1), B(a, T+1), not S(X).",
        "B(b, 1), D(1) | A(X, 2) where X != b ; D(1) | A(X, 2) where not S(X), B(a, 2)",
    ),
    "literals that share a variable are one thing": (
        "P(T) :- D(T), B(b, T), A(X, T+1), B(Y, T+1).  P(T) :- D(T), A(X, T+1), B(X, T+1).",
        "D(1) | A(X, 2), B(X, 2) ; B(b, 1), D(1) | A(X, 2), B(Y, 2)",
    ),
}


@pytest.mark.parametrize("name", REPORTED)
def test_what_is_reported(name: str) -> None:
    rules, expected = REPORTED[name]
    (line,) = reported(f"{INPUTS}{rules} query P(T).", [("D", 1, 1), ("B", "b", 1, 1)], 1)[1]
    assert line.startswith(f"possible P(1): {expected},")


def test_one_that_is_complete_makes_all_others_needless() -> None:
    rules = "P(T) :- D(T), B(b, T).  P(T) :- D(T), A(a, T+1)."
    lines = reported(f"{INPUTS}{rules} query P(T).", [("D", 1, 1), ("B", "b", 1, 2)], 2)
    assert lines[2] == ["confirmed P(1): B(b, 1), D(1) |"]


def test_of_equal_hypotheses_less_evidence_is_enough() -> None:
    """C(a, a) is both C of the second rule, which rests on B besides."""
    rules = "P(T) :- D(T), C(X, X, T), A(a, T+1).  P(T) :- D(T), C(X, Y, T), C(Y, X, T), B(Z, T), A(a, T+1)."
    facts = [("D", 1, 1), ("C", "a", "a", 1, 1), ("B", "b", 1, 1)]
    (line,) = reported(f"{INPUTS}{rules} query P(T).", facts, 1)[1]
    assert line.startswith("possible P(1): C(a, a, 1), D(1) | A(a, 2), ")
