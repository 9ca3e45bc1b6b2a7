"""Answers that rest on no fact: when they are told, and that they have an explanation all the same."""

from __future__ import annotations

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
