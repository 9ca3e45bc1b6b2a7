"""antelog/forecast/inference/forms.py: what has to come, and what must not, for an answer; and its chains."""

from __future__ import annotations

from pathlib import Path

import pytest

import antelog
from antelog.forecast.forecaster import WhatIf
from antelog.forecast.inference import forms as form_module
from antelog.forecast.inference.forms import QueryForm, forms
from antelog.forecast.inference.nodes import UnknownChanceError
from antelog.process import Engine
from tests.forecast.making import chains, formula, plan_of
from tests.tables import cases

INPUTS = """
input Temp(x: text, level: text, time) delay 2.
input Read(x: text, v: number, time).
static Site(x: text, y: text). Site(a, b).
"""


def test_an_open_time_is_written_out_tick_by_tick() -> None:
    found = formula(f"{INPUTS} P(X, T) :- Temp(X, high, T), Temp(X, low, U), U > T, U <= T+3. query P(X, T).")
    literals = [(literal.series.constants[0][1], literal.at) for literal in found.literals]
    assert literals == [("high", 0), ("low", 1), ("low", 2), ("low", 3)]


def test_a_query_that_fixes_the_tick_counts_from_zero() -> None:
    found = formula(f"{INPUTS} P(X, T) :- Temp(X, high, T), Temp(X, low, T+1). query P(X, 3).")
    assert [literal.at for literal in found.literals] == [3, 4]


@cases(__file__, "unknown")
def test_where_no_chance_can_be_said(rule: str, why: str) -> None:
    with pytest.raises(UnknownChanceError, match=why):
        formula(f"{INPUTS} {rule} query P(X, T).")


def test_a_formula_does_not_outgrow_its_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    rule = "P(X, T) :- Temp(X, high, T), Temp(X, low, U), U > T, U <= T+9."
    assert len(formula(f"{INPUTS} {rule} query P(X, T).").literals) == 10
    monkeypatch.setattr(form_module, "_MOST", 15)
    with pytest.raises(UnknownChanceError, match="too many facts"):
        formula(f"{INPUTS} {rule} query P(X, T).")


RULES = Path(__file__).with_name("forms.alog").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def engine() -> Engine:
    found = Engine(antelog.parse(RULES))
    found.advance(5, {"P": [("k", 5)]})
    return found


def found(engine: Engine, query: str, *literals: str) -> tuple[float | None, list[WhatIf | None]]:
    return engine.forecaster.what_if(engine.state, query, {"X": "k", "T": 5}, literals)


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


@cases(__file__, "what_is_no_fact_of_the_answer_has_no_chance")
def test_what_is_no_fact_of_the_answer_has_no_chance(engine: Engine, query: str, literal: str) -> None:
    assert found(engine, query, literal)[1] == [None]


def test_an_answer_without_a_chance(engine: Engine) -> None:
    assert found(engine, "Unknown", "Other(k, 6)") == (None, [None])
    of_any = engine.forecaster.what_if(engine.state, "Run", {"X": None, "T": 5}, ["P(k, 6)"])
    assert of_any == (None, [None])


def test_silence_counts() -> None:
    engine = Engine(antelog.parse(RULES))
    engine.advance(7, {"P": [("k", 5)]})
    _, (case,) = found(engine, "Run", "P(k, 6)")
    assert case is not None
    assert case.literal < 0.8


SLOT = "input Temp(x: text, level: text, time) one per x. {} P(X, T) :- {}. query P(X, T)."


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("Temp(X, _, T), Temp(X, high, T+1)", "one fact may stand for two"),
        ("Temp(Y, X, T)", "any fact of several slots"),
        (", ".join(f"Temp(X, l{i}, T+{i})" for i in range(8)), "too many kinds"),
    ],
)
def test_where_facts_hang_together_in_another_way(body: str, why: str) -> None:
    with pytest.raises(UnknownChanceError, match=why):
        chains(SLOT.format("", body))


DELAYED = """
input Temp(x: text, level: text, time) delay 1{}.
delay Temp(wt4, _, _) = 3. chance Temp(_, _, _) = 5%.
static Site(x: text, y: text). Site(a, b).
"""


def form(rules: str, shares: str = "") -> QueryForm:
    found = forms(plan_of(f"{DELAYED.format(shares)} {rules} query P(X, T)."))["P"]
    assert isinstance(found, QueryForm)
    return found


def test_the_ticks_it_speaks_of() -> None:
    found = form("P(X, T) :- Temp(X, high, T-1), Temp(X, high, T+2).")
    assert (found.first, found.last, found.slowest, found.memory) == (-1, 2, 3, 0)
    # A fact of the last tick may come 3 late; what mattered to the first tick must be known for good.
    assert found.reach == 2 + 3 + 3 + 1 + 1
