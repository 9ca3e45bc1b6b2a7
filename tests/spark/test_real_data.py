"""Real records, where they lie beside the project: what is confirmed is what SQL finds."""

import json
import os
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from antelog import parse
from antelog.spark import Outputs, outputs
from tests.spark.streamed import result, run, stream_of

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
pytestmark = pytest.mark.skipif(
    "CI" in os.environ or not DATA.is_dir(), reason="the records are not there, or this is CI"
)
FOREVER = 2**40

Log = list[dict[str, Any]]
Confirmed = set[tuple[str, str, int, int]]
"""Query, object and tick of an answer, and the tick at which it is confirmed."""


def log_of(found: Outputs) -> Log:
    rows = found.changes.toArrow().to_pylist()
    return [{**row, "answer": json.loads(row["answer"])} for row in rows]


def confirmed(log: Log) -> Confirmed:
    return {
        (row["query"], row["answer"]["X"], row["answer"]["T"], row["tick"])
        for row in log
        if row["change"] == "confirmed"
    }


def sql(spark: SparkSession, statement: str, **values: int) -> Confirmed:
    return {tuple(row) for row in spark.sql(statement, args=values).collect()}


def up_to(log: Log, last: int) -> list[str]:
    """The log of the ticks that are over, as texts in an order of their own."""
    return sorted(json.dumps(row, default=str) for row in log if row["tick"] <= last)


def streamed(
    spark: SparkSession, folder: Path, program: str, name: str, table: pa.Table, ends: Sequence[int]
) -> tuple[Log, int]:
    """The log of a stream whose micro-batches end at these rows of a table, and the last finished tick."""
    parts = [{name: table.slice(first, last - first)} for first, last in pairwise([0, *ends, table.num_rows])]
    frames = stream_of(spark, folder / "in", parts)
    found = outputs(parse(program), frames, buckets=3)
    query = run(found, folder / "checkpoint")
    counted = [progress["observedMetrics"]["antelog"] for progress in query.recentProgress]
    assert len(counted) == len(parts)
    assert sum(each["given"] for each in counted) == table.num_rows
    return log_of(result(spark, found, query)), counted[-1]["now"]


# ---- phones that send every 500 ms, and their messages as they came in ----

PHONES = """
tick 500 ms.
input Heard(device: text, time) delay 1.
Missed(X, T) :- Heard(X, T), not Heard(X, T+1), Heard(X, T+2).
Silent(X, T) :- Heard(X, T), not Heard(X, T+1), not Heard(X, T+2).
query Missed(X, T).
query Silent(X, T).
"""
# What took longer than a tick is late, and as good as not sent.
PHONES_SQL = """
with sent as (
  select device, unix_millis(time) div 500 as t, unix_millis(arrival) div 500 as a from messages
), heard as (
  select device, t, min(a) as a from sent where a - t between 0 and 1 and a <= :now group by device, t
), missed as (
  select 'Missed', h.device, h.t, greatest(h.t + 2, later.a) as certain from heard h
  join heard later on later.device = h.device and later.t = h.t + 2
  where not exists (select * from heard n where n.device = h.device and n.t = h.t + 1)
), silent as (
  select 'Silent', h.device, h.t, h.t + 3 as certain from heard h
  where not exists (select * from heard n where n.device = h.device and n.t in (h.t + 1, h.t + 2))
)
select * from missed where certain <= :now union select * from silent where certain <= :now
"""


def test_phones(spark: SparkSession, tmp_path: Path) -> None:
    raw = spark.read.csv(str(DATA / "ooo-dataset" / "d-2.csv"), sep=";", header=True, inferSchema=True)
    raw.selectExpr(
        "`S.Device.ID` as device",
        "timestamp_millis(`S.Client.Detection.Time`) as time",
        "timestamp_millis(`S.Message.received.time.ms`) as arrival",
    ).createOrReplaceTempView("messages")
    messages = spark.table("messages").orderBy("arrival").toArrow()
    batch = log_of(outputs(parse(PHONES), {"Heard": spark.table("messages").repartition(3)}, buckets=3))
    expected = sql(spark, PHONES_SQL, now=FOREVER)
    assert {name for name, *_ in expected} == {"Missed", "Silent"}
    assert confirmed(batch) == expected

    stream, now = streamed(spark, tmp_path, PHONES, "Heard", messages, [3_000, 3_001, 8_000])
    assert confirmed(stream) == sql(spark, PHONES_SQL, now=now)
    assert up_to(stream, now) == up_to(batch, now)
