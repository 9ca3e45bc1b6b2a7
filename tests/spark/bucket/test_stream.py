"""antelog/spark/bucket/stream.py, antelog/spark/job/job.py: how time moves on, and arrivals."""

import random
from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa
import pytest

from antelog import StateError, parse
from antelog.spark.bucket import stream as bucket_stream
from antelog.spark.bucket.state import BucketState, start
from antelog.spark.bucket.stream import recall, remember, remembered
from antelog.spark.job.job import ARRIVED, Job
from tests.spark.comparing import job_of
from tests.spark.simulated import Stream

PROGRAM = parse("""
tick 1 second.
input Temp(x: text, time) delay 1.
Twice(X, T) :- Temp(X, T), Temp(X, T+1).
query Twice(X, T).
""")
Row = tuple[Any, ...]


def _table(rows: Sequence[Row], arrivals: bool) -> pa.Table:
    columns = [*zip(*rows, strict=True)] if rows else [(), (), ()][: 2 + arrivals]
    names = ["x", "time", ARRIVED][: 2 + arrivals]
    types = [pa.string(), pa.int64(), pa.int64()][: 2 + arrivals]
    return pa.table([pa.array(c, t) for c, t in zip(columns, types, strict=True)], names)


def _stream(clock: str, **settings: Any) -> tuple[Stream, Job]:
    table = _table([], clock == "arrival")
    job = job_of(PROGRAM.plan, {"Temp": table}, 3, clock=clock, **settings)
    return Stream(job, random.Random(1)), job


def _log(stream: Stream, rows: Sequence[Row], wall: int = -1) -> list[tuple[Any, ...]]:
    table = _table(rows, len(rows[0]) == 3) if rows else None
    seen = stream.batch({} if table is None else {"Temp": table}, wall)
    return sorted((row["tick"], row["change"], row["X"], row["T"]) for row in seen.changes)


def test_lag_takes_in_what_arrives_out_of_order() -> None:
    for lag, rejected in ((1, 1), (4, 0)):
        stream, _ = _stream("arrival", lag=lag)
        stream.batch({"Temp": _table([("a", 5, 5)], True)})
        seen = stream.batch({"Temp": _table([("a", 3, 3)], True)})
        assert len(seen.rejects) == rejected


def test_what_waited_is_reported_of_at_the_tick_it_arrived() -> None:
    stream, _ = _stream("arrival", lag=4)
    _log(stream, [("a", 5, 5)])
    _log(stream, [("a", 3, 3)])
    assert _log(stream, [("b", 30, 30)])[:1] == [(3, "possible", "a", 3)]


def test_calls_that_fail_are_told_once() -> None:
    text = """input R(x: text, v: text, time). static S(v). static Even(v). S(word).
        function half(a) -> number.
        Even(V) :- S(V), half(V) > 1. Q(X, T) :- R(X, V, T), not Even(V), half(V) > 0. query Q(X, T)."""
    table = pa.table({"x": list("abcde"), "v": list("efghi"), "time": pa.array(range(5))})
    stream = Stream(job_of(parse(text).plan, {"R": table}, 3), random.Random(1))
    seen = [stream.batch({"R": table.slice(at, 1)}) for at in range(5)]
    told = sorted((row["values"], row["reason"]) for each in seen for row in each.rejects)
    assert told == [(f'["{v}"]', "failed") for v in ("e", "f", "g", "h", "word")]
    assert sum(row["failed"] for each in seen for row in each.counts) == 5


def test_a_state_that_spark_cannot_take_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    stream, _ = _stream("event")
    stream.batch({"Temp": _table([("a", 5)], False)})
    monkeypatch.setattr(bucket_stream, "AT_ONCE", 99)
    with pytest.raises(StateError, match=r"a bucket has [\d,]+ bytes, .* at most 99 at once\. Give it more"):
        stream.batch({"Temp": _table([("a", 6)], False)})


def test_old_facts_arrive_when_the_next_tick_is_finished() -> None:
    stream, _ = _stream("event")
    _log(stream, [("a", 5)])
    stream.batch({"Temp": _table([("a", 4), ("b", 3)], False)})
    seen = stream.batch({"Temp": _table([("c", 9)], False)})
    assert [(row["values"], row["reason"], row["arrival"]) for row in seen.rejects] == [('["b"]', "late", 5)]
    assert ("confirmed", "a", 4) in {(row["change"], row["X"], row["T"]) for row in seen.changes}


def test_idle_streams_advance_with_the_wall_clock() -> None:
    stream, _ = _stream("arrival", idle=5_000_000)
    assert _log(stream, [("a", 100, 100)], wall=50_000) == []
    assert _log(stream, [], wall=54_999) == []  # not silent for long enough
    silent = _log(stream, [], wall=55_000)
    assert (102, "rejected", "a", 100) in silent
    assert max(tick for tick, *_ in silent) <= 104
    # Where the clock has been, nothing can arrive any more.
    assert len(stream.batch({"Temp": _table([("a", 101, 101)], True)}, 56_000).rejects) == 1


def test_the_wall_clock() -> None:
    stream, _ = _stream("processing")
    assert _log(stream, [("a", 7)], wall=7_500) == []
    assert _log(stream, [], wall=8_000) == [(7, "possible", "a", 7)]
    assert _log(stream, [], wall=10_000)[-1] == (9, "rejected", "a", 7)
    seen = stream.batch({"Temp": _table([("a", 12), ("a", 5)], False)}, 10_500)
    assert sorted(row["reason"] for row in seen.rejects) == []  # not before the tick is finished
    seen = stream.batch({}, 11_000)
    assert sorted(row["reason"] for row in seen.rejects) == ["early", "late"]


# ---- what a worker remembers ----


@pytest.fixture
def bucket() -> Iterator[BucketState]:
    remembered.clear()
    table = pa.table({"x": ["a"], "time": pa.array([0], pa.int64())})
    yield start(job_of(PROGRAM.plan, {"Temp": table}, 1), 0)
    remembered.clear()


def test_an_older_version_is_not_taken_for_the_one_in_the_store(bucket: BucketState) -> None:
    remember(b"bucket", b"1", bucket)
    assert recall(b"bucket", b"1") is bucket
    assert recall(b"bucket", b"2") is None
    assert recall(b"another", b"1") is None


RULES = "tick 1 second. input Temp(x: text, time). Hot(X, T) :- Temp(X, T), Temp(X, T+{}). query Hot(X, T)."
ONE, TWO = parse(RULES.format(1)), parse(RULES.format(2))
TABLE = pa.table({"x": ["a"], "time": pa.array([0], pa.int64())})


def _job(buckets: int = 2, **settings: Any) -> Job:
    return job_of(ONE.plan, {"Temp": TABLE}, buckets, **settings)


@pytest.mark.parametrize(
    ("other", "why"),
    [
        (job_of(TWO.plan, {"Temp": TABLE}, 2), "another program"),
        (_job(4), "2 buckets, not 4"),
        (_job(clock="processing"), "the clock `event`, not `processing`"),
    ],
)
def test_the_state_of_another_run_is_refused(other: Job, why: str) -> None:
    stream = Stream(_job(), random.Random(1))
    stream.batch({"Temp": TABLE})
    stream.continue_as(other)
    with pytest.raises(StateError, match=why):
        stream.batch({"Temp": TABLE})
