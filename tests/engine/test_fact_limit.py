"""antelog/engine/fact_limit.py: what is dropped is reported, and all else that is reported is true."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest

import antelog
from antelog import DataError, Engine, UnsupportedError
from antelog.engine.step.schema import AFTER_ANSWER

# Answers about T rest on facts about T - 4 up to T + 1.
BOUNDED = """
input Temp(device, level, time) delay 3.
static Device(device).
Device(a). Device(b).
Hot(X, T) :- Temp(X, high, T-1), Temp(X, high, T).
Fine(X, T) :- Device(X), not Hot(X, T-3), not Hot(X, T+1).
query Fine(X, T).
query Hot(X, T).
"""

# A request may be answered at any time.
UNBOUNDED = """
input Asked(who, what, time) delay 2.
input Told(what, time) delay 2.
Served(X, M, T) :- Asked(X, M, T0), Told(M, T), T0 < T.
query Served(X, M, T).
"""

CUT = "Given(X, T) :- Asked(X, T), Told(X, T2), T < T2. query Given(X, T)."

Rows = list[dict[str, Any]]


def key(row: dict[str, Any]) -> str:
    names = [name for name in row if name not in (*_REPORTED, "tick", "change")]
    return repr([row[name] for name in names])


_REPORTED = tuple(AFTER_ANSWER)


def stream(random: Random, ticks: int, predicates: dict[str, list[list[str]]], delay: int) -> dict[int, Any]:
    """Facts by the tick at which they arrive, some of them late."""
    batches: dict[int, Any] = {tick: {name: [] for name in predicates} for tick in range(ticks + delay)}
    for tick in range(ticks):
        for name, choices in predicates.items():
            for _ in range(random.randrange(5)):
                arrival = tick + random.choice([0, 0, 0, *range(delay + 1)])
                fact = (*(random.choice(choice) for choice in choices), tick, arrival)
                batches[arrival][name].append(fact)
    return batches


def check_the_law(engine: Engine, query: str, last: dict[str, dict[str, Any]], reported: Rows) -> None:
    """The last line about each answer says whether it is open, and with which explanations."""
    for row in reported:
        last[key(row)] = row
    open_ = {
        key(row): row["explanations"]
        for row in engine.answers(query).to_pylist()
        if row["change"] != "confirmed"
    }
    expected = {
        name: row["explanations"] for name, row in last.items() if row["change"] in ("possible", "revised")
    }
    assert open_ == expected


@pytest.mark.parametrize("query", ["Fine", "Hot"])
@pytest.mark.parametrize("seed", range(4))
def test_what_is_not_given_up_is_as_without_a_limit(seed: int, query: str) -> None:
    program = antelog.parse(BOUNDED)
    limited, plain = Engine(program, limit=7), Engine(program)
    levels = {"Temp": [["a", "b", "c"], ["high", "ok"]]}
    last: dict[str, dict[str, Any]] = {}
    lost = 0
    for tick, facts in stream(Random(seed), 60, levels, 3).items():
        expected = plain.advance(tick, facts)[query].to_pylist()
        reported = limited.advance(tick, facts)[query].to_pylist()
        check_the_law(limited, query, last, reported)
        assert limited.status.state_rows <= 7
        first = limited._state.carried.forgotten + (4 if query == "Fine" else 1)
        by_limit = [row for row in reported if row["because"] == ["(limit)"]]
        assert all((row["if_silent"], row["decided_by"]) == (None, None) for row in by_limit)
        assert all(
            row["change"] == "rejected" and row["tick"] == tick and row["T"] < first for row in by_limit
        )
        others = [row for row in reported if row not in by_limit]
        assert [row for row in others if row["T"] >= first] == [row for row in expected if row["T"] >= first]
        assert all(row in expected for row in others)
        lost += len(by_limit)
    assert lost > 0
    dropped = limited.dropped.to_pylist()
    assert [row["input"] for row in dropped] == ["Temp"]
    assert dropped[0]["facts"] == limited.status.dropped > 0
    assert dropped[0]["last"] < limited._state.carried.forgotten <= 63


@pytest.mark.parametrize("rules", [UNBOUNDED, UNBOUNDED.replace("Served(X, M, T)", "Served(X, M, T0)")])
@pytest.mark.parametrize("seed", range(4))
def test_what_is_reported_of_an_unbounded_program_is_true(seed: int, rules: str) -> None:
    program = antelog.parse(rules)
    limited, plain = Engine(program, limit=15), Engine(program)
    choices = {"Asked": [["a", "b"], ["m", "n", "o"]], "Told": [["m", "n", "o"]]}
    last: dict[str, dict[str, Any]] = {}
    confirmed, by_limit = set(), 0
    for tick, facts in stream(Random(seed), 30, choices, 2).items():
        confirmed |= {
            key(r) for r in plain.advance(tick, facts)["Served"].to_pylist() if r["change"] == "confirmed"
        }
        reported = limited.advance(tick, facts)["Served"].to_pylist()
        check_the_law(limited, "Served", last, reported)
        assert limited.status.state_rows <= 15
        assert {key(row) for row in reported if row["change"] == "confirmed"} <= confirmed
        by_limit += sum(row["because"] == ["(limit)"] for row in reported)
    assert by_limit > 0
    assert {row["input"] for row in limited.dropped.to_pylist()} >= {"Asked"}


def test_facts_about_ticks_that_were_given_up_are_dropped() -> None:
    engine = Engine(antelog.parse(CUT.replace("Given", "input Asked(x, time) delay 9. Given", 1)), limit=2)
    engine.advance(3, {"Asked": [("a", 1), ("b", 2), ("c", 3)]})
    assert engine.dropped.to_pylist() == [{"input": "Asked", "facts": 1, "first": 1, "last": 1}]
    changed = engine.advance(4, {"Asked": [("d", 0, 4), ("e", 1, 4)]})
    assert changed["Given"].num_rows == 0
    assert engine.dropped.to_pylist() == [{"input": "Asked", "facts": 3, "first": 0, "last": 1}]
    assert (engine.status.dropped, engine.status.state_rows) == (3, 2)


def test_a_whole_tick_may_be_too_much() -> None:
    engine = Engine(antelog.parse(CUT), limit=2)
    changed = engine.advance(0, {"Asked": [("a", 0), ("b", 0), ("c", 0)]})["Given"].to_pylist()
    assert [(row["change"], row["because"]) for row in changed] == [("possible", None)] * 3 + [
        ("rejected", ["(limit)"])
    ] * 3
    assert engine.answers("Given").num_rows == 0
    assert engine.advance(1, {"Asked": [("a", 1)]})["Given"]["change"].to_pylist() == ["possible"]


def test_only_the_kinds_asked_for() -> None:
    engine = Engine(antelog.parse(CUT), limit=2, only=("confirmed",))
    assert engine.advance(0, {"Asked": [("a", 0), ("b", 0), ("c", 0)]})["Given"].num_rows == 0
    assert engine.status.dropped == 3


def test_a_limit_is_saved(tmp_path: Path) -> None:
    program = antelog.parse(CUT)
    engine = Engine(program, limit=2)
    engine.advance(2, {"Asked": [("a", 0), ("b", 1), ("c", 2)]})
    engine.save(tmp_path / "state")
    again = Engine.restore(tmp_path / "state", program)
    facts = {"Asked": [("d", 3)], "Told": [("b", 3), ("a", 3)]}
    assert engine.advance(3, facts)["Given"].equals(again.advance(3, facts)["Given"])
    assert engine.dropped.equals(again.dropped)
    assert engine.status == again.status


def test_a_limit_that_could_make_something_false_true_is_refused() -> None:
    rules = """
    New(X, T) :- Seen(X, T), not Known(X, T).
    Known(X, T) :- Seen(X, T0), Beat(X, T), T0 < T.
    query New(X, T).
    """
    program = antelog.parse(rules)
    Engine(program)
    with pytest.raises(UnsupportedError, match="cannot have a limit: New rests on a negation"):
        Engine(program, limit=1000)
    with pytest.raises(DataError, match="the limit is 0"):
        Engine(antelog.parse(CUT), limit=0)
