"""antelog/spark/bucket/stream.py: chances where rules change while a stream runs, as in one process."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pytest

import antelog
from antelog.forecast.model_file import Model
from antelog.forecast.rates.learning import Learning
from antelog.process import Engine
from antelog.spark.bucket import stream as bucket_stream
from antelog.spark.job.forecasts import GivenModel, forecasts_of
from antelog.spark.job.job import Job, Predecessor
from tests.engine.replay import frames
from tests.spark.comparing import Fact, job_of, tables_of
from tests.spark.simulated import Stream

INPUT = """
input Level(device: text, level: text, time) delay 2{}, one per device.
input Off(device: text, time) delay 1.
"""
DECLARED = "chance Level(_, high, _) = 40%. chance Off(_, _) = 5%."
SHARES = " (70%, 20%, 10%)"
TWICE = "Twice(X, T) :- Level(X, high, T), Level(X, high, T+1), not Off(X, T+2). query Twice(X, T)."
GONE = "Fell(X, T) :- Level(X, high, T), Level(X, low, T+1). query Fell(X, T)."
NEW = "Calm(X, T) :- Level(X, low, T), not Off(X, T+1), Level(X, low, T+2). query Calm(X, T)."
BEFORE, CUT, LAST = 40, 70, 125


def program(queries: str, *, declared: bool = True) -> antelog.Program:
    begin = INPUT.format(SHARES) + DECLARED if declared else INPUT.format("")
    return antelog.parse(f"{begin} {TWICE} {queries}")


def facts_of_devices() -> list[Fact]:
    """A reading of each device at each tick, some of them late; time goes on by those of another device."""
    dice = random.Random(3)
    ends = (BEFORE + 1, CUT + 1, LAST + 1)
    found: list[Fact] = [("Level", ("clock", "low", at), at) for at in ends]
    found += [("Off", ("clock", at), at) for at in ends]
    for tick in range(LAST - 5):
        for device in "abc":
            level, late = dice.choices(("high", "low"), (4, 6))[0], dice.choices((0, 1, 2), (7, 2, 1))[0]
            found.append(("Level", (device, level, tick), tick + late))
            if dice.random() < 0.1:
                found.append(("Off", (device, tick), tick + dice.randrange(2)))
    return sorted(found, key=lambda fact: fact[2])


FACTS = facts_of_devices()


def job(of: antelog.Program, given: GivenModel = None, before: Sequence[Job] = (), **settings: Any) -> Job:
    learning = Learning(given == "learn", **settings)
    tables = tables_of(of.plan, FACTS)
    found = job_of(of.plan, tables, 2, forecasts=forecasts_of(of.plan, given, learning))
    known = tuple(Predecessor(each.identity, each.plan) for each in before)
    return replace(found, data=replace(found.data, before=known))


def streamed(first: Job, second: Job, seed: int) -> list[dict[str, Any]]:
    """The lines of a stream whose rules change after the tick CUT; a seed says what workers forget."""
    stream, found = Stream(first, random.Random(seed)), []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bucket_stream, "ROOM", 40)
        patch.setattr(bucket_stream, "SMALL", 40)
        for start, end, now in ((-1, BEFORE, first), (BEFORE, CUT, first), (CUT, LAST, second)):
            stream.continue_as(now)
            # A tick is over once there is a fact of the next one.
            part = [each for each in FACTS if start + (start > 0) < each[2] <= end + 1]
            found += stream.batch(tables_of(now.plan, part)).changes
    return found


def chances(rows: Sequence[Mapping[str, Any]], *, since: int = -1) -> dict[tuple[Any, ...], Any]:
    return {
        tuple(row[name] for name in ("query", "tick", "change", "X", "T")): row["chance"]
        for row in rows
        if row["change"] != "closed" and row["tick"] >= since
    }


def rows_of(*logs: Mapping[str, pa.Table]) -> list[dict[str, Any]]:
    tables = [(name, table) for log in logs for name, table in log.items()]
    return [{"query": name, **row} for name, table in tables for row in table.to_pylist()]


def in_process(first: antelog.Program, second: antelog.Program) -> list[dict[str, Any]]:
    engine = Engine(first)
    before = engine.advance(CUT, frames(FACTS, first.plan, -1, CUT))
    change = engine.change_rules(second, accept=True)
    assert change is not None
    return rows_of(before, change.changes, engine.advance(LAST, frames(FACTS, second.plan, CUT, LAST)))


@pytest.mark.parametrize("seed", range(3))
def test_what_slots_have_shown_goes_on(seed: int) -> None:
    """Chances are declared, and how often a slot has another fact is learned."""
    old, new = program(GONE), program(NEW)
    before = job(old)
    found = chances(streamed(before, job(new, before=[before]), seed))
    expected = chances(in_process(old, new))
    assert found == pytest.approx(expected, abs=1e-12, nan_ok=True)
    assert len({chance for (_, tick, *_), chance in expected.items() if tick >= CUT}) > 10


def learned(of: antelog.Program) -> Model:
    engine = Engine(of, model="learn")
    engine.advance(LAST, frames(FACTS, of.plan, -1, LAST))
    return engine.model


@pytest.mark.parametrize("seed", range(3))
def test_with_a_model_facts_from_before_the_change_count(seed: int) -> None:
    """From the change on chances are those of a run that had the new rules and their model throughout."""
    old, new = (program(each, declared=False) for each in (GONE, NEW))
    before, model = job(old, learned(old)), learned(new)
    found = chances(streamed(before, job(new, model, [before]), seed), since=CUT + 1)
    engine = Engine(new, model=model)
    expected = chances(rows_of(engine.advance(LAST, frames(FACTS, new.plan, -1, LAST))), since=CUT + 1)
    assert found == pytest.approx(expected, abs=1e-12, nan_ok=True)
    assert len({*expected.values()}) > 20
