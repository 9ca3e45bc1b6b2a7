"""antelog/forecast/reports/learned.py: what a model has learned of facts, as rates."""

from __future__ import annotations

import pytest

import antelog
from antelog.forecast.reports.learned import Learned, Rates, learned
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


def test_nothing_learned() -> None:
    assert found("P(X, T) :- Temp(X, high, T), Temp(X, high, T+1). query P(X, T).", []) == []


def test_how_often_in_the_long_run() -> None:
    assert Rates(0.05, 0.8, (1.0,)).often == pytest.approx(0.05 / 0.25)
    assert Rates(0.3, 0.3, (1.0,)).often == pytest.approx(0.3)
    assert Rates(0.0, 1.0, (1.0,)).often == 0
