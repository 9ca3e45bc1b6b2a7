"""antelog/cli/commands/try_.py: what became of answers, whatever is forgotten meanwhile."""

import re
from collections import Counter
from pathlib import Path
from random import Random
from statistics import median as middle
from typing import Any

import pytest

from antelog import Engine, parse
from antelog.cli.commands import try_ as module
from antelog.cli.commands.try_ import Outcomes, QuerySummary, say_outcomes
from tests.cli.trying import PROGRAM, try_

pytestmark = pytest.mark.usefixtures("here")

RULES = """
    input Temp(device, level, time) delay 3.
    input Off(device, time) delay 1.
    Malf(X, T) :- Temp(X, high, T), Temp(X, high, T+1), not Off(X, T).
    Malf(X, T) :- Temp(X, low, T+1), Off(X, T).
    Calm(X, T) :- not Off(X, T).
    At(X, T) :- Temp(X, high, T), Temp(X, high, T+2).
    query Malf(X, T).
    query Calm(X, T).
    query At(X, 50).
"""
Key = tuple[str, ...]


def one_by_one(rows: list[dict[str, Any]], names: tuple[str, ...]) -> tuple[Counter[str], list[int]]:
    lines: dict[Key, list[dict[str, Any]]] = {}
    for row in rows:
        lines.setdefault(tuple(str(row.get(name)) for name in (*names, "others")), []).append(row)
    last = Counter(each[-1]["change"] for each in lines.values())
    waited = [
        each[-1]["tick"] - each[0]["tick"] for each in lines.values() if each[-1]["change"] == "confirmed"
    ]
    return last, waited


def facts(draw: Random, tick: int) -> dict[str, list[tuple[Any, ...]]]:
    devices: list[Any] = ["a", "b", *([7] if tick > 40 else [])]
    times = range(max(tick - 3, 0), tick + 1)
    temp = [(d, draw.choice(["high", "low"]), draw.choice(times)) for d in devices if draw.random() < 0.6]
    return {"Temp": temp, "Off": [(d, tick) for d in devices if draw.random() < 0.3]}


@pytest.mark.parametrize("room", [1, 200_000])
def test_counts_are_those_of_all_lines_together(room: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_ROOM", room)
    program, draw = parse(RULES), Random(5)
    engine, counted = Engine(program), {query.name: Outcomes(query) for query in program.plan.queries}
    rows: dict[str, list[dict[str, Any]]] = {}
    for tick in range(80):
        for name, table in engine.advance(tick, facts(draw, tick)).items():
            counted[name].take(table, tick)
            rows.setdefault(name, []).extend(table.to_pylist())
    for query in program.plan.queries:
        last, waited = one_by_one(rows[query.name], query.answer.names)
        outcome = counted[query.name].found(engine.now)
        assert outcome.ended == {
            "confirmed": last["confirmed"],
            "rejected": last["rejected"],
            "open": last["possible"] + last["revised"],
        }
        assert sum(outcome.changes.values()) == len(rows[query.name])
        assert outcome.confirmed == (middle(waited) if waited else None)
        assert engine.answers(query.name)["change"].to_pylist().count("open") == outcome.ended["open"]


@pytest.mark.parametrize("room", [1, 200_000])
def test_an_answer_is_one_whatever_its_column_became(room: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The text 1 is reported as it is, and in quotes once there is the number 1 as well."""
    monkeypatch.setattr(module, "_ROOM", room)
    program = parse("input Temp(x, time). Hot(X, T) :- Temp(X, T), Temp(X, T+2). query Hot(X, T).")
    engine, counted = Engine(program), {query.name: Outcomes(query) for query in program.plan.queries}
    steps: list[list[Any]] = [["1"], [1], ["1", True], [1]]
    for tick, values in enumerate(steps):
        tables = engine.advance(tick, {"Temp": [(value, tick) for value in values]})
        counted["Hot"].take(tables["Hot"], tick)
    found = counted["Hot"].found(engine.now)
    assert found.ended == {"confirmed": 2, "rejected": 0, "open": 3}


def test_what_is_decided_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_ROOM", 10)
    program = parse("input A(x, time). P(X, T) :- A(X, T), A(X, T+1). query P(X, T).")
    engine, counted = Engine(program), {query.name: Outcomes(query) for query in program.plan.queries}
    for tick in range(0, 500, 3):
        counted["P"].take(engine.advance(tick, {"A": [(f"a{tick}", tick)]})["P"], tick)
        assert sum(table.num_rows for table in counted["P"]._open) <= 12
    assert counted["P"].found(engine.now).ended["rejected"] == 166


LEGEND = [
    "before confirmed: how long a confirmed answer was open (median).",
    "before deadline: head start over waiting for the deadline (median).",
]


def summary(*arguments: object) -> list[str]:
    done = try_("--input", "Temp=temp.csv", *arguments)
    first, *others = done.stderr.splitlines()
    assert done.exit_code == 0
    assert first.startswith("done: 3 facts")
    return others


@pytest.mark.parametrize(
    "look", [[], ["--snapshots"], ["--snapshots", "--since", "3"], ["--format", "table"]]
)
def test_answers_are_counted_by_outcome_whatever_is_shown(look: list[str]) -> None:
    """Malf(wt2, 0) is open from 0 on, confirmed at 2, and at 2 no fact about it could come any more."""
    assert summary(*look) == [
        "      confirmed  rejected  open  changes  before confirmed  before deadline",
        "Malf          1         2     0        6           2 ticks          2 ticks",
        *LEGEND,
    ]


def test_what_is_open_at_the_last_tick_is_counted() -> None:
    assert summary("--until", "1")[-1].split() == ["Malf", "0", "0", "2", "2"]


def test_times_are_in_units_of_time() -> None:
    Path("p.alog").write_text("tick 90 seconds.\n" + PROGRAM, encoding="utf-8")
    assert summary()[1].endswith("3 minutes        3 minutes")
    assert summary("--only", "confirmed")[1].split() == ["Malf", "1", "none"]


def test_only_what_is_asked_for_is_counted_and_that_is_said() -> None:
    assert summary("--only", "confirmed") == [
        "      confirmed  before deadline",
        "Malf          1          0 ticks",
        "Counts confirmed lines only, because of --only.",
        "before deadline: head start over waiting for the deadline (median).",
    ]
    assert summary("--only", "rejected,possible")[:2] == [
        "      rejected  possible",
        "Malf         2         3",
    ]
    assert summary("--only", "possible,confirmed")[1].split()[3:] == ["2", "ticks", "2", "ticks"]


def test_columns_stand_below_each_other(capsys: pytest.CaptureFixture[str]) -> None:
    found = {
        "Malf": QuerySummary({"confirmed": 1234, "rejected": 2}, {"possible": 10_000}, 1.5, None),
        "Q": QuerySummary({}, {}),
    }
    say_outcomes(found, None)
    head, *rows = capsys.readouterr().err.splitlines()[:3]
    assert [re.split(r" {2,}", row) for row in (head.strip(), *rows)] == [
        ["confirmed", "rejected", "open", "changes", "before confirmed"],
        ["Malf", "1,234", "2", "0", "10,000", "1.5 ticks"],
        ["Q", "0", "0", "0", "0", "-"],
    ]
    assert len({len(row) for row in (head, *rows)}) == 1


def test_without_changes_nothing_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    say_outcomes({"Malf": QuerySummary({}, {})}, None)
    assert capsys.readouterr().err == ""
