"""The states of answers, from their changes; and tables of Delta and Iceberg that have either.

    tick  change     answer            tick  status     since  answer
    1     possible   {"X": "wt2"}  ->  3     confirmed  1      {"X": "wt2"}
    3     confirmed  {"X": "wt2"}

    merge(changes, "delta:tables/answers")      the newest lines of a batch, into a row for each answer

The state of an answer is its newest line. Changes are appended to tables, states are merged. A batch that
comes again changes nothing. Delta knows the last batch that a run has appended; Iceberg keeps it as a
property of the snapshot, which is looked for. An older line never replaces a newer one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as f

from antelog.engine.step.query import DECIDED, STILL_OPEN
from antelog.errors import DataError, UnsupportedError
from antelog.forecast.columns import LIKELY, UNLIKELY
from antelog.language.moments import TIME, timed
from antelog.run.address import Table
from antelog.run.values import SettingError
from antelog.spark.bucket.unpacking import SINCE, STATUS
from antelog.spark.endpoints.endpoints import BATCH, RUN, TABLES
from antelog.spark.endpoints.folders import file_system
from antelog.spark.failures import explaining_lost_java
from antelog.spark.job.job import OTHERS
from antelog.spark.settings import quoted

FIRST = {SINCE: "tick", timed(SINCE): TIME}
"""Columns that are about the first line of an answer, not about its newest."""
_KEY = ("query", "answer", OTHERS)
_NEEDED = ("query", "tick", "change", "answer")
_ALERTS = (LIKELY, UNLIKELY)


def key_of(names: Sequence[str]) -> list[str]:
    """The columns that name an answer, among those of changes or states."""
    return [name for name in _KEY if name in names]


@explaining_lost_java()
def newest(changes: DataFrame, *, columns: Sequence[str] | None = None) -> DataFrame:
    """The state of each answer that a batch of changes is about, a row for each.

    A column `status` stands in place of `change`: `open`, `confirmed`, `rejected` or `closed`. Two are added:
    `since`, the tick of the first line in the batch, and, where ticks have times, `since_time`. In `others`
    there is an empty list in place of null.

    `columns` has the names of the columns where Spark does not tell them, in a declarative pipeline.
    """
    names = changes.columns if columns is None else [*columns]
    if missing := [name for name in _NEEDED if name not in names]:
        raise DataError(
            f"there is no column `{missing[0]}`: give changes, as antelog.spark.changes returns them"
        )
    if columns is None and changes.isStreaming:
        raise DataError(
            "the lines of a stream have no end, so none is the newest. Use its micro-batches: "
            "changes.writeStream.foreachBatch(lambda batch, _: antelog.spark.merge(batch, …))"
        )
    key = key_of(names)
    # Null would have to be compared in a way of its own, which not all databases have.
    rows = changes.withColumn(OTHERS, f.coalesce(OTHERS, f.array())) if OTHERS in names else changes
    line = f.struct(*(f.col(quoted(name)) for name in names if name not in key))
    first = {since: each for since, each in FIRST.items() if each in names}
    # An alert comes after the change of the same tick that it is about.
    place = f.struct("tick", f.col("change").isin(*_ALERTS))
    found = rows.groupBy(*key).agg(
        f.max_by(line, place).alias("line"), *(f.min(each).alias(since) for since, each in first.items())
    )
    return found.select(*(column for name in names for column in _columns(name, key, first)))


def _columns(name: str, key: Sequence[str], first: Iterable[str]) -> Iterator[Column]:
    """The columns of a state in the place of one of a change."""
    if name in key:
        yield f.col(name)
    elif name == "change":
        kind = f.col("line.change")
        yield f.when(kind.isin(*DECIDED), kind).otherwise(STILL_OPEN).alias(STATUS)
        yield from map(f.col, first)
    else:
        yield f.col(f"line.{quoted(name)}").alias(name)


# ---- tables ----

_CAME = "came "
"""The prefix of columns with new values; no variable has a space."""


def append_rows(frame: DataFrame, table: Table, run: str, batch: int | None) -> None:
    """Appends rows to a table, which is made if need be."""
    if table.form == "delta":
        writer = frame.write.format(table.form).mode("append")
        if batch is not None:
            writer = writer.option("txnAppId", run).option("txnVersion", batch)
        writer.save(table.name) if table.is_folder else writer.saveAsTable(table.name)
        return
    _create(frame, table)
    # Iceberg does not know which batches it has, but each snapshot does.
    snapshots = frame.sparkSession.table(f"{table.name}.snapshots").where(f.col("summary")[RUN] == run)
    if batch is None or snapshots.where(f.col("summary")[BATCH].cast("bigint") >= batch).isEmpty():
        properties = {RUN: run, BATCH: str(batch)}
        options = {f"snapshot-property.{name}": value for name, value in properties.items()}
        frame.writeTo(table.name).options(**options).append()


def merge(changes: DataFrame, into: str) -> None:
    """Merges a batch of changes into a table of Delta or Iceberg, which has a row for each answer.

    `into` is `delta:NAME`, `delta:./FOLDER` or `iceberg:CATALOG.TABLE`. A table that is not there is made,
    with the columns of `newest`.
    """
    try:
        table = TABLES.read(into)
    except SettingError as error:
        raise DataError(str(error)) from None
    merge_rows(newest(changes), table)


def merge_rows(states: DataFrame, table: Table) -> None:
    """Merges states of answers into a table, which is made if need be."""
    _create(states, table)
    target = table.name
    if table.is_folder:
        target = f"{table.form}.{quoted(_whole_path(states.sparkSession, table.name))}"
    if STATUS not in states.sparkSession.table(target).columns:
        raise DataError(
            f"{table} is not a table of answers, for it has no column `{STATUS}`; name another one"
        )
    key = key_of(states.columns)
    came = states.select(*(f.col(quoted(name)).alias(_CAME + name) for name in states.columns))
    # A statement of SQL would need a view, in which Spark 4.1 does not find the tables that states rest on.
    merging = came.mergeInto(target, f.expr(" AND ".join(f"{quoted(name)} = {_new(name)}" for name in key)))
    updates = {
        name: f"least({quoted(name)}, {_new(name)})" if name in FIRST else _new(name)
        for name in states.columns
        if name not in key
    }
    merging = merging.whenMatched(f.expr(f"{_new('tick')} >= tick")).update(
        {quoted(name): f.expr(update) for name, update in updates.items()}
    )
    merging.whenNotMatched().insert({quoted(name): f.expr(_new(name)) for name in states.columns}).merge()


def _whole_path(spark: SparkSession, folder: str) -> str:
    """The path of a folder from the root on, as a name in SQL has to have it."""
    try:
        system, path = file_system(spark, folder)
    except UnsupportedError:  # Spark Connect
        return folder if ":" in folder else str(Path(folder).absolute())
    return str(system.makeQualified(path).toString())


def _new(name: str) -> str:
    return quoted(_CAME + name)


def _create(rows: DataFrame, table: Table) -> None:
    writer = rows.limit(0).write.format(table.form).mode("ignore")
    writer.save(table.name) if table.is_folder else writer.saveAsTable(table.name)
