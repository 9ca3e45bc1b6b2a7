"""antelog on Spark: confirmed answers or all changes, of a batch or of a stream."""

from __future__ import annotations

import sys
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

from antelog import parse
from antelog.spark import SOURCE, changes
from benchmarks.compare.engines.spark_session import follow, started, stream
from benchmarks.compare.folder import Folder
from benchmarks.workloads import ALL, CONFIRMED


def answers(spark: SparkSession, folder: Folder, events: DataFrame, only: tuple[str, ...]) -> DataFrame:
    settings = folder.settings
    inputs = {
        kind: events.where(events["kind"] == kind).select(*names, f.lit("events").alias(SOURCE))
        for kind, names in settings["inputs"].items()
    }
    static = {file.stem: spark.read.parquet(str(file)) for file in (folder.path / "static").glob("*.parquet")}
    found = changes(parse(settings["program"]), inputs, static=static, only=only)
    return found.where("change = 'confirmed'").select(settings["variables"])


if __name__ == "__main__":
    how, reported, _, given, out = sys.argv[1:]
    only = {"all": ALL, "confirmed": CONFIRMED}[reported]
    folder = Folder(Path(given))
    with started() as session:
        if how == "stream":
            follow(answers(session, folder, stream(session, folder), only), Path(out))
        else:
            events = session.read.parquet(str(folder.path / "batches"))
            answers(session, folder, events, only).write.parquet(out)
