"""antelog/forecast/scores/thresholds.py: how good the alerts were that a program asks for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import antelog
from antelog.forecast.scores.scores import to_dict
from antelog.forecast.scores.thresholds import AlertOutcomes, FirstAlerts, ProgramAlerts, alert_sums
from antelog.process import Engine

RULES = """
input Ping(x, time) delay 1 (80%, 20%).
chance Ping(_, _) = 30%, again 90%.
Up(X, T) :- Ping(X, T), Ping(X, T+1), Ping(X, T+2).
query Up(X, T) alert 80%.
"""


def test_by_hand() -> None:
    first = FirstAlerts(np.array([7, 8, 5]), np.array([12, 13, 1]))
    outcomes = AlertOutcomes(
        np.array([7, 8, 9, 10]),
        np.array([15, 14, 16, 16]),
        np.array([True, False, True, True]),
        # One alert rang between two lines, neither of which had a chance; of the last nothing was known.
        np.array([True, False, True, False]),
    )
    found = alert_sums(first, outcomes, 0.75)
    assert (found.sums.answers, found.sums.confirmed) == (3, 2)
    alerted = found.alerted
    assert alerted is not None
    assert (alerted.alerts, alerted.precision, alerted.found, alerted.lead) == (2, 0.5, 0.5, (3, 3, 3))
    assert ProgramAlerts().alerted is None
    assert (ProgramAlerts() + found).threshold == (found + ProgramAlerts()).threshold == 0.75


def test_an_answer_keeps_its_first_alert() -> None:
    first = FirstAlerts(np.array([7, 3]), np.array([1, 2])).with_later(
        FirstAlerts(np.array([3, 4, 4]), np.array([5, 5, 6]))
    )
    assert dict(zip(first.number.tolist(), first.tick.tolist(), strict=True)) == {7: 1, 3: 2, 4: 5}


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
    log = []
    for end in ends:
        new = [fact for fact in facts(1) if engine.now < fact[-1] <= end]
        log += engine.advance(end, {"Ping": new})["Up"].to_pylist()
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


def test_cuts_and_saving_change_nothing() -> None:
    program = antelog.parse(RULES)
    whole, cut = Engine(program), Engine(program)
    run(whole, [310])
    run(cut, [*range(0, 100, 7)])
    resumed = Engine.from_bytes(cut.to_bytes(), program)
    run(resumed, [*range(100, 310), 310])
    assert to_dict(resumed.scored["Up"]) == to_dict(whole.scored["Up"])


def test_no_alert_no_score() -> None:
    engine = Engine(antelog.parse(RULES.replace(" alert 80%", "")))
    run(engine, [310])
    assert engine.scores().column("program_alert").to_pylist() == [None]


def test_with_another_threshold_it_begins_anew() -> None:
    engine = Engine(antelog.parse(RULES))
    run(engine, [200])
    before = engine.scored["Up"].program
    engine.change_rules(antelog.parse(RULES.replace("80%", "60%")))
    anew = engine.scored["Up"].program
    assert (before.threshold, anew.threshold, anew.sums.answers) == (0.8, 0.6, 0)
    assert before.sums.answers > 100
    run(engine, [310])
    assert 0 < engine.scored["Up"].program.sums.answers < 600
