"""Folders where Spark sees them: on this machine, in HDFS, in a store of objects."""

from __future__ import annotations

import json
import re
from pathlib import Path

from py4j.java_gateway import JavaObject
from pyspark.sql import SparkSession


def entries(spark: SparkSession, folder: str) -> list[str]:
    """The names of what is in a folder; none if there is no such folder."""
    system, path = _place(spark, folder)
    if not system.exists(path):
        return []
    return [status.getPath().getName() for status in system.listStatus(path)]


def unfinished_batch(spark: SparkSession, checkpoint: str) -> tuple[int, int] | None:
    """The number of the batch that was begun and not finished, and when it was; None if there is none."""
    begun, done = (_last(entries(spark, f"{checkpoint}/{each}")) for each in ("offsets", "commits"))
    if begun <= done:
        return None
    lines = [row.value for row in spark.read.text(f"{checkpoint}/offsets/{begun}", wholetext=True).collect()]
    _, about, *_ = lines[0].splitlines()
    return begun, int(json.loads(about)["batchTimestampMs"])


def is_local(spark: SparkSession, folder: str) -> bool:
    """Whether a folder is one of this machine's."""
    system, _ = _place(spark, folder)
    return str(system.getScheme()) == "file"


def local(spark: SparkSession, folder: str) -> Path | None:
    """Where on this machine a folder is that all workers write to as well; None if it is elsewhere."""
    system, path = _place(spark, folder)
    if system.getScheme() != "file" or not (spark.sparkContext.master or "").startswith("local"):
        return None
    return Path(system.makeQualified(path).toUri().getPath())


def _place(spark: SparkSession, folder: str) -> tuple[JavaObject, JavaObject]:
    """The file system a folder is in, and its path there."""
    jvm = spark.sparkContext._jvm
    assert jvm is not None
    path = jvm.org.apache.hadoop.fs.Path(folder)
    return path.getFileSystem(spark.sparkContext._jsc.hadoopConfiguration()), path


def _last(names: list[str]) -> int:
    return max((int(name) for name in names if re.fullmatch(r"\d+", name)), default=-1)
