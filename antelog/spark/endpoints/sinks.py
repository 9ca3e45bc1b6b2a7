"""Writes changes and rejects to sinks, each micro-batch once, though one that is interrupted comes again:

    files     a folder of its own for each batch, `batch=17`, is written anew
    tables    see `tables`
    topics    messages that arrived before the interruption, by their headers, are left out

One case remains: if a task fails within a batch and Spark retries it, its messages come twice.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any

import pyspark
from pyspark.sql import Column, DataFrame, DataFrameWriter, SparkSession
from pyspark.sql import functions as f
from pyspark.sql.types import ArrayType, MapType, StringType, StructType

from antelog.engine.facts.rejects import MALFORMED
from antelog.errors import DataError, UnsupportedError
from antelog.escaping import COMPUTED, NUMBER
from antelog.files.naming import Form
from antelog.language.moments import DEFAULT_ZONE
from antelog.run.address import Console, Files, Jdbc, Table
from antelog.run.sources.kafka import Kafka
from antelog.spark.bucket.unpacking import MESSAGES, message_reader
from antelog.spark.endpoints import tables
from antelog.spark.endpoints.endpoints import BATCH, RUN, Sink, Source
from antelog.spark.endpoints.folders import entries, local
from antelog.spark.endpoints.parquet_sink import CODECS, write_parquet
from antelog.spark.failures import Unreadable, shown
from antelog.spark.running import Outputs
from antelog.spark.settings import PARQUET, editions, short

_EXTENSION = "io.delta.sql.DeltaSparkSessionExtension"
_CATALOG = "org.apache.iceberg.spark.SparkCatalog"
_CLASSES = {"delta": _EXTENSION, "iceberg": _CATALOG}
_MORE = {  # the settings that tables need beside their package
    "delta": f"--conf spark.sql.extensions={_EXTENSION} "
    "--conf spark.sql.catalog.spark_catalog=org.apache.spark.sql.delta.catalog.DeltaCatalog",
    "iceberg": f"and a catalog: --conf spark.sql.catalog.NAME={_CATALOG}",
}


@dataclass(frozen=True)
class MicroBatch:
    """A micro-batch, or the single one without a number if there is no stream."""

    run: str  # the same after every restart
    number: int | None = None
    begun: int | None = None  # the first start of one that was interrupted, in milliseconds since 1970
    unread: tuple[Unreadable, ...] = ()


def require(spark: SparkSession, endpoints: Iterable[Source | Sink]) -> None:
    """Raises UnsupportedError if Spark lacks what an endpoint needs."""
    for endpoint in endpoints:
        if isinstance(endpoint, Table):
            jvm = spark.sparkContext._jvm
            assert jvm is not None
            try:
                jvm.java.lang.Thread.currentThread().getContextClassLoader().loadClass(
                    _CLASSES[endpoint.form]
                )
            except Exception:
                raise UnsupportedError(lacking(endpoint.form, pyspark.__version__)) from None


def lacking(form: str, version: str) -> str:
    """Advice where Spark has no Delta or Iceberg: the package, or a PySpark that has one."""
    known = {spark: each[form] for spark, each in editions().items() if form in each}
    tables = f"{form.title()} tables need {form.title()}'s package for Spark {short(version)}"
    if package := known.get(short(version)):
        return f"{tables}: --conf spark.jars.packages={package} {_MORE[form]}"
    older = [*known][-1]
    return f"{tables}, and none is known. PySpark {older} has one: pip install 'pyspark=={older}.*'"


def refuse_used(spark: SparkSession, sinks: Iterable[Sink], *, fresh: bool) -> None:
    for sink in sinks:
        if fresh and isinstance(sink, Files) and entries(spark, sink.path):
            raise DataError.of("outputs.not-of-this-run", sink=sink)


def write_changes(seen: Outputs, sink: Sink, batch: MicroBatch) -> None:
    """Writes the changes of a batch; Parquet files of this machine are written by the workers."""
    if isinstance(sink, Files) and sink.form == "parquet":
        spark = seen.frame.sparkSession
        folder = local(spark, sink.path)
        codec = CODECS.get(str(spark.conf.get("spark.sql.parquet.compression.codec")).lower())
        if folder is not None and codec is not None:
            write_parquet(seen, folder, _part(batch), codec)
            return
    if isinstance(sink, Kafka):
        _send(seen.handed(partial(message_reader, seen.job.without_model), MESSAGES), sink, batch)
    else:
        write(seen.changes, sink, batch, seen.job.plan.zone)


def to_parquet(outputs: Outputs, folder: str, number: int | None = None) -> None:
    """Writes changes to a folder, as `antelog run` does; those of a micro-batch to its own, `batch=17`."""
    write_changes(outputs, Files(folder, Form.PARQUET), MicroBatch("", number))


def write_states(seen: Outputs, sink: Sink, batch: MicroBatch) -> None:
    """Writes the states of answers that have changes in a batch; tables have one row for each answer."""
    states = tables.newest(seen.changes).persist()  # a merge reads them twice
    try:
        match sink:
            case Jdbc():
                tables.merge_into_database(_flat(states), sink, batch.run)
            case Table():
                tables.merge_rows(states, sink)
            case _:
                write(states, sink, batch, seen.job.plan.zone)
    finally:
        states.unpersist()


def write(frame: DataFrame, sink: Sink, batch: MicroBatch, zone: str = DEFAULT_ZONE) -> None:
    """Writes the rows of a batch; times in texts are those of the zone. To a topic only rejects come here."""
    match sink:
        case Files():
            writer: DataFrameWriter = (_cells(frame) if sink.form == "csv" else frame).write.mode("overwrite")
            path = sink.path if batch.number is None else f"{sink.path.rstrip('/')}/{_part(batch)}"
            options: dict[str, dict[str, Any]] = {
                "csv": {"header": True, "escape": '"', "timeZone": zone},
                "json": {"ignoreNullFields": False, "timeZone": zone},
                "parquet": PARQUET,
            }
            assert sink.form is not None
            writer.format(sink.form).options(**options[sink.form]).save(path)
        case Kafka():
            value = f.to_json(f.struct(*frame.columns), {"ignoreNullFields": "false"})
            _send(frame.select(f.col("input").alias("key"), value.alias("value")), sink, batch)
        case Jdbc():
            tables.append_to_database(_flat(frame), sink, batch.run, batch.number or 0)
        case Table():
            tables.append_rows(frame, sink, batch.run, batch.number)
        case Console():
            raise AssertionError("what goes to the console is printed by the process that has one")


def _part(batch: MicroBatch) -> str:
    return "" if batch.number is None else f"batch={batch.number}"


def _flat(frame: DataFrame) -> DataFrame:
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
    """Escapes formulas for spreadsheets, as `antelog.escaping.cell` does."""

    def cell(name: str) -> Column:
        text = f.col(name)
        return f.when(text.rlike(COMPUTED) & ~text.rlike(NUMBER), f.concat(f.lit("'"), text)).otherwise(text)

    flat = _flat(frame)
    texts = [each.name for each in flat.schema if isinstance(each.dataType, StringType)]
    return flat.withColumns({name: cell(name) for name in texts})


_SLACK = 10 * 60 * 1000  # milliseconds by which the clocks of Spark's machines may differ


def _send(messages: DataFrame, sink: Kafka, batch: MicroBatch) -> None:
    """Sends the messages of a batch but for those that an interrupted start has sent."""
    marks = [_header(RUN, batch.run), *([] if batch.number is None else [_header(BATCH, str(batch.number))])]
    messages = messages.withColumn("headers", f.array(*marks))
    options = {"kafka.bootstrap.servers": sink.servers, **dict(sink.options)}
    if batch.number is not None and batch.begun is not None:
        reader = messages.sparkSession.read.format("kafka").options(**options)
        reader = reader.option("startingTimestamp", str(batch.begun - _SLACK))
        reader = reader.option("startingOffsetsByTimestampStrategy", "latest")
        topic = reader.option("subscribe", sink.topic).option("includeHeaders", "true").load()
        for mark in marks:
            topic = topic.where(f.array_contains("headers", mark))
        sent = topic.select(*(f.col(name).cast("string").alias(name) for name in ("key", "value")))
        left = messages.join(f.broadcast(sent), ["key", "value"], "left_anti")
        messages = left.select(*messages.columns)
    messages.write.format("kafka").option("topic", sink.topic).options(**options).save()


def _header(name: str, value: str) -> Column:
    return f.struct(f.lit(name).alias("key"), f.lit(value).cast("binary").alias("value"))


# ---- rejects ----


def as_rejects(frame: DataFrame, files: Iterable[tuple[str, Unreadable]]) -> DataFrame:
    """Adds rejects for unreadable files of inputs."""
    rows = []
    for name, file in files:
        detail = f"cannot be read: {file.reason}; the file is set aside"
        rows.append((name, None, None, None, MALFORMED, detail, shown(file.file)))
    return frame.unionAll(frame.sparkSession.createDataFrame(rows, frame.schema)) if rows else frame


def commonest(rejects: DataFrame, particular: str) -> tuple[dict[str, Any], int]:
    """A reject of the most frequent kind, and its count; kinds are details without `particular` parts."""
    kind = f.regexp_replace("detail", particular, "…")
    example = f.struct(*rejects.columns)
    kinds = rejects.groupBy(kind.alias("kind")).agg(f.min(example).alias("row"), f.count("*").alias("rows"))
    found = kinds.orderBy(f.desc("rows"), "kind").first()
    assert found is not None
    return found.row.asDict(), found.rows
