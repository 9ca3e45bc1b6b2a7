"""antelog/spark/bucket/stream.py: each source of a stream has a time of its own."""

import random
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

import antelog.spark
from antelog.errors import DataError
from antelog.spark.job.job import ARRIVED
from antelog.spark.settings import SOURCE
from tests.run.pace import PROGRAM, SEEDS, PaceCase, Turn, at, case_of, table
from tests.spark.comparing import job_of
from tests.spark.simulated import Seen, Stream
from tests.spark.streamed import result, run, stream_of


def _tables(turn: Turn) -> dict[str, pa.Table]:
    found: dict[str, list[pa.Table]] = {}
    for source, rows in turn.items():
        part = pa.array([source if "/" in source else None] * len(rows), pa.string())
        names = [ARRIVED if name == "arrival" else name for name in rows.column_names]
        named = rows.rename_columns(names).append_column(SOURCE, part)
        found.setdefault(source.partition("/")[0], []).append(named)
    return {name: pa.concat_tables(each) for name, each in found.items()}


def _streamed(case: PaceCase, seed: int = 0, **settings: Any) -> list[Seen]:
    tables = {name: each.drop_columns([SOURCE]) for name, each in _tables(case.turns[0]).items()}
    stream = Stream(job_of(PROGRAM.plan, tables, 2, lag=case.lag, **settings), random.Random(seed))
    seen = [stream.batch(_tables(turn)) for turn in case.turns]
    assert not any(each.rejects for each in seen)
    return seen


AHEAD = {"Alarm": at(*range(40)), "Ack/p1": at(3)}


def test_a_source_holds_until_ten_micro_batches_had_rows_of_others_alone() -> None:
    others = [{"Alarm": at(tick)} for tick in range(40, 50)]
    turns = [AHEAD, *(turn for each in others for turn in (each, {})), {"Ack/p1": at(49)}]
    found = [
        (one["now"], one["query"], one["behind"], sum(row["held"] for row in each.counts))
        for each in _streamed(PaceCase("event", 1, turns))
        for one in each.counts[:1]
    ]
    assert found == [*((2, "Ack/p1", 36 + n, 38 + n) for n in range(10)), (48, None, 0, 1), (48, None, 0, 2)]


def test_inputs_that_were_split_from_one_stream_are_one_source() -> None:
    tables = {"Alarm": AHEAD["Alarm"], "Ack": AHEAD["Ack/p1"]}
    stream = Stream(job_of(PROGRAM.plan, tables, 1), random.Random(0))
    named = {name: rows.append_column(SOURCE, pa.array(["s"] * len(rows))) for name, rows in tables.items()}
    (counts,) = stream.batch(named).counts
    assert (counts["now"], counts["query"], counts["behind"]) == (38, None, 0)


def test_more_rows_than_max_waiting_stop_a_stream() -> None:
    case = PaceCase("event", 1, [AHEAD])
    found = "38 rows of a bucket wait for Ack/p1, which holds time back at tick 3: others are 36 ticks "
    with pytest.raises(DataError) as stopped:
        _streamed(case, max_waiting=75)
    assert str(stopped.value).startswith(f"{found}ahead. That is more than max_waiting (75, in 2 buckets)")
    assert _streamed(case, max_waiting=76)


@pytest.mark.long
def test_what_is_read_at_another_pace_is_confirmed_on_spark(spark: SparkSession, tmp_path: Path) -> None:
    """Twenty alarms in a file, and their acknowledgements in ten: a file of each a micro-batch."""
    alarms, acks = ([("a", 10 * n + more) for n in range(20)] + [("end", 300)] for more in (0, 3))
    files = [acks[2 * n : 2 * n + 2 + (n == 9)] for n in range(10)]
    parts = [{"Alarm": table(alarms), "Ack": table(files[0])}, *({"Ack": table(each)} for each in files[1:])]
    found = antelog.spark.outputs(PROGRAM, stream_of(spark, tmp_path / "in", parts), buckets=2)
    query = run(found, tmp_path / "checkpoint")
    seen = result(spark, found, query)
    assert seen.rejects.count() == 0
    PaceCase("event", 1, parts).check((name, seen.query(name).toArrow()) for name in ("Acked", "Missed"))
    counted = [each["observedMetrics"]["antelog"] for each in query.recentProgress]
    assert [(each["holding"], each["behind"]) for each in counted][:2] == [("Ack", 287), ("Ack", 267)]


@pytest.mark.parametrize("seed", SEEDS)
def test_a_stream_confirms_what_a_batch_does(seed: int) -> None:
    case = case_of(seed)
    rows = [row for each in _streamed(case, seed) for row in each.changes]
    case.check([(row["query"], pa.Table.from_pylist([row])) for row in rows])
