"""What is compared: antelog's queries, and Spark's own of the same shape."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql import functions as f
from pyspark.sql.streaming.stateful_processor import StatefulProcessor, StatefulProcessorHandle

from antelog import parse
from antelog.files.naming import Form
from antelog.run.address import Files
from antelog.spark import BUCKETS, PARQUET, Outputs, changes, outputs, to_parquet
from antelog.spark.endpoints.sinks import MicroBatch, write_changes
from antelog.spark.pipeline.stream_run import follow
from benchmarks.counting import Counts
from benchmarks.spark.readings import Readings
from benchmarks.workloads import ALL, CONFIRMED, ODDS


@dataclass(frozen=True)
class Query:
    """Something to run over all readings, from Parquet to Parquet.

    `target` is in facts per CPU second. `wrong` looks at what was written, and is empty if nothing
    is wrong with it.
    """

    name: str
    what: str
    target: int | None
    run: Callable[[SparkSession, Readings, Path], None]
    wrong: Callable[[Readings, Path], str]


@dataclass(frozen=True)
class Idling:
    """A stream whose micro-batches without rows are measured; the frame may be written in this mode."""

    name: str
    what: str
    frame: Callable[[DataFrame, str], DataFrame]
    mode: str = "append"


def stream(spark: SparkSession, folder: Path) -> DataFrame:
    """The files of a folder, one in each micro-batch."""
    schema = spark.read.parquet(str(folder)).schema
    return spark.readStream.schema(schema).option("maxFilesPerTrigger", 1).parquet(str(folder))


# ---- over all readings ----


def _follow(
    what: Callable[[DataFrame, str], DataFrame], spark: SparkSession, given: Readings, out: Path
) -> None:
    frame = what(stream(spark, given.folder), given.program)
    writer = frame.writeStream.format("parquet").options(**PARQUET)
    writer = writer.option("checkpointLocation", f"{out}-checkpoint")
    writer.trigger(availableNow=True).start(str(out)).awaitTermination()


def _run(only: tuple[str, ...], spark: SparkSession, given: Readings, out: Path) -> None:
    """As `antelog run` does it: what there is to count is counted, and each micro-batch has a folder."""
    found = outputs(parse(given.program), {"Temp": stream(spark, given.folder)}, only=only)
    sink = Files(str(out), Form.PARQUET)

    def write(seen: Outputs, batch: MicroBatch, _: object) -> None:
        write_changes(seen, sink, batch)

    query = follow(found, write, checkpoint=f"{out}-checkpoint", trigger="available-now")
    for _ in query.progress(lambda: False):
        pass


def _save(only: tuple[str, ...], spark: SparkSession, given: Readings, out: Path) -> None:
    found = outputs(parse(given.program), {"Temp": stream(spark, given.folder)}, only=only)

    def write(frame: DataFrame, number: int) -> None:
        to_parquet(found.of(frame), str(out), number)

    writer = found.frame.writeStream.foreachBatch(write).option("checkpointLocation", f"{out}-checkpoint")
    writer.trigger(availableNow=True).start().awaitTermination()


def _read(
    what: Callable[[DataFrame, str], DataFrame], spark: SparkSession, given: Readings, out: Path
) -> None:
    what(spark.read.parquet(str(given.folder)), given.program).write.options(**PARQUET).parquet(str(out))


def _handed_on(frame: DataFrame, _: str) -> DataFrame:
    return frame.mapInArrow(_as_they_are, frame.schema)


def _hand_on(spark: SparkSession, given: Readings, out: Path) -> None:
    _follow(_handed_on, spark, given, out)


def _as_they_are(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    yield from batches


def _changes(
    only: tuple[str, ...], frame: DataFrame, program: str, explanations: int | None = None
) -> DataFrame:
    return changes(parse(program), {"Temp": frame}, only=only, explanations=explanations)


def _with_chances(frame: DataFrame, program: str) -> DataFrame:
    return _changes(ALL, frame, program + ODDS)


def _wrong_rows(given: Readings, out: Path) -> str:
    found = pl.scan_parquet(out / "*.parquet").select(pl.len()).collect().item()
    return "" if found == given.facts else f"there are {given.facts} readings, written were {found}"


def _wrong_changes(only: tuple[str, ...], streamed: bool, given: Readings, out: Path) -> str:
    counts: Counts = given.stream if streamed else given.batch
    expected = {kind: count for kind, count in counts.items() if kind in only}
    kinds = pl.read_parquet(out / "**/*.parquet", columns=["change"])["change"]
    found = {kind: int((kinds == kind).sum()) for kind in expected}
    return "" if found == expected else f"there are {expected}, written were {found}"


def _asked(
    name: str,
    what: str,
    only: tuple[str, ...],
    target: int | None,
    *,
    streamed: bool,
    explanations: int | None = None,
) -> Query:
    run = partial(_follow if streamed else _read, partial(_changes, only, explanations=explanations))
    return Query(name, what, target, run, partial(_wrong_changes, only, streamed))


def _as_run(name: str, what: str, only: tuple[str, ...]) -> Query:
    return Query(name, what, None, partial(_run, only), partial(_wrong_changes, only, True))


def _saved(name: str, what: str, only: tuple[str, ...]) -> Query:
    return Query(name, what, None, partial(_save, only), partial(_wrong_changes, only, True))


QUERIES = {
    query.name: query
    for query in (
        Query(
            "plain", "stream, `mapInArrow` that does nothing", None, partial(_follow, _handed_on), _wrong_rows
        ),
        _asked("confirmed", "stream, confirmed answers only", CONFIRMED, 150_000, streamed=True),
        _asked("all", "stream, all changes", ALL, 75_000, streamed=True),
        _asked("bare", "stream, all changes without explanations", ALL, None, streamed=True, explanations=0),
        _saved("saved-confirmed", "stream, `to_parquet`, confirmed answers only", CONFIRMED),
        _saved("saved-all", "stream, `to_parquet`, all changes", ALL),
        _as_run("run-confirmed", "`antelog run`, confirmed answers only", CONFIRMED),
        _as_run("run-all", "`antelog run`, all changes", ALL),
        _asked("batch-confirmed", "batch, confirmed answers only", CONFIRMED, 250_000, streamed=False),
        _asked("batch-all", "batch, all changes", ALL, None, streamed=False),
        Query(
            "batch-chances",
            "batch, all changes with declared chances",
            None,
            partial(_read, _with_chances),
            partial(_wrong_changes, ALL, False),
        ),
    )
}


# ---- micro-batches without rows ----


class Counter(StatefulProcessor):
    """Counts the rows of a key: the least a stateful operator in Python can do."""

    def init(self, handle: StatefulProcessorHandle) -> None:
        self._count = handle.getValueState("count", "n bigint")

    def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:  # noqa: ARG002, N802, N803 - Spark's names
        known = self._count.get()
        count = (0 if known is None else known[0]) + sum(1 for _ in rows)
        self._count.update((count,))
        yield Row(bucket=key[0], n=count)

    def close(self) -> None:
        """Nothing is open."""


def _in_python(frame: DataFrame, _: str) -> DataFrame:
    bucket = f.pmod(f.hash("device"), f.lit(BUCKETS))
    grouped = frame.withColumn("bucket", bucket).groupBy("bucket")
    return grouped.transformWithState(Counter(), "bucket int, n bigint", "Update", "None")


def _in_jvm(frame: DataFrame, _: str) -> DataFrame:
    return frame.groupBy("device").count()


IDLING = {
    idling.name: idling
    for idling in (
        Idling("idle-plain", "`mapInArrow` that does nothing", _handed_on),
        Idling("idle-counter", "a stateful operator in Python that counts", _in_python, "update"),
        Idling("idle-sum", "Spark's own count by device", _in_jvm, "update"),
        Idling("idle-antelog", "all changes", partial(_changes, ALL)),
    )
}
