"""The format `antelog` of Spark: `changes.writeStream.format("antelog").option("feed", "malf.feed")`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import msgspec
import pyarrow as pa
import pyarrow.types as is_a
from pyspark import TaskContext
from pyspark.sql import SparkSession
from pyspark.sql.datasource import DataSource, DataSourceStreamArrowWriter, WriterCommitMessage
from pyspark.sql.types import StructType

from antelog.diagnostics import Source
from antelog.engine.step.schema import AFTER_ANSWER
from antelog.errors import DataError, UnsupportedError
from antelog.forecast.columns import NAMES
from antelog.given import ArgumentKind, check
from antelog.language.checks.suggestions import did_you_mean
from antelog.language.moments import DEFAULT_ZONE, TIME, timed
from antelog.lines import LABEL, line_of
from antelog.program import load
from antelog.run.store.feed import BatchFeed, FolderFeed, about
from antelog.spark.failures import explaining_lost_java, plain_errors, require_changes, require_spark

_OPTIONS = ("feed", "path", "program", "checkpointlocation")
_OPEN = ("if_silent", "decided_by")
_FIELDS = (  # the fields of a line; a row has the variables of its answer as columns, too
    *("tick", TIME, "change", "query", "answer", "times", "others", *LABEL),
    *AFTER_ANSWER,
    timed("decided_by"),
    *NAMES,
)

_LARGEST = 4 << 20  # bytes of a file, which is read before each batch; a new one begins with all that is open


@dataclass
class FeedLines(WriterCommitMessage):
    """The lines of a task with their ticks, and the identity of the streaming query."""

    query: str | None
    lines: Sequence[tuple[int, str]]


class FeedWriter(DataSourceStreamArrowWriter):
    """Writes the batches of a stream to a feed. Raises DataError for options and columns that do not fit."""

    def __init__(self, options: Mapping[str, str], schema: StructType) -> None:
        for name in options:
            if name not in _OPTIONS:
                hint = did_you_mean(name, _OPTIONS) or "It has feed and program."
                raise DataError(f"the sink has no option {name}. {hint}")
        folder = options.get("feed", options.get("path"))
        if folder is None:
            raise DataError.of("feeds.no-folder")
        require_changes(schema.names)
        program = None if "program" not in options else load(options["program"])
        source, tick = (Source("", folder), None) if program is None else (program.source, program.plan.tick)
        self._zone = DEFAULT_ZONE if program is None else program.plan.zone
        self._folder, self._about = folder, about(source, tick)

    def write(self, iterator: Iterator[pa.RecordBatch]) -> FeedLines:
        with plain_errors():
            context = TaskContext.get()
            query = None if context is None else context.getLocalProperty("sql.streaming.queryId")
            return FeedLines(query, [line for batch in iterator for line in lines_of(batch, self._zone)])

    def commit(self, messages: list[WriterCommitMessage | None], batchId: int) -> None:  # noqa: N803 - Spark's
        """Writes the lines of all tasks, unless the feed has the batch already."""
        with plain_errors():
            found = [each for each in messages if isinstance(each, FeedLines)]
            lines = sorted((line for each in found for line in each.lines), key=lambda line: line[0])
            if lines:
                folder = FolderFeed(Path(self._folder), largest=_LARGEST)
                since = folder.resume() or 0
                feed = BatchFeed(folder, {**self._about, "run": found[0].query}, since)
                status = {"tick": lines[-1][0], "inputs": {}}
                feed.write(batchId, [text for _, text in lines], status)


def lines_of(batch: pa.RecordBatch, zone: str) -> Iterator[tuple[int, str]]:
    table = pa.Table.from_batches([batch])
    for at, field in enumerate(table.schema):
        if is_a.is_timestamp(field.type) and field.type.tz is not None:
            local = table.column(at).cast(pa.timestamp("us", zone))
            table = table.set_column(at, field.name, local)
    for row in table.to_pylist():
        record = line_of(row)
        if record is not None:
            every: Mapping[str, object] = record
            brief = {name: every[name] for name in _FIELDS if name in every}
            kept = {name: each for name, each in brief.items() if each is not None or name in _OPEN}
            yield record["tick"], msgspec.json.encode(kept).decode()


_SESSION = ArgumentKind("a SparkSession", lambda value: hasattr(value, "dataSource"))


@explaining_lost_java()
def register_source(spark: SparkSession) -> None:
    """Makes `changes.writeStream.format("antelog")` known to a session, also on Spark Connect."""
    check("register_source", {"spark": spark}, {"spark": _SESSION})
    require_spark(spark, "the format antelog needs", "Use a newer one, or `antelog run --page`")
    spark.dataSource.register(AntelogSource)


class AntelogSource(DataSource):
    """Makes the writer of a stream; its methods and arguments have Spark's names."""

    @classmethod
    def name(cls) -> str:
        return "antelog"

    def schema(self, schema: StructType | None = None) -> NoReturn:  # noqa: ARG002 - Spark's name
        with plain_errors():
            raise UnsupportedError.of("feeds.not-read")

    reader = streamReader = schema  # noqa: N815 - likewise

    def writer(self, schema: StructType, overwrite: bool) -> NoReturn:  # noqa: ARG002 - likewise
        with plain_errors():
            raise UnsupportedError.of("feeds.written-once")

    def streamWriter(self, schema: StructType, overwrite: bool) -> FeedWriter:  # noqa: ARG002, N802 - likewise
        with plain_errors():
            return FeedWriter(self.options, schema)
