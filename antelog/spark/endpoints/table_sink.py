"""Tables of Delta and Iceberg as sinks: changes are appended, states of answers are merged.

    merge(changes, "delta:tables/answers")      the newest lines of a batch, into a row for each answer

A batch that comes again changes nothing. Delta knows the last batch that a run has appended; Iceberg keeps it
as a property of the snapshot, which is looked for. Merged rows are found to be there, and an older line
never replaces a newer one.
"""

from __future__ import annotations

from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

from antelog.errors import DataError, UnsupportedError
from antelog.run.address import Table
from antelog.run.values import SettingError
from antelog.spark.endpoints.endpoints import BATCH, RUN, TABLES
from antelog.spark.endpoints.folders import file_system
from antelog.spark.endpoints.states import FIRST, key_of, newest
from antelog.spark.settings import quoted
from antelog.spark.transport.unpacking import STATUS

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
    if batch is None or not _has(frame, table, run, batch):
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
        raise DataError(f"{table} is not a table of answers, it has no column `{STATUS}`; name another one")
    key = key_of(states.columns)
    came = states.select(*(f.col(quoted(name)).alias(_CAME + name) for name in states.columns))
    # A statement of SQL would need a view, in which Spark 4.1 does not find the tables that states rest on.
    merging = came.mergeInto(target, f.expr(" AND ".join(f"{quoted(name)} = {_new(name)}" for name in key)))
    merging = merging.whenMatched(f.expr(f"{_new('tick')} >= tick")).update(
        {quoted(name): f.expr(_update(name)) for name in states.columns if name not in key}
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


def _update(name: str) -> str:
    return f"least({quoted(name)}, {_new(name)})" if name in FIRST else _new(name)


def _create(rows: DataFrame, table: Table) -> None:
    writer = rows.limit(0).write.format(table.form).mode("ignore")
    writer.save(table.name) if table.is_folder else writer.saveAsTable(table.name)


def _has(frame: DataFrame, table: Table, run: str, batch: int) -> bool:
    """Whether a table of Iceberg has a batch of a run."""
    snapshots = frame.sparkSession.table(f"{table.name}.snapshots")
    known = f.col("summary")[BATCH].cast("bigint")
    return not snapshots.where((f.col("summary")[RUN] == run) & (known >= batch)).isEmpty()
