"""antelog/spark/bucket/forecasting.py, antelog/spark/job/forecasts.py: the lines that buckets leave out."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pytest

from antelog.forecast.columns import KINDS
from antelog.forecast.limits import Limits
from antelog.process import Engine
from antelog.spark.bucket import storage
from antelog.spark.job.dividing import parts_of
from antelog.spark.job.forecasts import Forecasts
from tests.engine.replay import frames
from tests.spark.bucket.test_forecasting import PLAN, PROGRAM, TICKS, comparable, forecasts, history, readings
from tests.spark.comparing import Fact, closing, cut, job_of, tables_of
from tests.spark.simulated import Stream, run_batch

RARE = Limits(min_chance=0.4)
FEW = Limits(most=2)
FACTS = readings(0)

Lines = list[dict[str, Any]]


def in_process(limits: Limits, facts: Sequence[Fact], **model: Any) -> Lines:
    """The lines of the engine."""
    engine = Engine(PROGRAM, min_chance=limits.min_chance, most=limits.most, **model)
    log = engine.advance(TICKS + 5, frames(facts, PLAN, -1, TICKS + 5))
    return comparable({"query": name, **row} for name, table in log.items() for row in table.to_pylist())


def streamed(given: Forecasts, buckets: int, ends: Sequence[int], room: int = 40) -> Lines:
    """The lines of a stream's buckets; each is often read anew from what is stored of it."""
    job = job_of(PLAN, tables_of(PLAN, FACTS), buckets, forecasts=given)
    stream = Stream(job, random.Random(buckets))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(storage, "ROOM", room)
        patch.setattr(storage, "SMALL", room)
        seen = [
            stream.batch(tables_of(PLAN, part)) for part in (*cut(FACTS, ends), [closing(PLAN, TICKS + 5)])
        ]
    return comparable(row for each in seen for row in each.changes)


CUTS = [(1, [], 40), (1, [90, 200, 310], 0), (5, [150, 333], 40), (5, [60, 400], 10_000)]


@pytest.mark.parametrize(("buckets", "ends", "room"), CUTS)
def test_with_min_chance_buckets_change_nothing(buckets: int, ends: list[int], room: int) -> None:
    lines = in_process(RARE, FACTS, model=history())
    assert {row["change"] for row in lines} == {*KINDS} - {"closed"}
    assert len(lines) < len(in_process(Limits(), FACTS, model=history()))
    given = replace(forecasts(history()), limits=RARE)
    assert streamed(given, buckets, ends, room) == lines


@pytest.mark.parametrize(("buckets", "ends", "room"), CUTS)
def test_most_is_of_each_bucket(buckets: int, ends: list[int], room: int) -> None:
    """A bucket has the lines of an engine that has its keys alone."""
    names = pa.array(["a", "b", "c", "d", "e"])
    places = dict(zip(names.to_pylist(), parts_of(names, buckets).tolist(), strict=True))
    parts = [
        in_process(FEW, [fact for fact in FACTS if places[str(fact[1][0])] == place], model=history())
        for place in sorted(set(places.values()))
    ]
    given = replace(forecasts(history()), limits=FEW)
    assert streamed(given, buckets, ends, room) == comparable(row for part in parts for row in part)


def test_unlikely_answers_are_not_among_the_open_ones() -> None:
    facts = [fact for fact in FACTS if fact[2] <= 60]
    tables = tables_of(PLAN, facts)

    def still(limits: Limits) -> Lines:
        given = replace(forecasts(history()), limits=limits)
        job = job_of(PLAN, tables, 3, forecasts=given, batch=True, only=("confirmed",))
        reported = run_batch(job, tables, random.Random(0), answers=True).changes
        return comparable(row for row in reported if row["change"] == "open")

    unlikely = Limits(min_chance=0.5)
    engine = Engine(PROGRAM, model=history(), min_chance=0.5)
    engine.advance(60, frames(facts, PLAN, -1, 60))
    expected = [
        {"query": name, **row, "change": "open"}
        for name in ("Malf", "Calm")
        for row in engine.answers(name).to_pylist()
        if row["change"] != "confirmed"
    ]
    assert still(unlikely) == comparable(expected)
    assert len(still(unlikely)) < len(still(Limits()))
