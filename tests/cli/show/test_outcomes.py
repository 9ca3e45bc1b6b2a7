"""antelog/cli/show/outcomes.py: what became of answers, whatever is forgotten meanwhile."""

from collections import Counter
from random import Random
from statistics import median as middle
from typing import Any

import pytest

from antelog import Engine, parse
from antelog.cli.show import outcomes
from antelog.cli.show.outcomes import QuerySummary, ReplaySummary, median

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
    """How answers ended, and how long the confirmed ones were open, answer by answer."""
    lines: dict[Key, list[dict[str, Any]]] = {}
    for row in rows:
        lines.setdefault(tuple(str(row.get(name)) for name in (*names, "others")), []).append(row)
    last = Counter(told[-1]["change"] for told in lines.values())
    waited = [
        told[-1]["tick"] - told[0]["tick"] for told in lines.values() if told[-1]["change"] == "confirmed"
    ]
    return last, waited


def facts(draw: Random, tick: int) -> dict[str, list[tuple[Any, ...]]]:
    """Some facts that arrive at a tick; from tick 40 on there are devices with numbers for names."""
    devices: list[Any] = ["a", "b", *([7] if tick > 40 else [])]
    times = range(max(tick - 3, 0), tick + 1)
    temp = [(d, draw.choice(["high", "low"]), draw.choice(times)) for d in devices if draw.random() < 0.6]
    return {"Temp": temp, "Off": [(d, tick) for d in devices if draw.random() < 0.3]}


@pytest.mark.parametrize("room", [1, 200_000])
def test_counts_are_those_of_all_lines_together(room: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outcomes, "_ROOM", room)
    program, draw = parse(RULES), Random(5)
    engine, counted = Engine(program), ReplaySummary(program.plan.queries)
    rows: dict[str, list[dict[str, Any]]] = {}
    for tick in range(80):
        tables = engine.advance(tick, facts(draw, tick))
        counted.take(tables, tick)
        for name, table in tables.items():
            rows.setdefault(name, []).extend(table.to_pylist())
    found = counted.found(engine.now)
    for query in program.plan.queries:
        last, waited = one_by_one(rows[query.name], query.answer.names)
        outcome = found[query.name]
        assert outcome.ended == {
            "confirmed": last["confirmed"],
            "rejected": last["rejected"],
            "open": last["possible"] + last["revised"],
        }
        assert sum(outcome.changes.values()) == len(rows[query.name])
        assert outcome.certain == (middle(waited) if waited else None)
        assert engine.answers(query.name)["change"].to_pylist().count("open") == outcome.ended["open"]


@pytest.mark.parametrize("room", [1, 200_000])
def test_an_answer_is_one_whatever_its_column_became(room: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The text 1 is told as it is, and in quotes once there is the number 1 as well."""
    monkeypatch.setattr(outcomes, "_ROOM", room)
    program = parse("input Temp(x, time). Hot(X, T) :- Temp(X, T), Temp(X, T+2). query Hot(X, T).")
    engine, counted = Engine(program), ReplaySummary(program.plan.queries)
    steps: list[list[Any]] = [["1"], [1], ["1", True], [1]]
    for tick, values in enumerate(steps):
        counted.take(engine.advance(tick, {"Temp": [(value, tick) for value in values]}), tick)
    found = counted.found(engine.now)["Hot"]
    assert found.ended == {"confirmed": 2, "rejected": 0, "open": 3}


def test_what_is_settled_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outcomes, "_ROOM", 10)
    program = parse("input A(x, time). P(X, T) :- A(X, T), A(X, T+1). query P(X, T).")
    engine, counted = Engine(program), ReplaySummary(program.plan.queries)
    for tick in range(0, 500, 3):
        counted.take(engine.advance(tick, {"A": [(f"a{tick}", tick)]}), tick)
        (query,) = counted._queries.values()
        assert sum(table.num_rows for table in query._open) <= 12
    assert counted.found(engine.now)["P"].ended["rejected"] == 166


def test_how_early_a_confirmed_answer_was_told() -> None:
    program = parse("input A(x, time) delay 2. P(X, T) :- A(X, T), A(X, T+1). query P(X, T).")
    engine, counted = Engine(program), ReplaySummary(program.plan.queries)
    for tick, given in ((0, [("a", 0)]), (1, [("a", 1)]), (9, [])):
        counted.take(engine.advance(tick, {"A": given}), tick)
    assert counted.found(9)["P"] == QuerySummary(
        {"confirmed": 1, "rejected": 1, "open": 0},
        {"possible": 2, "confirmed": 1, "rejected": 1},
        certain=1,  # told at 0, confirmed at 1
        waiting=3,  # a fact about 1 may come until 3
    )


def test_the_median() -> None:
    assert median({}) is None
    assert [median({4: 1}), median({1: 1, 4: 1}), median({1: 3, 9: 2}), median({2: 2, 1: 1, 7: 3})] == [
        4, 2.5, 1, 4.5,
    ]  # fmt: skip
