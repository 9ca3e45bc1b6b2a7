"""What is in files before they are read: their first lines, or the columns of Parquet.

A stream must start whatever lies in its folder, for what is of no use there is set aside when it is read.
So if a look at all files together tells nothing, each is looked at, until one is of use.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import TypeVar

from pyspark.sql import SparkSession
from pyspark.sql.types import StructType

from antelog.errors import DataError
from antelog.run.address import Files
from antelog.spark.endpoints.endpoints import Source
from antelog.spark.endpoints.folders import local
from antelog.spark.endpoints.unreadable import Unreadable, is_same
from antelog.spark.session.failures import plainly

T = TypeVar("T")

_PLAIN = {".csv", ".json", ".jsonl", ".ndjson", ".txt"}
"""What files are called that Spark reads as they are."""


def heads(spark: SparkSession, files: Files, count: int, *, stream: bool) -> Iterator[list[str]]:
    """Some of the first lines of files, of one file after the other as long as they are asked for."""
    return _looks(spark, files, lambda path: _head(spark, path, count), stream)


def schemas(spark: SparkSession, files: Files, *, stream: bool) -> Iterator[StructType]:
    """The columns of Parquet files, of one file after the other as long as they are asked for."""
    return _looks(spark, files, lambda path: spark.read.parquet(path).schema, stream)


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
    if _is_here(spark, path):
        # A job for it would be a fifth of the work of a short run.
        with suppress(OSError), Path(path).open(encoding="utf-8", errors="replace") as lines:
            found = (line.removesuffix("\n") for line in lines if line.strip(" \n"))
            return [line.removeprefix("\ufeff") for line in islice(found, count)]
    rows = spark.read.text(path).where("trim(value) != ''").limit(count).collect()
    return [row.value.removeprefix("\ufeff") for row in rows]


def _is_here(spark: SparkSession, path: str) -> bool:
    """Whether a path is that of one plain file which Spark would read on this machine.

    One with a scheme or a pattern is not, nor what Spark unpacks or passes over by its name.
    """
    file = Path(path)
    plain = _as_pattern(path) == path and file.suffix in _PLAIN and file.name[0] not in "._"
    return plain and local(spark, path) is not None and file.is_file()


def _looks(spark: SparkSession, files: Files, look: Callable[[str], T], stream: bool) -> Iterator[T]:
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
    """A path that stands for itself where patterns are expected."""
    return re.sub(r"([\[\]{}*?\\])", r"\\\1", file)
