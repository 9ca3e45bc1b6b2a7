"""Answers that rest on no fact: when they are told, and that they have an explanation all the same."""

from __future__ import annotations

import pyarrow as pa
import pytest

import antelog
from tests.engine.telling import told

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


@pytest.mark.xfail(strict=True, reason="the outlook sees no derivation about later ticks than were looked at")
def test_what_evidence_may_wait_for_for_good_has_no_end_ahead() -> None:
    text = """
    input A(c, time).
    Odd(T) :- A(a, T+1), not Odd(T-1), T > 0.
    P(a, T) :- A(a, T), Odd(U).
    query P(X, T).
    """
    engine = antelog.Engine(antelog.parse(text))
    engine.advance(0)
    (row,) = engine.answers("P").to_pylist()
    silent = row["if_silent"]
    assert silent is None or any(silent["tick"] == end for end in ends(engine.advance(99)["P"]))


def ends(log: pa.Table) -> list[int]:
    return [row["tick"] for row in log.to_pylist() if row["change"] in ("confirmed", "rejected")]
