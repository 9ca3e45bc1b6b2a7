"""Writes changes and rejects to sinks, each micro-batch once.

A micro-batch that was interrupted comes again after a restart, with the same number and the same rows.
So every sink writes batches idempotently:

    files     a folder of its own for each batch, `batch=17`, which is written anew
    tables    of databases, in one transaction: rows of this run and batch out, rows in (see `jdbc_sink`);
              of Delta and Iceberg, by the number of the last batch that is in them (see `table_sink`)
    topics    messages that arrived before the interruption are left out (see `kafka_sink`)

Where answers are wanted instead of changes, tables have a row for each answer, with its state (see `states`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import pyspark
from pyspark.sql import Column, DataFrame, DataFrameWriter, SparkSession
from pyspark.sql import functions as f
from pyspark.sql.types import ArrayType, MapType, StringType, StructType

from antelog.errors import DataError, UnsupportedError
from antelog.escaping import COMPUTED, NUMBER
from antelog.language.moments import DEFAULT_ZONE
from antelog.run.address import Console, Files, Jdbc, Kafka, Table
from antelog.spark.endpoints import jdbc_sink, table_sink
from antelog.spark.endpoints.endpoints import Sink, Source
from antelog.spark.endpoints.folders import entries, local
from antelog.spark.endpoints.kafka_sink import write_messages
from antelog.spark.endpoints.parquet_sink import CODECS, write_parquet
from antelog.spark.endpoints.states import newest
from antelog.spark.endpoints.unreadable import Unreadable
from antelog.spark.running import Outputs
from antelog.spark.settings import PARQUET

_SPARK = ".".join(pyspark.__version__.split(".")[:2])
_ELSE = f"If there is none for Spark {_SPARK}, use an older PySpark that has one"
_DELTA = (
    f"Delta tables need Delta's jar for Spark {_SPARK}: "
    f"--conf spark.jars.packages=io.delta:delta-spark_{_SPARK}_2.13:VERSION "
    "--conf spark.sql.extensions=io.delta.sql.DeltaSparkSessionExtension "
    f"--conf spark.sql.catalog.spark_catalog=org.apache.spark.sql.delta.catalog.DeltaCatalog. {_ELSE}"
)
_ICEBERG = (
    f"Iceberg tables need Iceberg's jar for Spark {_SPARK}: --conf "
    f"spark.jars.packages=org.apache.iceberg:iceberg-spark-runtime-{_SPARK}_2.13:VERSION and a catalog: "
    f"--conf spark.sql.catalog.NAME=org.apache.iceberg.spark.SparkCatalog. {_ELSE}"
)
_CLASSES = {
    "delta": ("io.delta.sql.DeltaSparkSessionExtension", _DELTA),
    "iceberg": ("org.apache.iceberg.spark.SparkCatalog", _ICEBERG),
}


@dataclass(frozen=True)
class MicroBatch:
    """A micro-batch: `run` is the same after every restart.

    `begun` is the first start of a batch that was interrupted and comes again, in milliseconds since 1970.
    Without a stream there is a single batch without a number. `unread` has files that could not be read.
    """

    run: str
    number: int | None = None
    begun: int | None = None
    unread: tuple[Unreadable, ...] = ()


def require(spark: SparkSession, endpoints: Iterable[Source | Sink]) -> None:
    """Raises UnsupportedError if Spark lacks what an endpoint needs."""
    for endpoint in endpoints:
        if isinstance(endpoint, Table):
            name, advice = _CLASSES[endpoint.form]
            if not _has_class(spark, name):
                raise UnsupportedError(advice)


def refuse_used(spark: SparkSession, sinks: Iterable[Sink], *, fresh: bool) -> None:
    """Raises DataError if a folder for a fresh run has results of another one."""
    for sink in sinks:
        if fresh and isinstance(sink, Files) and entries(spark, sink.path):
            raise DataError(
                f"{sink}: there are files in it already, and nothing says that they are of this run; "
                "give another folder, or remove it"
            )


def write_changes(seen: Outputs, sink: Sink, batch: MicroBatch) -> None:
    """Writes the changes of a batch; Parquet files of this machine are written by the workers."""
    if isinstance(sink, Files) and sink.form == "parquet":
        spark = seen.frame.sparkSession
        folder = local(spark, sink.path)
        codec = CODECS.get(str(spark.conf.get("spark.sql.parquet.compression.codec")).lower())
        if folder is not None and codec is not None:
            write_parquet(seen, folder, _part(batch), codec)
            return
    write(seen.changes, sink, batch, seen.job.plan.zone)


def write_states(seen: Outputs, sink: Sink, batch: MicroBatch) -> None:
    """Writes the states of the answers that a batch has changes of into the rows that tables have of them."""
    states = newest(seen.changes).persist()  # a merge reads them twice
    try:
        match sink:
            case Jdbc():
                jdbc_sink.merge_rows(_flat(states), sink, batch.run)
            case Table():
                table_sink.merge_rows(states, sink)
            case _:
                write(states, sink, batch, seen.job.plan.zone)
    finally:
        states.unpersist()


def write(frame: DataFrame, sink: Sink, batch: MicroBatch, zone: str = DEFAULT_ZONE) -> None:
    """Writes the rows of a batch; as texts, times are those of the zone."""
    match sink:
        case Files():
            writer: DataFrameWriter = (_cells(frame) if sink.form == "csv" else frame).write.mode("overwrite")
            path = sink.path if batch.number is None else f"{sink.path.rstrip('/')}/{_part(batch)}"
            options: dict[str, Any] = {"header": True, "escape": '"'} if sink.form == "csv" else {}
            if sink.form in ("csv", "json"):
                options["timeZone"] = zone
            if sink.form == "json":
                options["ignoreNullFields"] = False
            if sink.form == "parquet":
                options |= PARQUET
            assert sink.form is not None
            writer.format(sink.form).options(**options).save(path)
        case Kafka():
            write_messages(frame, sink, batch.run, batch.number, batch.begun, zone=zone)
        case Jdbc():
            jdbc_sink.append_rows(_flat(frame), sink, batch.run, batch.number or 0)
        case Table():
            table_sink.append_rows(frame, sink, batch.run, batch.number)
        case Console():
            raise AssertionError("what goes to the console is printed by the process that has one")


def _part(batch: MicroBatch) -> str:
    """The subfolder of a batch of a stream; empty for a single batch."""
    return "" if batch.number is None else f"batch={batch.number}"


def _flat(frame: DataFrame) -> DataFrame:
    """Rows with nested values as JSON texts, for sinks with plain columns."""
    nested = (ArrayType, StructType, MapType)
    return frame.select(
        *(
            f.to_json(field.name).alias(field.name)
            if isinstance(field.dataType, nested)
            else f.col(field.name)
            for field in frame.schema
        )
    )


def _cells(frame: DataFrame) -> DataFrame:
    """Rows for CSV files, with formulas escaped for spreadsheets as by `antelog.escaping.cell`."""

    def cell(name: str) -> Column:
        text = f.col(name)
        return f.when(text.rlike(COMPUTED) & ~text.rlike(NUMBER), f.concat(f.lit("'"), text)).otherwise(text)

    flat = _flat(frame)
    texts = [each.name for each in flat.schema if isinstance(each.dataType, StringType)]
    return flat.withColumns({name: cell(name) for name in texts})


def _has_class(spark: SparkSession, name: str) -> bool:
    jvm = spark.sparkContext._jvm
    assert jvm is not None
    try:
        jvm.java.lang.Thread.currentThread().getContextClassLoader().loadClass(name)
    except Exception:
        return False
    return True
