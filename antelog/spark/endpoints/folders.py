"""Folders and files by Spark's file systems: on this machine, in HDFS, in object stores."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import islice
from pathlib import Path

from py4j.java_gateway import JavaObject
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from antelog.errors import UnsupportedError
from antelog.run.address import Files
from antelog.spark.endpoints.endpoints import Source
from antelog.spark.failures import Unreadable, is_same, plainly


def entries(spark: SparkSession, folder: str) -> list[str]:
    system, path = file_system(spark, folder)
    if not system.exists(path):
        return []
    return [status.getPath().getName() for status in system.listStatus(path)]


def unfinished_batch(spark: SparkSession, checkpoint: str) -> tuple[int, int] | None:
    """The number of the unfinished batch and the time of its start in milliseconds; None if there is none."""
    begun, done = (
        max((int(name) for name in entries(spark, f"{checkpoint}/{each}") if name.isdecimal()), default=-1)
        for each in ("offsets", "commits")
    )
    if begun <= done:
        return None
    lines = [row.value for row in spark.read.text(f"{checkpoint}/offsets/{begun}", wholetext=True).collect()]
    _, about, *_ = lines[0].splitlines()
    return begun, int(json.loads(about)["batchTimestampMs"])


def local(spark: SparkSession, folder: str) -> Path | None:
    """The path of a folder if it is on this machine, as all workers are; else None."""
    system, path = file_system(spark, folder)
    if system.getScheme() != "file" or not (spark.sparkContext.master or "").startswith("local"):
        return None
    return Path(system.makeQualified(path).toUri().getPath())


def file_system(spark: SparkSession, folder: str) -> tuple[JavaObject, JavaObject]:
    """Java's file system of a folder, and its path there. Raises UnsupportedError on Spark Connect."""
    try:
        java = spark.sparkContext._jvm
    except PySparkException:
        java = None
    if java is None:
        raise UnsupportedError.of("checkpoint.connect")
    path = java.org.apache.hadoop.fs.Path(folder)
    return path.getFileSystem(spark.sparkContext._jsc.hadoopConfiguration()), path


_PLAIN = {".csv", ".json", ".jsonl", ".ndjson", ".txt"}


def input_of(spark: SparkSession, inputs: Mapping[str, Source], file: Unreadable) -> str:
    """The name of the input that a file belongs to."""
    among = {name: source for name, source in inputs.items() if isinstance(source, Files)}
    for name, source in among.items():
        if len(among) == 1 or any(is_same(file, each) for each in files_of(spark, source)):
            return name
    return next(iter(inputs))


def files_of(spark: SparkSession, files: Files) -> list[str]:
    """The existing files, as Spark names them, without opening them."""
    with plainly():
        return [row.path for row in spark.read.format("binaryFile").load(files.path).select("path").collect()]


def paths_of(spark: SparkSession, files: Files, *, stream: bool) -> Iterator[str]:
    """The path of files together; for a stream, which sets unusable ones aside, then that of each of them."""
    yield files.path
    if stream:
        yield from map(_as_pattern, files_of(spark, files))


def head(spark: SparkSession, path: str, count: int) -> list[str]:
    """The first lines of files together."""
    # Not a plain file is one with a scheme or a pattern, or that Spark unpacks or skips by its name.
    file = Path(path)
    plain = _as_pattern(path) == path and file.suffix in _PLAIN and file.name[0] not in "._"
    if plain and local(spark, path) is not None and file.is_file():
        # A job of Spark's would be a fifth of the work of a short run.
        with suppress(OSError), file.open(encoding="utf-8", errors="replace") as lines:
            found = (line.removesuffix("\n") for line in lines if line.strip(" \n"))
            return [line.removeprefix("\ufeff") for line in islice(found, count)]
    rows = spark.read.text(path).where("trim(value) != ''").limit(count).collect()
    return [row.value.removeprefix("\ufeff") for row in rows]


def _as_pattern(file: str) -> str:
    return re.sub(r"([\[\]{}*?\\])", r"\\\1", file)
