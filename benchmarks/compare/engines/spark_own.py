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

DAY = 86_400
"""Tick 0 is a day after the epoch: a first watermark is the epoch, and drops what is not after it."""


def _in_a_row(events: DataFrame, _: dict[str, DataFrame]) -> DataFrame:
    return _reported(_malfunctions(events), "device")


def _not_in_a_row(events: DataFrame, _: dict[str, DataFrame]) -> DataFrame:
    found = _malfunctions(events).select(f.col("device").alias("of"), f.col("ts").alias("begun"))
    both = events.select("device", "ts").join(found, f.expr("of = device AND begun = ts"), "left_outer")
    return _reported(both.where("of IS NULL"), "device")


def _malfunctions(events: DataFrame) -> DataFrame:
    high = events.where("value = 'high'").select("device", "ts")
    second, third = (
        high.select(f.col("device").alias(f"device{n}"), f.col("ts").alias(f"ts{n}")) for n in (1, 2)
    )
    pairs = high.join(second, f.expr("device1 = device AND ts1 = ts + INTERVAL 1 SECOND"))
    triples = pairs.join(third, f.expr("device2 = device AND ts2 = ts + INTERVAL 2 SECONDS"))
    return triples.select("device", "ts")


def _reported(answers: DataFrame, *names: str) -> DataFrame:
    return answers.select(*names, (f.unix_seconds("ts") - DAY).alias("time"))


def _unacknowledged(events: DataFrame, _: dict[str, DataFrame]) -> DataFrame:
    alarms = events.where("kind = 'Alarm'").select("device", "ts")
    acks = events.where("kind = 'Ack'").select(f.col("device").alias("by"), f.col("ts").alias("acknowledged"))
    soon = "acknowledged BETWEEN ts + INTERVAL 1 SECOND AND ts + INTERVAL 5 SECONDS"
    both = alarms.join(acks, f.expr(f"by = device AND {soon}"), "left_outer")
    return _reported(both.where("by IS NULL"), "device")


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
    return _reported(both, "device", "other")


def _leads(events: DataFrame, static: dict[str, DataFrame]) -> DataFrame:
    now = events.select("device", "place", "value", "ts")
    first, second = (
        now.select(*(f.col(name).alias(f"{name}{n}") for name in ("device", "place", "value", "ts")))
        for n in (1, 2)
    )
    higher = "device{0} = device AND place{0} = place AND ts = ts{0} + INTERVAL {1} SECONDS"
    risen = now.join(second, f.expr(higher.format(2, 1) + " AND value >= value2 + 5"))
    trends = risen.join(first, f.expr(higher.format(1, 2) + " AND value2 >= value1 + 5"))
    near, shops = f.broadcast(static["Near"]), f.broadcast(static["Shop"])
    reached = trends.join(near, f.expr("neighbour = place")).select("device", "region", "ts")
    wanted = reached.dropDuplicates(["device", "region", "ts"])
    popular = events.where("value >= 60").select(
        f.col("device").alias("of"), f.col("place").alias("at"), f.col("ts").alias("known")
    )
    both = wanted.join(popular, f.expr("of = device AND at = region AND known = ts"), "left_outer")
    return _reported(both.where("of IS NULL").join(shops, "region"), "shop", "device")


JOINS: dict[str, Question] = {
    "W1": _in_a_row,
    "W2": _unacknowledged,
    "W3": _joined,
    "W4": _not_in_a_row,
    "W5": _leads,
    "W6": _in_a_row,
}


def joins(name: str, spark: SparkSession, folder: Folder, out: Path) -> None:
    """The watermark is as far behind the latest event as events may be late."""
    events = stream(spark, folder).withColumn("ts", f.timestamp_seconds(f.col("time") + DAY))
    marked = events.withWatermark("ts", f"{folder.settings['delay']} seconds")
    static = {file.stem: spark.read.parquet(str(file)) for file in (folder.path / "static").glob("*.parquet")}
    follow(JOINS[name](marked, static), out)


if __name__ == "__main__":
    how = {"batch": batch, "joins": joins}[sys.argv[1]]
    workload, given, answers = sys.argv[2:]
    with started() as session:
        how(workload, session, Folder(Path(given)), Path(answers))
