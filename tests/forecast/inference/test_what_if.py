"""antelog/forecast/inference/what_if.py: the chance of an answer if what it awaits comes, and if not."""

from __future__ import annotations

import pytest

import antelog
from antelog.forecast.inference.what_if import OneAnswer, WhatIf
from antelog.process import Engine

RULES = """
input P(x, time) delay 2 (70%, 20%, 10%).
input Q(x, v, time) delay 2 (70%, 20%, 10%).
input S(x, time).
input Other(x, time).
chance P(_, _) = 20%, again 80%.
chance Q(_, a, _) = 30%.
chance S(_, _) = 10%.
Run(X, T) :- P(X, T), P(X, T+1), P(X, T+2).
Way(X, T) :- P(X, T), Q(X, a, T+1).
Way(X, T) :- P(X, T), S(X, U), U > T, U <= T+3.
Calm(X, T) :- P(X, T), not S(X, T+1).
Few(X, T) :- P(X, T), count(S(X, T+1..T+3)) >= 1.
Unknown(X, T) :- P(X, T), Other(X, T+1).
query Run(X, T).
query Way(X, T).
query Calm(X, T).
query Few(X, T).
query Unknown(X, T).
"""


@pytest.fixture(scope="module")
def engine() -> Engine:
    found = Engine(antelog.parse(RULES))
    found.advance(5, {"P": [("k", 5)]})
    return found


def found(engine: Engine, query: str, *literals: str) -> tuple[float | None, list[WhatIf | None]]:
    return engine.forecaster.what_if(engine.state, OneAnswer(query, {"X": "k", "T": 5}, engine.now), literals)


@pytest.mark.parametrize(
    ("query", "literal", "chances"),
    [
        ("Run", "P(k, 6)", (0.8, 0.8, 0)),
        ("Run", "P(k, 7)", (0.8 * 0.8 + 0.2 * 0.2, 0.64 / 0.68, 0)),
        ("Run", "P(k, 5)", (1, 0.64, None)),  # it is there
        ("Way", "Q(k, a, 6)", (0.3, 1, 1 - 0.9**3)),
        ("Way", "S(k, U) where U > 5, U <= 8", (1 - 0.9**3, 1, 0.3)),
        ("Way", "S(k, 7)", (0.1, 1, 1 - 0.7 * 0.9**2)),
        ("Calm", "not S(k, 6)", (0.9, 1, 0)),
    ],
)
def test_by_hand(engine: Engine, query: str, literal: str, chances: tuple[float | None, ...]) -> None:
    chance, (case,) = found(engine, query, literal)
    assert case is not None
    for seen, expected in zip((case.literal, case.comes, case.fails), chances, strict=True):
        assert seen == (None if expected is None else pytest.approx(expected))
    assert chance == pytest.approx(case.literal * (case.comes or 0) + (1 - case.literal) * (case.fails or 0))


@pytest.mark.parametrize(
    ("query", "literal"),
    [
        ("Run", "P(j, 6)"),  # of another key
        ("Run", "S(k, 6)"),  # the answer does not ask for it
        ("Way", "Q(k, b, 6)"),
        ("Few", "count(S(k, 6..8)) >= 1"),
        ("Run", "nonsense"),
    ],
)
def test_what_is_no_fact_of_the_answer_has_no_chance(engine: Engine, query: str, literal: str) -> None:
    assert found(engine, query, literal)[1] == [None]


def test_an_answer_without_a_chance(engine: Engine) -> None:
    assert found(engine, "Unknown", "Other(k, 6)") == (None, [None])
    open_ = OneAnswer("Run", {"X": None, "T": 5}, engine.now)
    assert engine.forecaster.what_if(engine.state, open_, ["P(k, 6)"]) == (None, [None])


def test_silence_counts() -> None:
    engine = Engine(antelog.parse(RULES))
    engine.advance(7, {"P": [("k", 5)]})
    _, (case,) = found(engine, "Run", "P(k, 6)")
    assert case is not None
    assert case.literal < 0.8
