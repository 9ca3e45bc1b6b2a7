"""Folders and files where Spark sees them: on this machine, in HDFS, in a store of objects.

A stream starts whatever lies in its folder, as files that are of no use are set aside when they are read. So
if all files together do not show their columns, each is looked at, until one does.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import TypeVar

from py4j.java_gateway import JavaObject
from pyspark.sql import SparkSession
from pyspark.sql.types import StructType

from antelog.errors import DataError
from antelog.run.address import Files
from antelog.spark.endpoints.endpoints import Source
from antelog.spark.endpoints.failures import plainly
from antelog.spark.endpoints.unreadable import Unreadable, is_same


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


T = TypeVar("T")

_PLAIN = {".csv", ".json", ".jsonl", ".ndjson", ".txt"}
"""Endings of files that Spark reads as they are."""


def heads(spark: SparkSession, files: Files, count: int, *, stream: bool) -> Iterator[list[str]]:
    """Some of the first lines of files, of one file after the other on demand."""
    return _readings(spark, files, lambda path: _head(spark, path, count), stream)


def schemas(spark: SparkSession, files: Files, *, stream: bool) -> Iterator[StructType]:
    """The columns of Parquet files, of one file after the other on demand."""
    return _readings(spark, files, lambda path: spark.read.parquet(path).schema, stream)


def input_of(spark: SparkSession, inputs: Mapping[str, Source], file: Unreadable) -> str:
    """The input a file belongs to."""
    among = {name: source for name, source in inputs.items() if isinstance(source, Files)}
    for name, source in among.items():
        if len(among) == 1 or any(is_same(file, each) for each in files_of(spark, source)):
            return name
    return next(iter(inputs))


def files_of(spark: SparkSession, files: Files) -> list[str]:
    """The files there are, as Spark calls them. None of them is opened."""
    with plainly():
        return [row.path for row in spark.read.format("binaryFile").load(files.path).select("path").collect()]


def _head(spark: SparkSession, path: str, count: int) -> list[str]:
    if _is_local_file(spark, path):
        # A job for it would be a fifth of the work of a short run.
        with suppress(OSError), Path(path).open(encoding="utf-8", errors="replace") as lines:
            found = (line.removesuffix("\n") for line in lines if line.strip(" \n"))
            return [line.removeprefix("\ufeff") for line in islice(found, count)]
    rows = spark.read.text(path).where("trim(value) != ''").limit(count).collect()
    return [row.value.removeprefix("\ufeff") for row in rows]


def _is_local_file(spark: SparkSession, path: str) -> bool:
    """Whether a path is that of one plain file which Spark would read on this machine.

    One with a scheme or a pattern is not, nor what Spark unpacks or passes over by its name.
    """
    file = Path(path)
    plain = _as_pattern(path) == path and file.suffix in _PLAIN and file.name[0] not in "._"
    return plain and local(spark, path) is not None and file.is_file()


def _readings(spark: SparkSession, files: Files, look: Callable[[str], T], stream: bool) -> Iterator[T]:
    failed: DataError | None = None
    try:
        with plainly():
            found = look(files.path)
    except DataError as error:
        failed = error
    else:
        yield found
    for file in files_of(spark, files) if stream else ():
        try:
            with plainly():
                found = look(_as_pattern(file))
        except DataError as error:
            failed = failed or error
        else:
            yield found
    if failed is not None:
        raise failed


def _as_pattern(file: str) -> str:
    """A path as a pattern that fits it alone."""
    return re.sub(r"([\[\]{}*?\\])", r"\\\1", file)
