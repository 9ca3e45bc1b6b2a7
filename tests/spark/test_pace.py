"""antelog/spark/bucket/pace.py: each source of a stream has a time of its own."""

import random
from collections.abc import Mapping
from typing import Any

import pyarrow as pa
import pytest

from antelog.errors import DataError
from antelog.run.clock import Slowest
from antelog.spark.bucket.pace import PATIENCE, SourceTime, heard, holding
from antelog.spark.job.job import ARRIVED
from antelog.spark.settings import SOURCE
from tests.run.pace import DELAYS, PaceCase, Row, Rows, case_of, confirmed
from tests.spark.comparing import job_of
from tests.spark.simulated import Seen, Stream


def _tables(case: PaceCase, turn: Mapping[str, Rows]) -> dict[str, pa.Table]:
    found = {}
    for name in DELAYS:
        rows = case.rows(name, [turn])
        columns: dict[str, Any] = {
            "x": pa.array([row.x for _, row in rows], pa.string()),
            "time": pa.array([row.time for _, row in rows], pa.int64()),
        }
        if case.clock == "arrival":
            columns[ARRIVED] = pa.array([row.arrival for _, row in rows], pa.int64())
        parts = [source.partition("/")[2] or None for source, _ in rows]
        found[name] = pa.table(columns | {SOURCE: pa.array(parts, pa.string())})
    return found


def streamed(case: PaceCase, seed: int, **settings: Any) -> list[Seen]:
    plan = case.program.plan
    tables = {name: table.drop_columns([SOURCE]) for name, table in _tables(case, {}).items()}
    stream = Stream(job_of(plan, tables, 2, lag=case.lag, **settings), random.Random(seed))
    return [stream.batch(_tables(case, turn)) for turn in case.turns]


def check(seed: int) -> None:
    case = case_of(seed)
    seen = streamed(case, seed)
    assert [row for each in seen for row in each.rejects] == []
    assert confirmed(row for each in seen for row in each.changes) == case.confirmed()


def test_a_source_holds_until_ten_micro_batches_had_rows_of_others_alone() -> None:
    sources = heard({}, {"A": 5, "B": 9})
    assert holding(sources) == Slowest("A", 5, 4)
    for number in range(PATIENCE):
        assert holding(sources) == Slowest("A", 5, 4 + number)
        sources = heard(heard(sources, {"B": 10 + number}), {})  # one without rows does not count
    assert holding(sources) == Slowest("B", 19, 0)
    assert holding(heard(sources, {"A": 7})) == Slowest("A", 7, 12)
    assert heard({"A": SourceTime(5, 3)}, {"A": 2}) == {"A": SourceTime(5)}
    assert holding({}) is None


def _counted(turns: list[dict[str, list[Row]]], **settings: Any) -> list[tuple[Any, ...]]:
    seen = streamed(PaceCase("event", 1, turns), 7, **settings)
    assert not any(each.rejects for each in seen)
    return [
        (one["now"], one["query"], one["behind"], sum(row["held"] for row in each.counts))
        for each in seen
        for one in each.counts[:1]
    ]


AHEAD = {"Alarm": [Row("a", tick, tick) for tick in range(40)], "Ack/p1": [Row("a", 3, 3)]}


def test_progress_says_which_source_holds_how_much() -> None:
    others = [{"Alarm": [Row("b", tick, tick)]} for tick in range(40, 50)]
    rows = [(2, "Ack from p1", 36 + more, 38 + more) for more in range(10)]
    assert _counted([AHEAD, *others]) == [*rows, (48, None, 0, 1)]


def test_more_rows_than_max_waiting_stop_a_stream() -> None:
    found = "38 rows of a bucket wait for Ack from p1, which holds time back at tick 3: others are 36 ticks "
    with pytest.raises(DataError) as stopped:
        _counted([AHEAD], max_waiting=75)
    assert str(stopped.value).startswith(f"{found}ahead. That is more than max_waiting (75, in")
    assert _counted([AHEAD], max_waiting=76)


@pytest.mark.parametrize("seed", range(4))
def test_a_stream_confirms_what_a_batch_does(seed: int) -> None:
    check(seed)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(4, 204))
def test_two_hundred_streams(seed: int) -> None:
    check(seed)
