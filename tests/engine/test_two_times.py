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
    "what is looked at by the clock has exceptions": (
        "P1(X, T) :- Site(X), not A(X, T).  P2(a, T) :- B(X, U), not P1(X, T).",
        [("A", "a", 1, 1)],
        {
            0: ["possible P2(a, 0): not P1(X2, 0) | B(X2, U) but X2=a"],
            1: ["possible P2(a, 1): not P1(X2, 1) | B(X2, U) but X2=a ; not P1(a, 1) | B(a, U)"],
        },
    ),
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
    "a time under negation may begin before zero": (
        "P1(X, T) :- A(X, T).  P2(a, T) :- C(T), not P1(a, U+1), U < T-1.",
        [("C", 1, 1)],
        {
            0: ["possible P2(a, _): not P1(a, 0) | C(T) where -1 < T-1"],
            1: [
                "confirmed P2(a, 1): C(1), not P1(a, 0) |",
                "revised P2(a, _): not P1(a, 0) | C(T) where -1 < T-1 ; not P1(a, 1) | C(T) where 0 < T-1",
            ],
        },
    ),
    "what is said of all times is not said of each": (
        "P1(X, T) :- Site(X), A(X, T).  P2(X, T) :- B(X, T), not P1(X, U), X != a.",
        [("B", "b", 1, 1)],
        {
            0: ["possible P2(_, _): not P1(X, U) where X != a | B(X, T) where X != a"],
            1: ["confirmed P2(b, 1): B(b, 1), not P1(b, U) |"],
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


def test_what_one_literal_says_twice_is_told() -> None:
    # P1(b, 0) is both of the negated atoms where U is -1, and that needs less than any other U.
    rules = "P1(a, T) :- C(T+1).  P2(Y, T+2) :- A(Y, T-1), B(X, T), not P1(X, T-2), not P1(Y, U+1)."
    facts: list[Fact] = [("A", "b", 1, 1), ("B", "b", 2, 2)]
    assert "confirmed P2(b, 4): A(b, 1), B(b, 2), not P1(b, 0) |" in told(INPUTS + rules, facts, 2)[2]


def test_what_ends_at_any_other_time_too_has_an_end_ahead() -> None:
    rules = "P1(X, T) :- Site(X), not A(X, T).  P2(a, T) :- A(Y, T), not P1(Y, U), not P2(a, T-4)."
    lines = told(INPUTS + rules, [], 1)[1]
    assert [line.rpartition(", ")[2] for line in lines if "P2(a, 5)" in line] == ["rejected at 5"]


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
        (
            "input D(x, y, time).  P2(Y, T) :- D(X, Y, U), not A(Y, T), not P2(X, T-4), X < Y.",
            "compares it by order",
        ),
    ],
)
def test_what_cannot_be_run_is_refused(rules: str, reason: str) -> None:
    with pytest.raises(UnsupportedError, match=reason):
        antelog.Engine(antelog.parse(INPUTS + rules))


def test_what_is_false_because_of_another_time_is_looked_at_as_early() -> None:
    """At tick 3 there is no U up to 4 left for P2(a, 4), which A(a, 4) may still come for."""
    text = """input A(x: text, time). input C(time). static Site(x: text). Site(a). Site(b).
        P1(a, T) :- A(a, T), not A(X, T-2).  P1(X, T) :- Site(X), not A(X, T-2).
        P2(Y, T) :- C(U), A(Y, T), not P1(a, U), not P2(a, T-4), U <= T.  query P2(X, T)."""
    lines = told(text, [("A", "a", 1, 1), ("A", "b", 2, 2)], 3)
    assert any(line.startswith("possible P2(_, 8)") for line in lines[3])


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


def test_what_a_later_fact_names_is_needless_as_before() -> None:
    """A(a, 2) names a for U = 2, and what that says is needless, since U = 0 asks for B(a, a, 2) alone."""
    text = """input A(x: text, time). input B(x: text, y: text, time) delay 2. input C(time).
        P(T) :- C(T-1), B(Y, Y, T), not A(Y, U), U < T+2.  query P(T)."""
    facts = [("C", 1, 1), ("A", "a", 3, 3)]
    lines = told(text, facts, 4)
    assert told_at_once(text, facts, 4) == [line for found in lines.values() for line in found]


def test_what_is_told_of_a_contradiction_is_in_the_snapshot() -> None:
    """No fact makes this rule true, as it negates what it asks for; until that is decided it is open."""
    text = """input A(x: text, time) delay 1. input C(time) delay 2.
        P(T) :- A(a, T-1), A(X, T), C(T), not A(X, T), not A(a, U), U+1 >= T-1.  query P(T)."""
    engine = antelog.Engine(antelog.parse(text))
    for now in range(6):
        (told_last,) = engine.advance(now)["P"].to_pylist() or [None]
        told_now = [row["explanations"] for row in engine.answers("P").to_pylist()]
        assert told_last is None or told_now == [told_last["explanations"]]


def test_an_answer_about_a_tick_to_come_is_told_whatever_other_rules_there_are() -> None:
    text = "input A(time). input B(time). input C(time) delay 5. P(T) :- C(T-2), not A(T). "
    facts = [("C", 10, 10)]
    alone = told(f"{text} query P(T).", facts, 12)
    assert "possible P(12): C(10) | not A(12), confirmed at 12, decided by 12" in alone[10]
    assert told(f"{text} P(T) :- A(U), B(T). query P(T).", facts, 12) == alone


def test_a_row_speaks_for_none_before_facts_have_given_its_values() -> None:
    """That A(c, 8) comes at 9 does not tell P1(a, 0) from others at 6: all of these are false."""
    text = """input A(x: text, time) delay 1.  P1(a, T) :- A(a, T-1).
        P2(T) :- A(Y, T+1), A(Y, U+2), not P1(X, U).  query P2(T)."""
    facts = [("A", "c", 2, 2), ("A", "c", 8, 9)]
    lines = [line for found in told(text, facts, 10).values() for line in found]
    assert told_at_once(text, facts, 10) == lines


def test_a_value_named_for_another_fact_is_told_by_itself_only_where_it_differs() -> None:
    """B(c, b, 11) names b, but for c: of A(a, 6) all that is said of b is said of any Y."""
    text = """input A(x: text, time). input B(x: text, y: text, time) delay 2. input C(time).
        P1(a, T) :- A(a, T).  P2(T) :- C(T+2), A(X, U), not P1(Y, T+2), not B(X, Y, T+2).  query P2(T)."""
    facts = [("A", "a", 6, 6), ("B", "c", "b", 11, 13)]
    lines = [line for found in told(text, facts, 15).values() for line in found]
    assert told_at_once(text, facts, 15) == lines


def test_exceptions_through_time_do_not_depend_on_cuts() -> None:
    """That P2(a, 5) was open until 9 shows as long as an answer is open that rests on it."""
    text = """input A(x: text, time). input B(x: text, y: text, time) delay 1. static Site(x: text).
        Site(a). Site(b).  P1(X, T) :- Site(X), not B(a, a, T+1), not P1(a, T-1).
        P1(a, T) :- A(a, T), not A(X, T+2).
        P2(Y, T-1) :- B(X, Y, U+2), A(Y, T+2), not P1(Y, U+2), not A(Y, T-2), not P2(X, T-4), U <= T.
        query P2(X, T)."""
    facts = [
        *(("A", "a", 8, 8), ("A", "a", 9, 9), ("A", "b", 14, 14), ("B", "a", "c", 8, 9)),
        *(("B", "a", "c", 12, 12), ("B", "b", "b", 13, 15), ("B", "c", "c", 14, 15), ("B", "a", "a", 14, 15)),
    ]
    lines = [line for found in told(text, facts, 16).values() for line in found]
    assert told_at_once(text, facts, 16) == lines
