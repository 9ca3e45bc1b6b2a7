"""Answers that rest on more than one time, one idea to a test; `tests/two_times.py` draws such programs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.replay import compare, runnable
from tests.engine.telling import Fact, reported, reported_both_ways
from tests.strategies import Case

INPUTS = """
input A(x, time).
input B(x, time) delay 1.
input C(time).
query P2(X, T).
"""

REPORTED: dict[str, tuple[str, list[Fact], dict[int, list[str]]]] = {
    "a fact about another time is evidence while the answer's time is open": (
        "P1(X, T) :- A(X, T+2), not A(X, T-2).  P2(X, T) :- B(X, U), A(X, T+1), not P1(X, T+1).",
        [("B", "c", 1, 1)],
        {1: ["possible P2(c, _): B(c, 1) | A(c, T+1), not P1(c, T+1)"]},
    ),
    "each fact about another time makes an answer of its own": (
        "P2(a, T) :- C(T), C(U), U > T, U <= T+2.",
        [("C", 3, 3), ("C", 4, 4)],
        {
            3: ["possible P2(a, 3): C(3) | C(U) where U > 3, U <= 5, rejected at 5, decided by 5"],
            4: [
                "confirmed P2(a, 3): C(3), C(4) |",
                "possible P2(a, 4): C(4) | C(U) where U > 4, U <= 6, rejected at 6, decided by 6",
            ],
        },
    ),
    "a negation whose time is open waits until it has a value": (
        "P1(a, T) :- not P1(a, T-1).  P2(a, T) :- C(T), C(U), not P1(a, U), U <= T.",
        [("C", 3, 3), ("C", 4, 4)],
        {  # P1 is true at odd ticks, whatever comes
            4: [
                "confirmed P2(a, 4): C(4), not P1(a, 4) |",
                "possible P2(a, _): C(4), not P1(a, 4) | C(T) where 4 <= T",
            ]
        },
    ),
    "and is decided with the last tick it may be about": (
        "P1(a, T) :- A(a, T), not P1(a, T-1).  P2(a, T) :- C(T), B(a, U), not P1(a, U), U <= T, U >= T-1.",
        [("C", 3, 3), ("A", "a", 2, 2), ("B", "a", 3, 4)],
        {
            3: [
                (
                    "possible P2(a, 3): C(3) | B(a, U) where U <= 3, U >= 2, "
                    "not P1(a, U) where U <= 3, U >= 2, rejected at 4, decided by 4"
                )
            ],
            4: ["confirmed P2(a, 3): B(a, 3), C(3), not P1(a, 3) |"],
        },
    ),
}


@pytest.mark.parametrize("name", REPORTED)
def test_is_reported(name: str) -> None:
    rules, facts, expected = REPORTED[name]
    assert reported_both_ways(INPUTS + rules, facts, max(expected)) == expected


def test_an_answer_about_a_tick_to_come_is_reported_whatever_other_rules_there_are() -> None:
    text = "input A(time). input B(time). input C(time) delay 5. P(T) :- C(T-2), not A(T). "
    facts = [("C", 10, 10)]
    alone = reported(f"{text} query P(T).", facts, 12)
    assert "possible P(12): C(10) | not A(12), confirmed at 12, decided by 12" in alone[10]
    assert reported(f"{text} P(T) :- A(U), B(T). query P(T).", facts, 12) == alone


BETWEEN = (
    "Q(X, D, T) :- A(X, T), B(X, U), U > T, U <= T+3, D = U - T. query Q(X, D, T).",
    "Q(X, D, T) :- A(X, T), B(X, U), U >= T, U <= T+4, D = U - T, D >= 2, not A(X, U). query Q(X, D, T).",
    "Q(X, T) :- A(X, T), B(X, U), U >= T-2, U <= T+2, D = T - U, abs(D) != 1. query Q(X, T).",
    "P(X, D, T) :- A(X, T), B(X, U), U = T+1, D = U - T. Q(X, T) :- A(X, T), not P(X, 1, T). query Q(X, T).",
)
FACTS = st.tuples(st.sampled_from("AB"), st.sampled_from("ab"), st.integers(0, 6), st.integers(0, 1))


@pytest.mark.parametrize("rules", BETWEEN)
@given(facts=st.lists(FACTS, min_size=2, max_size=6))
def test_ticks_between_two_times(rules: str, facts: list[tuple[str, str, int, int]]) -> None:
    of_three = "B(X, D, U)" in rules
    rows = (
        (name, (x, *((late,) if of_three and name == "B" else ()), t), t + late) for name, x, t, late in facts
    )
    inputs = f"input A(x, time) delay 1. input B(x, {'d, ' if of_three else ''}time) delay 1. "
    case = Case(inputs + rules, tuple(sorted(rows, key=lambda row: row[2])), 12)
    assert runnable(case.checked) is not None
    compare(case)
