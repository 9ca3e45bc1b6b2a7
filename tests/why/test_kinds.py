"""Tests of antelog/why on each kind of literal: true, awaited and failed, with the reason in words."""

from __future__ import annotations

import json
from typing import Any

import pytest

import antelog
from antelog.compile.literals import Negation
from antelog.why import why

READINGS = [
    {"d": "wt2", "v": 88, "time": 3},
    {"d": "wt2", "v": 12, "time": 4},
    {"d": "wt3", "v": 95, "time": 3},
]


def told(rules: str, facts: dict[str, list[dict[str, Any]]], atom: str, at: int | None = None) -> str:
    return str(why(antelog.parse(rules, name="r.alog"), facts, atom, at))


def test_a_comparison_has_both_values() -> None:
    rules = "input R(d, v: number, time) delay 2. Hot(X, T) :- R(X, V, T), V >= 90. query Hot(X, T)."
    found = told(rules, {"R": READINGS}, "Hot(wt2, 3)")
    assert "● R(wt2, 88, 3)" in found
    assert "✗ V >= 90   88 >= 90" in found
    assert "● V >= 90   95 >= 90" in told(rules, {"R": READINGS}, "Hot(wt3, 3)")
    assert "○ R(wt2, V, 5) where V >= 90   may come until tick 7" in told(
        rules, {"R": READINGS}, "Hot(wt2, 5)", 5
    )


def test_what_takes_the_slot_is_named() -> None:
    rules = "input R(d, v: number, time) delay 2, one per d. Hot(X, T) :- R(X, 99, T). query Hot(X, T)."
    facts = [*READINGS, {"d": "wt2", "v": 99, "time": 3}]
    found = told(rules, {"R": facts}, "Hot(wt2, 3)")
    assert "R(wt2, 99, 3)   conflicting, set aside: another fact of this d and tick came first" in found
    assert "R(wt2, 88, 3)   takes its place: one per d" in found


def test_a_fact_at_another_time_does_not_fit() -> None:
    rules = """
        input A(x, time). input B(x, time) delay 3.
        S(X, T) :- A(X, T), B(X, U), U > T, U <= T+2.
        query S(X, T).
    """
    found = told(rules, {"A": [{"x": "a", "time": 1}], "B": [{"x": "a", "time": 5}]}, "S(a, 1)")
    assert "✗ B(a, U) where U <= 3, U > 1   no such fact came; certain since tick 6" in found
    assert "B(a, 5)   does not fit the conditions" in found


def test_recursion_is_followed_within_its_window() -> None:
    rules = """
        input A(x, time). input C(x, time).
        S(X, T) :- A(X, T).
        S(X, T) :- S(X, T-1), not C(X, T).
        query S(X, T) window 5.
    """
    facts = {"A": [{"x": "a", "time": 1}], "C": [{"x": "a", "time": 3}]}
    assert "S(a, 2) is confirmed since tick 2" in told(rules, facts, "S(a, 2)")
    found = told(rules, facts, "S(a, 4)")
    assert "✗ not C(a, 3)   there is such a fact" in found
    assert "by its window, evidence lies from tick 0 to tick 4" in found


def test_aggregates_have_what_they_come_from() -> None:
    rules = """
        input Fail(x, e, time).
        Bad(X, T) :- Fail(X, _, T), count(Fail(X, _, T-3..T)) >= 3.
        query Bad(X, T).
    """
    facts = {"Fail": [{"x": "a", "e": e, "time": t} for e, t in (("e1", 0), ("e2", 2), ("e3", 3), ("e4", 4))]}
    found = told(rules, facts, "Bad(a, 3)")
    assert "● count(Fail(a, _, 0..3)) >= 3   comes to 3" in found
    assert "Fail(a, e2, 2)   arrived at tick 2" in found
    assert "✗ count(Fail(a, _, -1..2)) >= 3   comes to 2" in told(rules, facts, "Bad(a, 2)")


def test_the_latest_fact_is_shown() -> None:
    rules = """
        input Mode(x, m, time) one per x. input R(x, time).
        Run(X, T) :- R(X, T), last Mode(X, run, T).
        query Run(X, T).
    """
    facts = {
        "Mode": [{"x": "a", "m": "run", "time": 1}, {"x": "a", "m": "stop", "time": 4}],
        "R": [{"x": "a", "time": 2}, {"x": "a", "time": 5}],
    }
    assert "● last Mode(a, run, 2)   the latest one is this: Mode(a, run, 1)" in told(
        rules, facts, "Run(a, 2)"
    )
    found = told(rules, facts, "Run(a, 5)")
    assert "✗ last Mode(a, run, 5)   the latest one is this" in found
    assert "Mode(a, stop, 4)   arrived at tick 4" in found


def test_rules_about_other_values_are_named() -> None:
    rules = """
        input T(x, v: number, time).
        Edge(X, up, T) :- T(X, V, T), V > 9.
        Edge(X, down, T) :- T(X, V, T), V < 5.
        query Edge(X, L, T).
    """
    found = told(rules, {"T": [{"x": "a", "v": 10, "time": 1}]}, "Edge(a, sideways, 1)")
    assert "Edge(a, sideways, 1) is not there: no rule has such an answer" in found
    assert "the rule at r.alog:3 is about other values: Edge(X, up, T)" in found


def test_the_clock_is_awaited() -> None:
    rules = "static M(x). M(a). input A(x, time). OK(X, T) :- M(X), not A(X, T-2). query OK(X, T)."
    facts = {"A": [{"x": "a", "time": 1}]}
    assert "is certain since tick 4, and is told once its tick has come" in told(rules, facts, "OK(a, 6)", 5)
    assert "OK(a, 6) is confirmed since tick 6" in told(rules, facts, "OK(a, 6)", 7)


def test_a_late_row_is_found_by_any_text() -> None:
    rules = "input A(x, time). P(X, T) :- A(X, T), A(X, T+1). query P(X, T)."
    for name in ("Grün", 'a "b"', "Z\\9"):
        facts = {"A": [{"x": name, "time": 1, "arrival": 1}, {"x": name, "time": 2, "arrival": 7}]}
        quoted = json.dumps(name, ensure_ascii=False)
        found = told(rules, facts, f"P({quoted}, 1)")
        assert f"A({quoted}, 2)   late, set aside: arrived at tick 7" in found


def test_an_asked_literal_of_another_kind_is_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    """What nothing is said of has its ticks, and the facts or the atom that it is about."""
    monkeypatch.setattr(Negation, "denies", False)
    rules = """
        input A(x, time). input B(x, time) delay 1.
        C(X, T) :- B(X, T).
        P(X, T) :- A(X, T), not B(X, T).
        Q(X, T) :- A(X, T), not C(X, T).
        query P(X, T). query Q(X, T).
    """
    facts: dict[str, list[dict[str, Any]]] = {
        "A": [{"x": "a", "time": t} for t in (1, 4)],
        "B": [{"x": "a", "time": 4}],
    }
    assert "● not B(a, 1)   it is so" in told(rules, facts, "P(a, 1)")
    assert "○ not B(a, 1)   not decided yet until tick 2" in told(rules, facts, "P(a, 1)", 1)
    failed = told(rules, facts, "P(a, 4)")
    assert "✗ not B(a, 4)   it is not so" in failed
    assert "B(a, 4)   arrived at tick 4" in failed
    assert "C(a, 4) is confirmed since tick 4" in told(rules, facts, "Q(a, 4)")
