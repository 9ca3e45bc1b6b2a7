"""antelog/forecast/reports/learned.py: what a model has learned of answers, in numbers and in words."""

from __future__ import annotations

import pytest

import antelog
from antelog.forecast.model_file import Model
from antelog.forecast.reports.learned import learned_text
from antelog.process import Engine

RULES = """
input Temp(device: text, level: text, time) delay 2.
P(X, T) :- Temp(X, high, T), Temp(X, high, T+1).
Q(X, T) :- Temp(X, high, T), Temp(X, low, T+1).
query P(X, T). query Q(X, T).
"""


def model_of(rules: str, facts: list[tuple[str, str, int, int]]) -> Model:
    engine = Engine(antelog.parse(rules), model="learn", half_life=None)
    engine.advance(409, {"Temp": facts})
    return engine.model


def readings() -> list[tuple[str, str, int, int]]:
    """wt4 is hot five ticks of ten, wt2 one of ten; one fact in four comes a tick late."""
    hot = (("wt4", tick) for tick in range(400) if tick % 10 < 5)
    some = (("wt2", tick) for tick in range(400) if tick % 10 == 0)
    rows = ((x, "high", tick, tick + (tick % 4 == 0)) for x, tick in (*hot, *some))
    return sorted(rows, key=lambda row: row[-1])


def test_rates_of_all_and_of_those_that_differ() -> None:
    text = learned_text(model_of(RULES, readings()))
    first, second = (" ".join(each.split()) for each in text.split("\n\n"))
    # Most of the confirmed are confirmed with the next tick, when the second fact comes, others one later.
    assert first.startswith(
        "P: answers in 400 states, 2 values of X confirmed 40 % of them differs most wt2 2 %"
    )
    assert "wt4 57 % after 1 tick (1 to 2 ticks) hangs on what other judges say, " in first
    assert second.startswith("Q: answers in ")
    assert "confirmed 0 % of them" in second
    assert " after " not in second
    assert max(map(len, text.splitlines())) <= 80


@pytest.mark.parametrize("more", ["", "chance Temp(wt2, low, _) = 5%."])
def test_where_nothing_was_decided(more: str) -> None:
    text = learned_text(model_of(RULES + more, []))
    assert text.startswith("P: no answer was decided\n\nQ: no answer was decided\n")
    assert ("P: its chances rest on earlier answers, not on what is declared" in text) is bool(more)
