"""Runs in a warm JVM, measured one after the other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from shutil import rmtree

from pyspark.sql import SparkSession

from benchmarks.spark import cpu
from benchmarks.spark.queries import IDLING, QUERIES, Idling, Query, stream
from benchmarks.spark.readings import Readings, add_empty, write

EMPTY = 20
"""So many micro-batches without rows are measured at once."""


@dataclass(frozen=True)
class Run:
    """CPU seconds, of the whole run or of each micro-batch.

    `wrong` is empty if the result is right. A run that only warms the JVM up does not count.
    """

    name: str
    seconds: float
    wrong: str = ""
    counts: bool = True


def measure(
    spark: SparkSession, names: list[str], folder: Path, scale: float, runs: int, warm: int
) -> Iterator[Run]:
    """So many runs of each, taken in turns, after others over fewer readings that do not count."""
    given, few = write(folder / "readings", scale), write(folder / "few", scale / 10)
    for number in range(-warm, runs):
        for name in names:
            place = folder / f"{name}-{number}"
            if name in QUERIES:
                run = _whole(spark, QUERIES[name], few if number < 0 else given, place / "out")
            else:
                run = _idle(spark, IDLING[name], place, scale)
            yield replace(run, counts=number >= 0)
            rmtree(place)


def _whole(spark: SparkSession, query: Query, given: Readings, out: Path) -> Run:
    out.parent.mkdir()
    before = cpu.seconds()
    query.run(spark, given, out)
    seconds = cpu.seconds() - before
    return Run(query.name, seconds, query.wrong(given, out))


def _idle(spark: SparkSession, idling: Idling, place: Path, scale: float) -> Run:
    """What a micro-batch without rows costs when there is a state already."""
    given = write(place / "readings", scale / 10)
    frame = idling.frame(stream(spark, given.folder), given.program)
    writer = frame.writeStream.format("noop").outputMode(idling.mode)
    query = writer.option("checkpointLocation", str(place / "checkpoint")).start()
    try:
        query.processAllAvailable()
        before = cpu.seconds()
        first = query.lastProgress["batchId"] if query.lastProgress else -1
        add_empty(given.folder, EMPTY)
        query.processAllAvailable()
        seconds = cpu.seconds() - before
        batches = (query.lastProgress["batchId"] if query.lastProgress else -1) - first
    finally:
        query.stop()
    wrong = "" if batches == EMPTY else f"there were {batches} micro-batches, not {EMPTY}"
    return Run(idling.name, seconds / EMPTY, wrong)
