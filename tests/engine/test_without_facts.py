"""Answers that rest on no fact: when they are told, and that they have an explanation all the same."""

from __future__ import annotations

import pytest

import antelog
from tests.engine.telling import told, told_at_once

EMPTY: dict[str, list[str]] = {"evidence": [], "hypotheses": []}


def test_what_is_so_by_the_program_alone_has_an_empty_explanation() -> None:
    engine = antelog.Engine(antelog.parse("input A(x, time). P(a, 2). P(X, T) :- A(X, T). query P(X, T)."))
    rows = [row for now in range(4) for row in engine.advance(now)["P"].to_pylist()]
    assert [(row["tick"], row["change"], row["explanations"]) for row in rows] == [(2, "confirmed", [EMPTY])]


def test_it_is_told_beside_answers_with_facts() -> None:
    text = "input A(x, time) delay 1. P(a, 2). P(X, T) :- A(X, T), A(X, T+1). query P(X, T)."
    assert told(text, [("A", "b", 2, 2)], 4) == {
        2: ["confirmed P(a, 2): |", "possible P(b, 2): A(b, 2) | A(b, 3), rejected at 4, decided by 4"],
        4: ["rejected P(b, 2): A(b, 2) | A(b, 3), for want of A(b, 3)"],
    }


ODD = """
input A(c, time).
input B(c, time).
Odd(T) :- A(a, T+1), not Odd(T-1), T > 0.
query P(X, T).
"""


@pytest.mark.parametrize("now", [0, 5, 40])
@pytest.mark.parametrize(
    "rule",
    [
        "P(a, T) :- A(a, T), Odd(U).",
        "P(X, T) :- B(X, T), A(a, U), not Odd(U-2).",
        "P(X, T) :- B(X, T), A(a, U), not Odd(U-2), U < T + 20.",
    ],
)
def test_what_evidence_may_wait_for_for_good_has_no_end_ahead(rule: str, now: int) -> None:
    engine = antelog.Engine(antelog.parse(ODD + rule))
    engine.advance(now)
    (row,) = (row for row in engine.answers("P").to_pylist() if row["T"] is None)
    assert row["if_silent"] is None
    later = engine.advance(now + 60)["P"].to_pylist()
    assert not any(row["change"] in ("confirmed", "rejected") for row in later if row["T"] is None)


@pytest.mark.parametrize("now", [0, 5, 40])
def test_what_evidence_may_wait_for_until_a_tick_ends_then(now: int) -> None:
    rule = "P(X, T) :- B(X, T), A(a, U), not Odd(U-2), U < T + 20."
    engine = antelog.Engine(antelog.parse(ODD + rule))
    engine.advance(now, {"B": [("b", now)]})
    (row,) = (row for row in engine.answers("P").to_pylist() if row["T"] is not None)
    assert row["if_silent"] == {"change": "rejected", "tick": now + 19}
    assert ends(engine, now + 60) == [("rejected", now + 19)]


def ends(engine: antelog.Engine, until: int) -> list[tuple[str, int]]:
    log = engine.advance(until)["P"].to_pylist()
    return [(row["change"], row["tick"]) for row in log if row["change"] in ("confirmed", "rejected")]


def test_facts_may_speak_for_what_the_clock_alone_calls_for_later() -> None:
    """The second rule asks for more than the first, but it is heard a tick earlier."""
    text = "input A(time). input R(time). P(T) :- not R(T). P(T) :- A(T-1), not R(T). query P(T)."
    assert told(text, [("A", 1, 1)], 2) == {
        0: ["confirmed P(0): not R(0) |"],
        1: ["confirmed P(1): not R(1) |", "possible P(2): A(1) | not R(2), confirmed at 2, decided by 2"],
        2: ["confirmed P(2): not R(2) |"],
    }


def test_what_the_clock_would_have_called_for_counts_until_a_fact_forbids_it() -> None:
    """At tick 0 the first rule speaks for P(2), if nothing comes. That A(a, 1) comes is not known yet."""
    text = """input A(x: text, time). input C(time). P(T+1) :- not A(_, T). P(T+1) :- C(T+1), A(X, T-1).
        query P(T)."""
    facts = [("A", "a", tick, tick) for tick in range(6)]
    lines = [line for found in told(text, facts, 5).values() for line in found]
    assert lines[0] == "possible P(2): A(a, 0) | C(2), confirmed at 2, decided by 2"
    assert told_at_once(text, facts, 5) == lines


def test_what_rules_say_of_one_tick_makes_more_evidence_needless() -> None:
    """P(b, 3) is so by the rules, and Q(2) waits for A(a, 4) alone: nothing is known of it yet."""
    text = """input A(x, time) delay 2. input B(x, time). static Site(x: text). Site(b).
        P(Y, T) :- Site(Y), not B(a, T).  P(b, 3).  Q(T) :- A(a, T+2), P(Y, T+1).  query Q(T)."""
    lines = [line for found in told(text, [("B", "c", 1, 1)], 5).values() for line in found]
    assert any(line.startswith("possible Q(1)") for line in lines)
    assert not any("Q(2)" in line for line in lines)
