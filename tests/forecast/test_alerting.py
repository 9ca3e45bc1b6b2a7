"""antelog/forecast/lines.py, antelog/forecast/columns.py: alerts stand among the lines of the log."""

from __future__ import annotations

import datetime as dt
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

import antelog
from antelog.engine.columns.tables import Column
from antelog.engine.step.schema import AFTER_ANSWER
from antelog.forecast.columns import COLUMNS, HOLDS, KINDS, LIKELY, UNLIKELY
from antelog.forecast.inference.chances import Chances, Growth
from antelog.forecast.judges.mean import Predictions
from antelog.forecast.lines import AnswerChances, LeftOut, Limits, alert_changes, filtered, with_chances
from antelog.process import Engine
from tests.engine.plain import PlainEngine as Plain

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
    parts = []
    for end in ends:
        new = [fact for fact in facts if engine.now < fact[-1] <= end]
        parts.append(engine.advance(end, {"Ping": new})["Up"])
    return pa.concat_tables(parts)


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


def test_between_the_two_nothing_changes() -> None:
    assert alerts(*of(0.75, 0.75, 0.85, 0.75, 0.85)) == ([(2, "likely")], [0])
    assert alerts(*of(0.75), before=np.array([0])) == ([], [0])


def test_where_no_chance_is_known_nothing_changes() -> None:
    unknown = float("nan")
    assert alerts(*of(0.9, unknown, 0.9)) == ([(0, "likely")], [0])
    assert alerts(*of(unknown), before=np.array([0])) == ([], [0])


@pytest.mark.parametrize("seed", range(3))
def test_cuts_change_nothing(seed: int) -> None:
    random = np.random.default_rng(seed)
    chances = random.random((4, 60)).cumsum(axis=1) % 1
    rows = [(answer, tick, float(chances[answer, tick])) for tick in range(60) for answer in range(4)]
    whole, likely = alerts(*rows)
    found: list[tuple[int, str]] = []
    state = NOBODY
    for start, end in pairwise((0, 1, 7, 30, 60)):
        more, last = alerts(*rows[4 * start : 4 * end], before=state)
        found += more
        state = np.array(last, np.int64)
    assert sorted(found) == sorted(whole)
    assert state.tolist() == likely
    assert len(whole) > 20


Line = tuple[int, str, str, float | None]
UNTOLD = float("nan")


def left(limits: Limits, *lines: Line, likeliest: list[float] | None = None) -> tuple[list[Any], LeftOut]:
    """The lines that are left, as (tick, X), and what was left out."""
    tick, change, x, chance = (list(column) for column in zip(*lines, strict=True))
    table = pa.table({"tick": tick, "change": change, "X": x, "chance": pa.array(chance, pa.float64())})
    kind = np.array([KINDS.index(each) for each in change])
    before = np.array(likeliest or [UNTOLD] * len(lines))
    found, out = filtered(table, kind, before, limits)
    return list(zip(found["tick"].to_pylist(), found["X"].to_pylist(), strict=True)), out


def test_the_least_likely_of_too_many_at_a_tick() -> None:
    lines: list[Line] = [
        *[(0, "possible", x, chance) for x, chance in (("a", 0.3), ("b", 0.7), ("c", 0.1), ("d", 0.7))],
        *[(0, "confirmed", "e", None), (1, "possible", "f", 0.05)],
    ]
    found, out = left(Limits(most=2), *lines)
    assert found == [(0, "b"), (0, "d"), (0, "e"), (1, "f")]
    assert out.lines == 2
    assert out.chances == pytest.approx(0.4)


LINES = pa.table({"X": ["a", "b", "c", "d"]})
FOUND = Chances(
    np.array([0.8, 0.5]),
    Growth(np.array([0, 0, 1]), np.array([1, 2, 1]), np.array([0.2, 0.8, 0.5])),
    np.array([0.9, 0.6]),
    np.array([1, 0, -1]),
)
"""Two chances, of which the first answer has the second, the second the first, and the third none."""


def ints(*numbers: int) -> np.ndarray:
    return np.array(numbers, np.int64)


def said(*, lossy: bool = False) -> pa.Table:
    """Rows 0, 1 and 3 are said something of, as of answers about tick 10; row 2 is not."""
    rows, time, nothing = ints(0, 1, 3), ints(10, 10, 10), np.zeros((3, 0), np.float32)
    chance, source = np.array([0.5, 0.4, 0.7]), ints(0, 2, 1)
    predictions = Predictions(rows, time, time, np.zeros((3, 0)), chance, source, nothing)
    answers, holds = AnswerChances(predictions, FOUND, (), time, rows), np.full(4, UNTOLD)
    holds[rows] = FOUND.held()
    return with_chances(LINES, rows, answers, ("model", "outcomes", "values"), holds if lossy else None)


def test_a_chance_grows_as_the_model_says_in_proportion() -> None:
    forecast = said().column("forecast").to_pylist()
    assert forecast[0] == [{"tick": 11, "chance": 0.5}]
    # The model says 0.8 and both together 0.4: half of each step.
    assert forecast[1] == [{"tick": 11, "chance": pytest.approx(0.1)}, {"tick": 12, "chance": 0.4}]
    assert forecast[2] is None
    assert forecast[3] is None  # outcomes know nothing of when


def test_what_holds_is_said_where_facts_may_be_lost() -> None:
    assert HOLDS.names[0] not in said().schema.names
    assert said(lossy=True).column("holds").to_pylist() == [0.6, 0.9, None, None]
