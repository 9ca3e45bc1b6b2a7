"""Spark without antelog: window functions over all events at once, or joins of streams."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

from benchmarks.compare.engines.spark_session import follow, started, stream
from benchmarks.compare.engines.sql import SQL
from benchmarks.compare.folder import Folder

Question = Callable[[DataFrame, dict[str, DataFrame]], DataFrame]


def batch(name: str, spark: SparkSession, folder: Folder, out: Path) -> None:
    spark.read.parquet(str(folder.path / "batches")).createOrReplaceTempView("events")
    for file in (folder.path / "static").glob("*.parquet"):
        spark.read.parquet(str(file)).createOrReplaceTempView(file.stem)
    settings = folder.settings
    spark.sql(SQL[name].format(end=settings["ends"][-1], delay=settings["delay"])).write.parquet(str(out))


# ---- joins of streams; a tick is a second ----


def _in_a_row(events: DataFrame, _: dict[str, DataFrame]) -> DataFrame:
    high = events.where("value = 'high'").select("device", "ts")
    second, third = (
        high.select(f.col("device").alias(f"device{n}"), f.col("ts").alias(f"ts{n}")) for n in (1, 2)
    )
    pairs = high.join(second, f.expr("device1 = device AND ts1 = ts + INTERVAL 1 SECOND"))
    triples = pairs.join(third, f.expr("device2 = device AND ts2 = ts + INTERVAL 2 SECONDS"))
    return triples.select("device", f.unix_seconds("ts").alias("time"))


def _unacknowledged(events: DataFrame, _: dict[str, DataFrame]) -> DataFrame:
    alarms = events.where("kind = 'Alarm'").select("device", "ts")
    acks = events.where("kind = 'Ack'").select(f.col("device").alias("by"), f.col("ts").alias("acknowledged"))
    soon = "acknowledged BETWEEN ts + INTERVAL 1 SECOND AND ts + INTERVAL 5 SECONDS"
    both = alarms.join(acks, f.expr(f"by = device AND {soon}"), "left_outer")
    return both.where("by IS NULL").select("device", f.unix_seconds("ts").alias("time"))


def _joined(events: DataFrame, static: dict[str, DataFrame]) -> DataFrame:
    heat = (
        events.where("kind = 'Heat'")
        .join(f.broadcast(static["Feeds"]), "device")
        .select("device", "other", "ts")
    )
    pressure = events.where("kind = 'Pressure'").select(
        f.col("device").alias("at"), f.col("ts").alias("risen")
    )
    both = heat.join(pressure, f.expr("at = other AND risen = ts + INTERVAL 1 SECOND"))
    return both.select("device", "other", f.unix_seconds("ts").alias("time"))


JOINS: dict[str, Question] = {"W1": _in_a_row, "W2": _unacknowledged, "W3": _joined, "W6": _in_a_row}


def joins(name: str, spark: SparkSession, folder: Folder, out: Path) -> None:
    """The watermark is as far behind the latest event as events may be late."""
    events = stream(spark, folder).withColumn("ts", f.timestamp_seconds("time"))
    marked = events.withWatermark("ts", f"{folder.settings['delay']} seconds")
    static = {file.stem: spark.read.parquet(str(file)) for file in (folder.path / "static").glob("*.parquet")}
    follow(JOINS[name](marked, static), out)


if __name__ == "__main__":
    how = {"batch": batch, "joins": joins}[sys.argv[1]]
    workload, given, answers = sys.argv[2:]
    with started() as session:
        how(workload, session, Folder(Path(given)), Path(answers))
