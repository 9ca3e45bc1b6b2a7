"""Negation in answers that rest on more than one time, one mistake to a test; see `tests/two_times.py`."""

from __future__ import annotations

import pytest

import antelog
from antelog.errors import UnsupportedError
from tests.engine.telling import Fact, told, told_at_once

INPUTS = """
input A(x, time).
input B(x, time) delay 1.
input C(time).
static Site(x).
Site(a).
query P2(X, T).
"""

TOLD: dict[str, tuple[str, list[Fact], dict[int, list[str]]]] = {
    "a fact about another time is evidence while the answer's time is open": (
        "P1(X, T) :- A(X, T+2), not A(X, T-2).  P2(X, T) :- B(X, U), A(X, T+1), not P1(X, T+1).",
        [("B", "c", 1, 1)],
        {
            0: ["possible P2(_, 0): not P1(X, 1) | A(X, 1), B(X, U), rejected at 1"],
            1: [
                "rejected P2(_, 0): not P1(X, 1) | A(X, 1), B(X, U), for want of A(X, 1)",
                "possible P2(c, _): B(c, 1) | A(c, T+1), not P1(c, T+1)",
            ],
        },
    ),
}


@pytest.mark.parametrize("name", TOLD)
def test_is_told(name: str) -> None:
    rules, facts, expected = TOLD[name]
    until = max(expected)
    assert told(INPUTS + rules, facts, until) == expected
    assert told_at_once(INPUTS + rules, facts, until) == [
        line for lines in expected.values() for line in lines
    ]


def test_a_value_told_apart_has_all_its_explanations() -> None:
    # That of the second rule is the same for all values, but only a is not confirmed yet.
    rules = "P2(X, T+1) :- not R(X, T+2).  P2(Y, T-2) :- C(T+1), C(T), R(Y, T-1)."
    inputs = "input R(x: text, time). delay R(a, _) = 2. input C(time) delay 1. query P2(X, T). "
    lines = told(inputs + rules, [("C", 2, 2)], 2)[2]
    expected = "revised P2(a, 0): | not R(a, 1) ; C(2) | C(3), R(a, 1), confirmed at 3, decided by 4"
    assert [line for line in lines if "P2(a, 0)" in line] == [expected]


@pytest.mark.parametrize(
    ("rules", "reason"),
    [
        ("P1(a, T) :- not P1(a, T-1).  P2(X, T) :- A(X, T), not P1(X, T-1).", "certain for ever"),
        ("P1(a, T) :- not P1(a, T-1).  P2(a, T) :- C(T), C(U), not P1(a, U).", "certain for ever"),
        (  # P2 is false at every second tick for good, for P1 never holds
            """P1(X, T) :- A(X, T), T < 0.  Q(X, T) :- not P1(X, T), not P2(_, T-1).
            P2(X, T) :- B(X, T), not P1(X, T), not Q(a, T-1).""",
            "certain for ever",
        ),
        (  # and so for all values but a
            """P1(X, T) :- A(X, T), T < 0.  R(a, T) :- A(a, T).  Q(X, T) :- not R(X, T), not P2(X, T-1).
            P2(X, T) :- B(X, T), not P1(X, T), not Q(X, T-1).""",
            "certain for ever",
        ),
        (  # R never holds either, for S does at all ticks
            """P1(X, T) :- A(X, T), T < 0.  S(X, T) :- Site(X), not P1(X, T).
            R(X, T) :- A(X, T), not S(X, T).  Q(T) :- not R(a, T), not P2(_, T-1).
            P2(X, T) :- B(X, T), not P1(X, T), not Q(T-1).""",
            "certain for ever",
        ),
    ],
)
def test_what_cannot_be_run_is_refused(rules: str, reason: str) -> None:
    with pytest.raises(UnsupportedError, match=reason):
        antelog.Engine(antelog.parse(INPUTS + rules))


def test_what_is_false_at_all_ticks_that_a_time_can_be_is_certain_ahead() -> None:
    """From A on, Q is true for two ticks more; C would have to come at another tick than these."""
    text = """input A(time). input B(x: text, time) delay 1. input C(time). input D(time) delay 2.
        Q(T) :- not A(T-2).  P(T) :- D(T), C(U), not Q(U), U <= T.  R(X, T) :- B(X, T), not P(T).
        query R(X, T)."""
    lines = told(text, [("C", 2, 2), ("A", 9, 9)], 11)
    assert [line.split(")")[0] for line in lines[8] if line.startswith("possible")] == ["possible R(_, 10"]
    assert not any(line.startswith("possible") for line in [*lines[9], *lines[10]])


def test_an_open_time_of_an_answer_says_where_it_begins() -> None:
    """P1(X, T-1) is of no tick before 0, so T is 1 or more, which no literal that is left says."""
    text = """input A(y: text, time). input C(x: text, time). P1(X, T) :- C(X, T+2).
        P2(X, T) :- P1(X, T-1), C(Y, U), A(Y, U), U <= 3.  query P2(X, T)."""
    lines = told(text, [("A", "a", 1, 1), ("C", "a", 1, 1), ("C", "b", 0, 0)], 1)
    assert any(line.startswith("possible P2(_, _)") and "T >= 1" in line for line in lines[1])


def test_an_answer_about_a_tick_to_come_is_told_whatever_other_rules_there_are() -> None:
    text = "input A(time). input B(time). input C(time) delay 5. P(T) :- C(T-2), not A(T). "
    facts = [("C", 10, 10)]
    alone = told(f"{text} query P(T).", facts, 12)
    assert "possible P(12): C(10) | not A(12), confirmed at 12, decided by 12" in alone[10]
    assert told(f"{text} P(T) :- A(U), B(T). query P(T).", facts, 12) == alone
