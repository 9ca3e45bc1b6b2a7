"""antelog/forecast/reports/learned.py: what a model has learned of facts, as rates."""

from __future__ import annotations

import pytest

import antelog
from antelog.forecast.model_file import Model
from antelog.forecast.reports.learned import Learned, learned, learned_text
from antelog.process import Engine

INPUT = "input Temp(device: text, level: text, time) delay 2."


def found(rules: str, facts: list[tuple[str, str, int, int]]) -> list[Learned]:
    engine = Engine(antelog.parse(f"{INPUT} {rules}"), model="learn")
    engine.advance(409, {"Temp": facts})
    return list(learned(engine.model))


def readings() -> list[tuple[str, str, int, int]]:
    """wt4 is hot five ticks of ten, wt2 one of ten; one fact in three comes a tick late."""
    hot = (("wt4", tick) for tick in range(400) if tick % 10 < 5)
    some = (("wt2", tick) for tick in range(400) if tick % 10 == 0)
    rows = ((x, "high", tick, tick + (tick % 4 == 0)) for x, tick in (*hot, *some))
    return sorted(rows, key=lambda row: row[-1])


def test_rates_of_all_and_of_those_that_differ() -> None:
    (series,) = found("P(X, T) :- Temp(X, high, T), Temp(X, high, T+1). query P(X, T).", readings())
    assert (series.facts, series.keys, series.known) == ("Temp(_, high, _)", ("device",), 2)
    assert series.count == pytest.approx(240, abs=25)  # the last epochs are not used yet, and older ones fade
    assert series.rates.shares == pytest.approx((2 / 3, 1 / 3, 0), abs=0.03)
    rates = dict(series.different)
    assert rates.keys() == {"wt2", "wt4"}
    assert rates["wt4"].again == pytest.approx(0.8, abs=0.05)
    assert rates["wt4"].often == pytest.approx(0.5, abs=0.05)
    assert rates["wt2"].often == pytest.approx(0.1, abs=0.03)
    assert rates["wt2"].again < 0.1


def test_series_of_many_queries_are_reported_once() -> None:
    rules = """
    P(X, T) :- Temp(X, high, T), Temp(X, high, T+1).
    Q(X, T) :- Temp(X, high, T), not Temp(X, low, T).
    query P(X, T). query Q(X, T).
    """
    low = [("wt2", "low", tick, tick) for tick in range(300, 409, 9)]
    facts = sorted([*readings(), *low], key=lambda row: row[-1])
    assert [each.facts for each in found(rules, facts)] == ["Temp(_, high, _)", "Temp(_, low, _)"]
    assert [each.facts for each in found(rules, readings())] == ["Temp(_, high, _)"]  # no low one has come


def model_of(rules: str, facts: dict[str, list[tuple[object, ...]]], end: int) -> Model:
    engine = antelog.Engine(antelog.parse(rules), model="learn", half_life=None)
    engine.advance(end, facts)
    return engine.model


RULES = """
input Temp(device, level, time) delay 1.
Malf(X, T) :- Temp(X, high, T), Temp(X, high, T+1).
query Malf(X, T).
"""


def test_a_series_with_a_condition_and_no_key() -> None:
    rules = (
        "input Reading(value: number, time) delay 1.\n"
        "High(T) :- Reading(V, T), V > 100.\nHot(T) :- High(T), High(T+1).\nquery Hot(T).\n"
    )
    (found,) = learned(model_of(rules, {"Reading": [(90 + 20 * (t % 2), t) for t in range(60)]}, 90))
    assert (found.facts, found.keys, found.different) == ("Reading(value, _) where value > 100", (), ())
    assert found.count == 30


def test_what_is_known_in_words() -> None:
    model = model_of(RULES, {"Temp": [("a", "high", t) for t in range(50)]}, 80)
    text = learned_text(model)
    assert text.startswith("Temp(_, high, _): 50 facts with 1 value of device\n  how often     ")
    assert max(map(len, text.splitlines())) <= 80


def test_nothing_is_known_before_an_epoch_is_complete() -> None:
    model = model_of(RULES, {"Temp": [("a", "high", 0)]}, 5)
    assert list(learned(model)) == []
    assert learned_text(model).startswith("Of single facts nothing is known yet")
