"""antelog/spark/bucket/{past,settling}.py: a history before the first batch, without a seam."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import antelog
from antelog.errors import DataError
from antelog.forecast.files.parts import part_of
from antelog.forecast.query import Learning
from antelog.forecast.swapping import with_model
from antelog.process import Engine
from antelog.spark.bucket import caching
from antelog.spark.job.forecasts import Forecasts, forecasts_of
from antelog.spark.job.job import ARRIVED, Job
from tests.engine.replay import frames, runnable
from tests.spark.bucket.test_forecasting import PLAN, PROGRAM, TICKS, comparable, forecasts, readings
from tests.spark.bucket.test_law import ANY, BUCKETS
from tests.spark.comparing import Fact, closing, cut, job_of, kernel_log, tables_of
from tests.spark.comparing import comparable as compared
from tests.spark.simulated import Stream, run_batch, settled
from tests.strategies import Case

LAST = 75
"""The tick of the last arrival of the history: it may go on, so that the one before is the last finished."""

CHANCES = ("chance", "forecast", "chance_from")


def before_and_after(last: int = LAST) -> tuple[list[Fact], list[Fact]]:
    facts = readings(0)
    return [fact for fact in facts if fact[2] <= last], [fact for fact in facts if fact[2] > last]


def job_before(tables: dict[str, pa.Table], buckets: int, plan: Any = PLAN) -> Job:
    return job_of(plan, tables, buckets, batch=True, forecasts=Forecasts(Learning(True)))


def streamed(buckets: int, ends: Sequence[int], last: int = LAST) -> list[dict[str, Any]]:
    """What a stream tells that goes on from a history."""
    before, after = before_and_after(last)
    job = job_of(PLAN, tables_of(PLAN, after), buckets, forecasts=forecasts("learn"))
    tables = tables_of(PLAN, before)
    stream = Stream(job, random.Random(buckets))
    stream.begin_with(settled(job_before(tables, buckets), job, tables, random.Random(1)))
    parts = [*cut(after, ends), [closing(PLAN, TICKS + 5)]]
    return comparable(row for part in parts for row in stream.batch(tables_of(PLAN, part)).changes)


def at_once(buckets: int) -> list[dict[str, Any]]:
    """What a batch tells that goes on from a history."""
    before, after = before_and_after()
    tables = tables_of(PLAN, before)
    job = job_of(
        PLAN, tables_of(PLAN, after), buckets, forecasts=forecasts("learn"), batch=True, until=TICKS + 5
    )
    past = settled(job_before(tables, buckets), job, tables, random.Random(1))
    return comparable(run_batch(job, tables_of(PLAN, after), random.Random(0), past=past).changes)


def in_process(seam: int = LAST - 1) -> list[dict[str, Any]]:
    """What one engine tells after the seam if what all keys share stays from there on as it is."""
    engine = Engine(PROGRAM, model="learn")
    engine.advance(seam, frames(readings(0), PLAN, -1, seam))
    model, forecaster = engine.model, engine.forecaster
    learning = Learning(True, epoch=model.epoch, shared=False)
    known = with_model(forecaster.known, part_of(model, None), learning)
    engine._forecaster = replace(forecaster, known=known)
    log = engine.advance(TICKS + 5, frames(readings(0), PLAN, seam, TICKS + 5))
    return comparable({"query": name, **row} for name, table in log.items() for row in table.to_pylist())


def without_chances(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    plain = [row for row in rows if row["change"] not in ("likely", "unlikely")]
    return comparable({name: row[name] for name in row if name not in CHANCES} for row in plain)


@pytest.mark.parametrize("last", [0, 1, 40, LAST, 119])
def test_the_log_is_that_of_one_run_after_the_seam(last: int) -> None:
    engine = Engine(PROGRAM, model="learn")
    log = engine.advance(TICKS + 5, frames(readings(0), PLAN, -1, TICKS + 5))
    rows = [{"query": name, **row} for name, table in log.items() for row in table.to_pylist()]
    expected = without_chances(comparable(row for row in rows if row["tick"] >= last))
    assert expected
    for buckets, ends in ((1, []), (3, [50, 133])):
        assert without_chances(streamed(buckets, ends, last)) == expected


@pytest.mark.slow
@given(case=ANY, buckets=BUCKETS, at=st.integers(0, 30), seed=st.integers(0, 99))
def test_so_it_is_for_any_program(case: Case, buckets: int, at: int, seed: int) -> None:
    compiled = runnable(case.checked)
    assume(compiled is not None and case.facts)
    assert compiled is not None
    plan, facts = compiled.plan, sorted(case.facts, key=lambda fact: fact[2])
    last = facts[at % len(facts)][2]
    head = tables_of(plan, [fact for fact in facts if fact[2] <= last])
    tail = [[fact for fact in facts if fact[2] > last], [closing(plan, max(case.until, last))]]
    learns = forecasts_of(plan, "learn", learn=False)
    job = job_of(plan, head, buckets, forecasts=learns)
    stream = Stream(job, random.Random(seed))
    stream.begin_with(settled(job_before(head, buckets, plan), job, head, random.Random(seed)))
    told = compared(row for part in tail for row in stream.batch(tables_of(plan, part)).changes)
    expected = kernel_log(plan, facts, max(case.until, last))
    assert without_chances(told) == without_chances([row for row in expected if row["tick"] >= last])


def test_chances_are_those_of_the_engine() -> None:
    expected = in_process()
    assert sum("chance" in row for row in expected) > 50
    assert {row["change"] for row in expected} >= {"likely", "unlikely"}
    assert streamed(1, []) == expected
    assert streamed(1, [60, 100]) == expected
    assert at_once(1) == expected


def test_neither_cuts_nor_batches_change_a_chance() -> None:
    """How good the judges were is known from all buckets; each has judged with what it knew."""
    whole = streamed(3, [])
    assert streamed(3, [40, 111]) == whole == at_once(3)
    alone, at = {}, ("query", "X", "T", "tick", "change")
    for row in streamed(1, []):
        alone[tuple(row.get(name) for name in at)] = row
    apart = [
        abs(row["chance"] - other["chance"])
        for row in whole
        if "chance" in row and "chance" in (other := alone.get(tuple(row.get(n) for n in at), {}))
    ]
    assert len(apart) > 50
    assert max(apart) < 0.03


def test_what_came_before_the_seam_is_evidence_after_it() -> None:
    tables = tables_of(PLAN, [("Temp", ("a", "high", 0), 0), ("Temp", ("a", "high", 1), 1)])
    job = job_of(PLAN, tables, 3, forecasts=forecasts("learn"))
    rows = settled(job_before(tables, 3), job, tables, random.Random(0))
    assert {row["now"] for row in rows.values()} == {0}
    stream = Stream(job, random.Random(0))
    stream.begin_with(rows)
    later = tables_of(PLAN, [("Temp", ("a", "high", 2), 2), closing(PLAN, 2)])
    seen = stream.batch(later)
    (found,) = [row for row in seen.changes if row["change"] == "confirmed"]
    evidence = ["Temp(a, high, 0)", "Temp(a, high, 1)", "Temp(a, high, 2)"]
    assert found["explanations"] == [{"evidence": evidence, "hypotheses": []}]
    assert min(row["tick"] for row in seen.changes) == 1


def test_a_worker_that_remembers_nothing_goes_on_all_the_same() -> None:
    before, after = before_and_after()
    tables, later = tables_of(PLAN, before), tables_of(PLAN, after)
    job = job_of(PLAN, later, 2, forecasts=forecasts("learn"))
    told = []
    for forgets in (False, True):
        stream = Stream(job, random.Random(0))
        stream.begin_with(settled(job_before(tables, 2), job, tables, random.Random(1)))
        if forgets:
            caching.forget()
        told.append(comparable(stream.batch(later).changes))
    assert told[0]
    assert told[0] == told[1]


def test_what_is_older_than_the_history_is_set_aside() -> None:
    before, after = before_and_after()
    tables = tables_of(PLAN, before)
    job = job_of(PLAN, tables, 2, forecasts=forecasts("learn"))
    stream = Stream(job, random.Random(0))
    stream.begin_with(settled(job_before(tables, 2), job, tables, random.Random(1)))
    again = [fact for fact in before if fact[2] >= LAST - 5]
    seen = stream.batch(tables_of(PLAN, [*again, *after, closing(PLAN, TICKS + 5)]))
    late = [fact for fact in again if fact[2] < LAST]
    assert late
    assert all("was already over" in row["detail"] for row in seen.rejects)
    assert len(seen.rejects) == len(late)
    assert comparable(seen.changes) == streamed(2, [])


@pytest.mark.parametrize("own", [pa.int32(), pa.timestamp("ms", "UTC")])
def test_a_history_may_have_arrivals_or_none(own: pa.DataType) -> None:
    """What waits at its end has them as what follows does."""
    text = "tick 10 seconds. input Temp(x: text, time) delay 1. Two(X, T) :- Temp(X, T), Temp(X, T+1)."
    program = antelog.parse(text + " query Two(X, T).")
    times = pa.array([0, 10, 20], pa.int64()).cast(pa.timestamp("s", "UTC"))
    ticks = [0, 1, 2] if own == pa.int32() else [0, 10_000, 20_000]
    arrivals = pa.array(ticks, pa.int32() if own == pa.int32() else pa.int64()).cast(own)
    whole = pa.table({"x": ["a", "a", "a"], "time": times, ARRIVED: arrivals})
    for first, second in ((whole, whole), (whole.drop_columns([ARRIVED]), whole)):
        head, tail = {"Temp": first.slice(0, 2)}, {"Temp": second.slice(2)}
        learns = forecasts_of(program.plan, "learn", learn=False)
        job = job_of(program.plan, tail, 1, batch=True, forecasts=learns)
        past = settled(job_before(head, 1, program.plan), job, head, random.Random(0))
        told = run_batch(job, tail, random.Random(0), past=past).changes
        confirmed = sorted(row["T"] for row in told if row["change"] == "confirmed")
        assert [int(each.timestamp()) if hasattr(each, "timestamp") else each for each in confirmed] == [0, 1]


def test_a_stream_that_follows_the_wall_clock_begins_at_the_end_of_the_history() -> None:
    """It has not been idle since the wall clock began."""
    text = "tick 10 seconds. input Temp(x: text, time) delay 1. Two(X, T) :- Temp(X, T), Temp(X, T+1)."
    plan = antelog.parse(text + " query Two(X, T).").plan
    head = {"Temp": pa.table({"x": ["a", "a"], "time": [8, 9]})}
    tail = {"Temp": pa.table({"x": ["b"], "time": [10]})}
    learns, hour = forecasts_of(plan, "learn", learn=False), 3_600_000
    job = job_of(plan, tail, 1, idle=30_000, forecasts=learns)
    stream = Stream(job, random.Random(0))
    stream.begin_with(settled(job_before(head, 1, plan), job, head, random.Random(0)), hour)
    assert [each["now"] for each in stream.batch(tail, hour).counts] == [9]
    assert [each["now"] for each in stream.batch({}, hour + 40_000).counts] == [13]


def test_values_that_do_not_fit_are_refused() -> None:
    program = antelog.parse("input P(x: number, time). Q(X, T) :- P(X, T). query Q(X, T).")
    head = {"P": pa.table({"x": [1.5], "time": [3]})}
    job = job_of(program.plan, {"P": pa.table({"x": [1], "time": [3]})}, 1, forecasts=forecasts("learn"))
    with pytest.raises(DataError, match="column x of P in what is to be learned from does not go with"):
        settled(job_before(head, 1, program.plan), job, head, random.Random(0))


def test_nothing_to_learn_from() -> None:
    tables = tables_of(PLAN, [])
    job = job_of(PLAN, tables, 2, forecasts=forecasts("learn"))
    with pytest.raises(DataError, match="the history that is to be learned from has no facts"):
        settled(job_before(tables, 2), job, tables, random.Random(0))
