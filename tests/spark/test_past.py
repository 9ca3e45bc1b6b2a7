"""antelog/spark/past.py: a history, then a batch or a stream, on Spark itself."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as f

import antelog.spark
from antelog.errors import AntelogError
from tests.spark.bucket.test_forecasting import PLAN, PROGRAM, TICKS, comparable, history
from tests.spark.bucket.test_past import before_and_after, streamed
from tests.spark.comparing import Fact, closing, cut, tables_of
from tests.spark.streamed import add, frames_of, named, run_to_end, stream_of


def test_a_batch(spark: SparkSession) -> None:
    before, after = before_and_after()
    changes = antelog.spark.changes(
        PROGRAM,
        frames_of(spark, PROGRAM, after),
        learn_from=frames_of(spark, PROGRAM, before),
        buckets=3,
        until=TICKS + 5,
    )
    assert comparable(row.asDict(recursive=True) for row in changes.collect()) == streamed(3, [])


def test_a_stream_reads_its_history_once(spark: SparkSession, tmp_path: Path) -> None:
    """When it goes on from its checkpoint, a history that nobody could read is none of its business."""
    before, after = before_and_after()
    first, *others = cut(after, [60, 100])
    inputs = stream_of(spark, tmp_path / "in", [parts_of(first)])
    past, out, checkpoint = frames_of(spark, PROGRAM, before), tmp_path / "out", tmp_path / "checkpoint"
    for number, part in enumerate([None, *others, [closing(PLAN, TICKS + 5)]]):
        if part is not None:
            add(tmp_path / "in", number, parts_of(part))
        if number:
            unreadable = f.raise_error(f.lit("it was read again")).cast("bigint")
            past = {name: frame.withColumn("time", unreadable) for name, frame in past.items()}
        found = antelog.spark.outcomes(PROGRAM, inputs, learn_from=past, buckets=3)
        writer = found.frame.writeStream.format("parquet").option("checkpointLocation", str(checkpoint))
        run_to_end(writer.trigger(availableNow=True).option("path", str(out)).start, checkpoint)
    whole = antelog.spark.outcomes(PROGRAM, inputs, model="learn", buckets=3)
    seen = whole.of(spark.read.schema(whole.frame.schema).parquet(str(out)))
    assert comparable(row.asDict(recursive=True) for row in seen.changes.collect()) == streamed(3, [])


def parts_of(facts: Sequence[Fact]) -> dict[str, pa.Table]:
    return {name: named(table) for name, table in tables_of(PLAN, facts).items()}


def test_what_does_not_fit(spark: SparkSession, tmp_path: Path) -> None:
    before, after = before_and_after()
    inputs, past = frames_of(spark, PROGRAM, after), frames_of(spark, PROGRAM, before)
    temp = past["Temp"]
    stream = stream_of(spark, tmp_path, [parts_of(before)])
    only = {"Temp": inputs["Temp"]}
    for learn_from, given, message in (
        (past, {"inputs": inputs, "model": history()}, "`model` is one that was learned before: leave out"),
        (past, {"inputs": only}, "`learn_from` has facts of Off, and the inputs have none"),
        ({"Temp": temp.drop("level")}, {"inputs": inputs}, "the facts of Temp lack the column level"),
        ({"Tamp": temp}, {"inputs": inputs}, "the program has no input Tamp"),
        (stream, {"inputs": inputs}, "Temp in `learn_from` is a stream; read what is to be learned from"),
        (
            {"Temp": temp.withColumn("level", f.lit(3))},
            {"inputs": inputs},
            "column level of Temp is of type int32 in `learn_from`, and of type string in what follows",
        ),
    ):
        with pytest.raises(AntelogError) as found:
            antelog.spark.changes(PROGRAM, learn_from=learn_from, **given)
        assert message in str(found.value)
