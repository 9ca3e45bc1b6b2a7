"""antelog/forecast/reports/learned.py, antelog/forecast/reports/learned.py: what a model knows, in words."""

from __future__ import annotations

import antelog
from antelog.forecast.model_file import Model
from antelog.forecast.reports.learned import learned, learned_text


def model_of(rules: str, facts: dict[str, list[tuple[object, ...]]], end: int) -> Model:
    engine = antelog.Engine(antelog.parse(rules), model="learn", half_life=None)
    engine.advance(end, facts)
    return engine.model


RULES = """
input Temp(device, level, time) delay 1.
Malf(X, T) :- Temp(X, high, T), Temp(X, high, T+1).
query Malf(X, T).
"""


def test_rates_of_a_series_and_for_whom_they_differ() -> None:
    facts = [("a", "high", t) for t in range(0, 100, 10)] + [("b", "high", t) for t in range(100)]
    (found,) = learned(model_of(RULES, {"Temp": list(facts)}, 120))
    assert (found.facts, found.count, found.keys, found.known) == ("Temp(_, high, _)", 110, ("device",), 2)
    often = {name: rates.often for name, rates in found.different}
    assert often["a"] < 0.3 < 0.7 < often["b"]


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
