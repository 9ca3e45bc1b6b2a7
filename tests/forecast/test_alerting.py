"""antelog/forecast/{lines,columns}.py: alerts stand among the lines of the log, and are scored."""

from __future__ import annotations

import datetime as dt
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

import antelog
from antelog.engine.columns.tables import Column
from antelog.engine.step.schema import AFTER_ANSWER
from antelog.forecast.columns import COLUMNS, LIKELY, UNLIKELY
from antelog.forecast.lines import alert_changes
from antelog.process import Engine
from tests.engine.plain import PlainEngine as Plain
from tests.forecast.making import replayed

RULES = """
input Ping(x, time) delay 1 (80%, 20%).
chance Ping(_, _) = 30%, again 90%.
Up(X, T) :- Ping(X, T), Ping(X, T+1), Ping(X, T+2).
query Up(X, T) alert 80%.
"""
VALUES: dict[str, list[Any]] = {
    "texts": ["wt2", "WT2", "Ä", "z", "n/a"],
    "numbers": [3, -1, 2.5, 10],
    "truth": [True, False],
    "mixed": ["3", 3, True, "true"],
}


def reported(engine: Any, values: list[Any], ends: list[int]) -> pa.Table:
    facts = [(x, tick, tick + tick % 2) for tick in range(9) for x in values if tick not in (3, 7)]
    return replayed(engine, {"Ping": facts}, ends)["Up"]


@pytest.mark.parametrize("name", VALUES)
def test_without_the_alerts_the_log_is_as_ever(name: str) -> None:
    program = antelog.parse(RULES)
    with_alerts, plain = (reported(engine(program), VALUES[name], [12]) for engine in (Engine, Plain))
    alerts = pc.is_in(with_alerts.column("change"), pa.array([LIKELY, UNLIKELY]))
    rest = with_alerts.filter(pc.invert(alerts)).drop_columns(COLUMNS.names)
    assert rest.equals(plain)
    assert pc.sum(alerts).as_py() >= 2 * len(VALUES[name])


def test_an_alert_says_what_the_last_line_did() -> None:
    """Also where that was reported in a step before."""
    program = antelog.parse(RULES)
    whole, cut = (reported(Engine(program), ["wt2"], ends) for ends in ([12], list(range(13))))
    assert [row["change"] for row in cut.to_pylist()] == [row["change"] for row in whole.to_pylist()]
    assert cut.drop_columns(COLUMNS.names).equals(whole.drop_columns(COLUMNS.names))
    last: dict[int, dict[str, Any]] = {}
    for row in whole.to_pylist():
        if row["change"] in (LIKELY, UNLIKELY):
            for same in AFTER_ANSWER.keys() & row.keys():
                assert row[same] == last[row["T"]][same]
        last[row["T"]] = row


@pytest.mark.parametrize(
    "steps",
    [
        [[], ["p1"]],
        [[None, 1], ["p1", 1], [1], ["1", 2.5]],
        [[1], [2.5, 1], [10**20, 1], [True, 1], [1, dt.date(2024, 2, 29)]],
        [["1", "p1"], ["1", "p1", 1], [1, "1"], ["p1", b"p1"]],
    ],
)
@pytest.mark.parametrize("options", [{}, {"model": "learn"}, {"min_chance": 0.5}, {"most": 1}])
def test_types_may_change_from_step_to_step(steps: list[list[Any]], options: dict[str, Any]) -> None:
    program = antelog.parse(RULES)
    engine, plain, alerts = Engine(program, **options), Plain(program), 0
    for tick, values in enumerate([*steps, [], [], []]):
        facts = {"Ping": [(value, tick) for value in values]}
        with_alerts, without = engine.advance(tick, facts)["Up"], plain.advance(tick, facts)["Up"]
        is_alert = pc.is_in(with_alerts.column("change"), pa.array([LIKELY, UNLIKELY]))
        alerts += pc.sum(is_alert).as_py() or 0
        if not {"min_chance", "most"} & {*options}:
            assert with_alerts.filter(pc.invert(is_alert)).drop_columns(COLUMNS.names).equals(without)
        assert engine.answers("Up").schema.field("X").equals(with_alerts.schema.field("X"))
    assert alerts > 0


Row = tuple[int, int, float]
ASKED = 0.8
NOBODY = np.zeros(0, np.int64)


def alerts(*rows: Row, before: Column = NOBODY) -> tuple[list[tuple[int, str]], list[int]]:
    """The ticks of alerts, and which answers are likely in the end; rows are (answer, tick, chance)."""
    number, tick, chance = (np.array(column) for column in zip(*rows, strict=True))
    after, row, likely = alert_changes(before, number, tick, chance, ASKED)
    words = ["likely" if each else "unlikely" for each in likely]
    return list(zip(tick.take(row).tolist(), words, strict=True)), after.tolist()


def of(*chances: float) -> list[Row]:
    return [(0, tick, chance) for tick, chance in enumerate(chances)]


def test_likely_and_a_tenth_below_unlikely_again() -> None:
    assert alerts(*of(0.64, 0.85, 0.78, 0.69)) == ([(1, "likely"), (3, "unlikely")], [])
    assert alerts(*of(0.8)) == ([(0, "likely")], [0])
    assert alerts(*of(0.79, 0.1)) == ([], [])
    assert alerts(*of(0.75, 0.75, 0.85, 0.75, 0.85)) == ([(2, "likely")], [0])


def test_where_no_chance_is_known_nothing_changes() -> None:
    unknown = float("nan")
    assert alerts(*of(0.9, unknown, 0.9)) == ([(0, "likely")], [0])
    for chance in (0.75, unknown):
        assert alerts(*of(chance), before=np.array([0])) == ([], [0])


def facts(seed: int, ticks: int = 300) -> list[tuple[str, int, int]]:
    random, found = np.random.default_rng(seed), []
    for x in ("wt1", "wt2", "wt3"):
        on = False
        for tick in range(ticks):
            on = random.random() < (0.9 if on else 0.3)
            if on:
                found.append((x, tick, tick + int(random.random() < 0.2)))
    return found


def run(engine: Engine, end: int) -> list[dict[str, Any]]:
    log: list[dict[str, Any]] = replayed(engine, {"Ping": facts(1)}, [end])["Up"].to_pylist()
    return log


@pytest.mark.parametrize("options", [{}, {"model": "learn"}, {"min_chance": 0.6}])
def test_scores_count_the_alerts_that_rang(options: dict[str, Any]) -> None:
    engine = Engine(antelog.parse(RULES), **options)
    log = run(engine, 310)
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
    run(engine, 200)
    before = engine.scored["Up"]
    engine.change_rules(antelog.parse(RULES.replace("80%", "60%")))
    anew = engine.scored["Up"]
    assert (before.threshold, anew.threshold, anew.program.answers) == (0.8, 0.6, 0)
    assert before.program.answers > 100
    run(engine, 310)
    assert 0 < engine.scored["Up"].program.answers < 600
