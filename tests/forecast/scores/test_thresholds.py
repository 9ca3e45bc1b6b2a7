"""antelog/forecast/scores/scored_lines.py: what a pager would have reported, and how early."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import antelog
from antelog.forecast.scores.scored_lines import PLACES, alerts, by_threshold, least, places
from antelog.process import Engine
from tests.forecast.making import replayed
from tests.forecast.streams import decided


def test_by_hand() -> None:
    found = {
        each.threshold: each
        for each in by_threshold(
            alerts(
                decided(
                    (1, 2, 0.55, 9, True),
                    (1, 4, 0.85, 9, True),
                    (1, 6, 0.40, 9, True),  # falls again: it was alerted all the same
                    (2, 3, 0.80, 5, False),
                    (3, 3, 0.10, 8, True),
                    (4, 7, 0.95, 8, True),
                )
            )
        )
    }
    assert (found[0.5].alerts, found[0.5].precision, found[0.5].found) == (3, 2 / 3, 2 / 3)
    assert found[0.5].lead == (1, 1, 7)
    assert (found[0.8].alerts, found[0.8].lead) == (3, (1, 1, 5))
    assert (found[0.9].alerts, found[0.9].precision, found[0.9].found) == (1, 1, 1 / 3)
    assert found[0.95].alerts == 1, "a threshold is reached by what equals it"


@given(st.integers(0, 2**50 - 1))
def test_a_place_is_close(lead: int) -> None:
    (place,) = places(np.array([lead])).tolist()
    assert 0 <= place < PLACES
    assert least(place) <= lead < least(place + 1)
    assert least(place) == lead if lead < 256 else lead - least(place) < lead / 16


RULES = """
input Ping(x, time) delay 1 (80%, 20%).
chance Ping(_, _) = 30%, again 90%.
Up(X, T) :- Ping(X, T), Ping(X, T+1), Ping(X, T+2).
query Up(X, T) alert 80%.
"""


def facts(seed: int, ticks: int = 300) -> list[tuple[str, int, int]]:
    random, found = np.random.default_rng(seed), []
    for x in ("wt1", "wt2", "wt3"):
        on = False
        for tick in range(ticks):
            on = random.random() < (0.9 if on else 0.3)
            if on:
                found.append((x, tick, tick + int(random.random() < 0.2)))
    return found


def run(engine: Engine, ends: list[int]) -> list[dict[str, Any]]:
    log: list[dict[str, Any]] = replayed(engine, {"Ping": facts(1)}, ends)["Up"].to_pylist()
    return log


@pytest.mark.parametrize("options", [{}, {"model": "learn"}, {"min_chance": 0.6}])
def test_scores_count_the_alerts_that_rang(options: dict[str, Any]) -> None:
    engine = Engine(antelog.parse(RULES), **options)
    log = run(engine, [310])
    rang: dict[tuple[str, int], int] = {}
    for line in log:
        if line["change"] == "likely":
            rang.setdefault((line["X"], line["T"]), line["tick"])
    came = {(line["X"], line["T"]): line["tick"] for line in log if line["change"] == "confirmed"}
    leads = sorted(came[each] - tick for each, tick in rang.items() if each in came)
    (row,) = engine.scores().to_pylist()
    alert = row["program_alert"]
    assert (alert["threshold"], alert["alerts"]) == (0.8, len(rang))
    assert alert["precision"] == pytest.approx(len(leads) / len(rang))
    assert alert["lead_half"] == leads[(len(leads) - 1) // 2]
    if "model" not in options:
        assert row["confirmed"] == len(came)
        assert alert["found"] == pytest.approx(len(leads) / len(came))


def test_with_another_threshold_it_begins_anew() -> None:
    engine = Engine(antelog.parse(RULES))
    run(engine, [200])
    before = engine.scored["Up"]
    engine.change_rules(antelog.parse(RULES.replace("80%", "60%")))
    anew = engine.scored["Up"]
    assert (before.threshold, anew.threshold, anew.program.answers) == (0.8, 0.6, 0)
    assert before.program.answers > 100
    run(engine, [310])
    assert 0 < engine.scored["Up"].program.answers < 600
