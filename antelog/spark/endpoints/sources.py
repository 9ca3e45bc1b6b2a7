"""Sources as DataFrames with a program's columns: batches, or streams that follow them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as f
from pyspark.sql.streaming.readwriter import DataStreamReader
from pyspark.sql.types import DataType, NumericType, StructType

from antelog.files.naming import Form
from antelog.run.address import Files, Jdbc, Kafka, Rate, Table
from antelog.spark.endpoints import line_rows
from antelog.spark.endpoints.endpoints import Source, properties_of
from antelog.spark.endpoints.line_rows import RowReading
from antelog.spark.settings import quoted

Schema: TypeAlias = StructType
"""The schema of a source, for layers that may not import PySpark."""

KAFKA_COLUMNS = ("key", "timestamp", "topic", "partition", "offset", "row")
"""What is known of a message besides its value; in --map it is `@key` and so on."""

_MOST_FILES = {"delta": "maxFilesPerTrigger", "iceberg": "streaming-max-files-per-micro-batch"}
_MADE = 1_000_003
"""A prime, so that made-up values of several columns do not repeat in step."""


@dataclass(frozen=True)
class Reading:
    """A source, and what to read from it.

    choices     values that made-up facts may have in a column
    schema      that of the Parquet files which a stream follows
    """

    source: Source
    rows: RowReading
    choices: Mapping[str, Sequence[str | int | float]] | None = None
    schema: StructType | None = None

    @property
    def columns(self) -> dict[str, str]:
        """The name in the source of each column, and of that with arrivals, if there is one."""
        wanted = self.rows.wanted
        return dict(zip((*wanted.columns, wanted.arrival), self.rows.names, strict=False))


def frame(
    spark: SparkSession,
    reading: Reading,
    *,
    stream: bool,
    limit: int | None = None,
    leave_out: Collection[str] = (),
) -> DataFrame:
    """Reads the facts of a source but for some files, as Spark names them.

    A stream reads at most `limit` files or messages for a batch.
    """
    match reading.source:
        case Rate() as source:
            made = spark.readStream.format("rate").option("rowsPerSecond", source.rows).load()
            columns = enumerate(reading.columns)
            return made.select(*(_made(at, column, source, reading).alias(column) for at, column in columns))
        case Kafka() as source:
            return line_rows.of_messages(
                _messages(spark, source, reading, stream, limit), reading.rows, source.values
            )
        case Files(form=Form.CSV | Form.JSON) as source:
            reader = _limited(spark.readStream, "maxFilesPerTrigger", limit) if stream else spark.read
            if source.form == Form.JSON:
                return line_rows.of_lines(_without(reader.text(source.path), leave_out), reading.rows)
            for name, value in line_rows.WHOLE_FILES.items():
                spark.conf.set(name, value)
            lines = reader.option("lineSep", "\n").text(source.path)
            return line_rows.of_files(_without(lines, leave_out), reading.rows)
        case source:
            typed_rows = typed(spark, source, stream, limit, reading.schema)
            if isinstance(source, Files):
                typed_rows = _without(typed_rows, leave_out)
            wanted = reading.columns.items()
            return typed_rows.select(*(_named(typed_rows, name).alias(column) for column, name in wanted))


def _without(lines: DataFrame, files: Collection[str]) -> DataFrame:
    """Leaves out files, which are not even opened."""
    if not files:
        return lines
    path = f.regexp_replace(f.col("_metadata.file_path"), "^file:/+", "file:/")
    return lines.where(~path.isin(sorted(files)))


# ---- sources with types ----


def typed(
    spark: SparkSession,
    source: Source,
    stream: bool = False,
    limit: int | None = None,
    schema: StructType | None = None,
) -> DataFrame:
    match source:
        case Files():
            if not stream:
                return spark.read.parquet(source.path)
            schema = schema or spark.read.parquet(source.path).schema
            return _limited(spark.readStream.schema(schema), "maxFilesPerTrigger", limit).parquet(source.path)
        case Table():
            following = _limited(spark.readStream, _MOST_FILES[source.form], limit)
            reader = (following if stream else spark.read).format(source.form)
            return reader.load(source.name) if source.is_folder else reader.table(source.name)
        case Jdbc():
            return spark.read.jdbc(source.url, source.table, properties=properties_of(source))
        case _:
            raise AssertionError(source)


def _limited(reader: DataStreamReader, option: str, limit: int | None) -> DataStreamReader:
    return reader if limit is None else reader.option(option, limit)


def _named(typed_rows: DataFrame, name: str) -> Column:
    """The column of a name, or the field of a struct at that path."""
    return f.col(quoted(name) if name in typed_rows.columns else ".".join(map(quoted, name.split("."))))


def paths(schema: StructType, before: str = "") -> Iterator[tuple[str, DataType]]:
    """The paths of fields within columns that are structs, with their types."""
    for each in schema:
        if isinstance(each.dataType, StructType):
            yield from paths(each.dataType, f"{before}{each.name}.")
        elif before:
            yield f"{before}{each.name}", each.dataType


def has_numbers(schema: StructType, name: str) -> bool:
    return isinstance(schema[name].dataType, NumericType)


# ---- messages ----


def _messages(
    spark: SparkSession, source: Kafka, reading: Reading, stream: bool, limit: int | None
) -> DataFrame:
    """The values of messages, and what else is wanted of them."""
    reader = _limited(spark.readStream, "maxOffsetsPerTrigger", limit) if stream else spark.read
    options = {
        "kafka.bootstrap.servers": source.servers,
        "subscribe": source.topic,
        "startingOffsets": source.starting if stream else "earliest",
        **dict(source.options),
    }
    messages = reader.format("kafka").options(**options).load()
    besides = {f"@{name}": f.col(name) for name in KAFKA_COLUMNS if name != "row"}
    besides["@key"] = f.col("key").cast("string")
    besides["@row"] = f.format_string("%s[%d]:%d", "topic", "partition", "offset")
    wanted = dict.fromkeys(name for name in reading.rows.names if name in besides)
    return messages.select("value", *(besides[name].alias(name) for name in wanted))


# ---- made-up facts ----


def _made(number: int, column: str, source: Rate, reading: Reading) -> Column:
    wanted = reading.rows.wanted
    if number >= len(wanted.types):
        # Without the length of a tick, one lasts a second.
        return f.col("timestamp") if wanted.counting.tick is not None else f.expr(f"value div {source.rows}")
    type_, choices = wanted.value_types[number], (reading.choices or {}).get(column, ())
    dice = f.pmod(f.xxhash64("value", f.lit(number)), f.lit(_MADE))
    if type_ in ("number", "integer"):
        return (dice % 1000 / 10.0).cast("double" if type_ == "number" else "bigint")
    if choices:
        texts = f.array(*(f.lit(str(choice)) for choice in (*choices, "other")))
        return f.element_at(texts, (dice % (len(choices) + 1) + 1).cast("int"))
    return f.concat(f.lit(f"{column}"), (dice % source.keys).cast("string"))
