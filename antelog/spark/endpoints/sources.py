"""Sources as DataFrames with a program's columns: batches, or streams that follow them.

Files of JSON and the messages of a topic are read as lines, and parsed by Spark's own
functions. So one bad line is set aside with its text, whatever it comes from. CSV files are read as
they are in process (`antelog.spark.endpoints.csv_source`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as f
from pyspark.sql.readwriter import DataFrameReader
from pyspark.sql.streaming.readwriter import DataStreamReader
from pyspark.sql.types import StructType

from antelog.errors import DataError
from antelog.files.csv_files import CsvHeader
from antelog.files.records import row_pattern
from antelog.language.epochs import Counting
from antelog.run.address import Files, Jdbc, Kafka, Rate, Table
from antelog.spark.endpoints.columns import Kind, column_of, field, fields, malformed, nothing, value_of
from antelog.spark.endpoints.csv_source import CsvReading, csv_rows, deal_out_whole_files, with_files
from antelog.spark.endpoints.endpoints import Source, properties_of
from antelog.spark.endpoints.unreadable import without
from antelog.spark.job.epochs import ParsedColumn, clock_of, parsed_times
from antelog.spark.settings import MALFORMED, ROW, quoted

Schema: TypeAlias = StructType
"""The type of a source's columns for layers that may not import PySpark."""

KAFKA_COLUMNS = ("key", "timestamp", "topic", "partition", "offset", "row")
"""The columns of a message next to its value, and where it was; in --map they are `@key` and so on."""

_MOST_FILES = {"delta": "maxFilesPerTrigger", "iceberg": "streaming-max-files-per-micro-batch"}
_BAD = "_bad"
_MADE = 1_000_003
"""A prime: made-up values repeat with the keys, but not in step with one another."""


@dataclass(frozen=True)
class Reading:
    """A source, and the columns to read from it.

    `columns` has the name in the source for each column of the predicate, and for that of arrivals
    if there is one; `kinds` says what their values are, `counting` how times are counted. `choices` are
    values that made-up facts may have. CSV files are read as `csv` says; `schema` is the one of the Parquet
    files that a stream follows.
    """

    source: Source
    columns: Mapping[str, str]
    kinds: Mapping[str, Kind]
    counting: Counting
    layout: CsvHeader | None = None
    choices: Mapping[str, Sequence[str | int | float]] | None = None
    csv: CsvReading | None = None
    schema: StructType | None = None


def frame(
    spark: SparkSession,
    reading: Reading,
    *,
    stream: bool,
    limit: int | None = None,
    leave_out: Collection[str] = (),
) -> DataFrame:
    """The facts of a source. A stream takes at most `limit` files, or messages, into a batch.

    Files to be left out are given as Spark names them.
    """
    source = reading.source
    if isinstance(source, Rate):
        return _made_up(spark, source, reading)
    if reading.csv is not None:
        assert isinstance(source, Files)
        deal_out_whole_files(spark)
        lines = _texts(spark, stream, limit).option("lineSep", "\n").text(source.path)
        return csv_rows(with_files(without(lines, leave_out)), reading.csv)
    if isinstance(source, Kafka) or (isinstance(source, Files) and source.form != "parquet"):
        return from_lines(_lines(spark, source, stream, limit, leave_out), reading)
    rows = typed(spark, source, stream, limit, reading.schema)
    if isinstance(source, Files):
        rows = without(rows, leave_out)
    return rows.select(*_cells(rows, reading))


# ---- sources with types ----


def _cells(rows: DataFrame, reading: Reading) -> Iterator[Column]:
    """The columns, with times as ticks; and one that marks rows as malformed if times may be none."""
    times = list[ParsedColumn]()
    for column, name in reading.columns.items():
        cell = column_of(rows.columns, name)
        if reading.kinds[column] == "time":
            type_ = rows.select(cell).schema.fields[0].dataType
            if (read := parsed_times(cell, type_, column, reading.counting)) is not None:
                cell = read.column
                times.append(read)
        yield cell.alias(column)
    if times:
        yield f.coalesce(*(each.complaint for each in times)).alias(MALFORMED)
    yield from clock_of(times)


def typed(
    spark: SparkSession,
    source: Source,
    stream: bool = False,
    limit: int | None = None,
    schema: StructType | None = None,
) -> DataFrame:
    """The rows of a source with types."""
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


# ---- lines ----


def _texts(spark: SparkSession, stream: bool, limit: int | None) -> DataFrameReader | DataStreamReader:
    return _limited(spark.readStream, "maxFilesPerTrigger", limit) if stream else spark.read


def _lines(
    spark: SparkSession, source: Files | Kafka, stream: bool, limit: int | None, leave_out: Collection[str]
) -> DataFrame:
    if isinstance(source, Files):
        lines = without(_texts(spark, stream, limit).text(source.path), leave_out)
    else:
        reader = _limited(spark.readStream, "maxOffsetsPerTrigger", limit) if stream else spark.read
        options = {
            "kafka.bootstrap.servers": source.servers,
            "subscribe": source.topic,
            "startingOffsets": source.starting if stream else "earliest",
            **dict(source.options),
        }
        rows = reader.format("kafka").options(**options).load()
        besides = [f.col(name).alias(f"@{name}") for name in KAFKA_COLUMNS if name not in ("key", "row")]
        besides.append(f.format_string("%s[%d]:%d", "topic", "partition", "offset").alias("@row"))
        key = f.col("key").cast("string").alias("@key")
        lines = rows.select(f.col("value").cast("string").alias("value"), key, *besides)
    value = f.regexp_replace("value", "^\ufeff|\r?\n?$", "")
    lines = lines.withColumn("value", f.coalesce(value, f.lit("")))
    # An empty line is no row, but an empty message is a message.
    return lines.where("trim(value) != ''") if isinstance(source, Files) else lines


def from_lines(lines: DataFrame, reading: Reading) -> DataFrame:
    """The facts in lines or messages, whose texts are in a column `value`."""
    types, complaint = _csv_types(reading.layout) if reading.layout else _json_types(reading)
    rows = lines.withColumn("parsed", _parsed(types, reading.layout))
    quotes = nothing() if reading.layout is None else _not_a_row(reading.layout)
    values = {column: _value(column, name, types, reading) for column, name in reading.columns.items()}
    # A message without a value takes its key back; there are no facts to take back.
    empty = f.when(f.trim("value") == "", f.lit("the message is empty"))
    wrong = f.when(f.col(f"parsed.{_BAD}").isNotNull(), f.lit(complaint))
    rows = rows.select(
        *(value.column.alias(column) for column, value in values.items()),
        f.coalesce(empty, quotes, wrong, *(value.complaint for value in values.values())).alias(MALFORMED),
        f.col("value").alias(ROW),
        *clock_of(values.values()),
    )
    # The text of a line travels on only if it is needed.
    return rows.withColumn(ROW, f.when(malformed(), f.col(ROW)))


Types = Mapping[str, str]
"""The type of each field of a line: of JSON those that are wanted, of CSV all, in their order."""


def _not_a_row(layout: CsvHeader) -> Column:
    """An error message for each message that is not one row of CSV; otherwise null."""
    row = f.concat("value", f.lit("\n")).rlike(row_pattern(layout.separator))
    complaint = "the message is not one row of CSV: it has several, or a quote that is not closed"
    return f.when(~row, f.lit(complaint))


def _csv_types(layout: CsvHeader) -> tuple[Types, str]:
    count = len(layout.names)
    # Names may repeat, though none that is wanted does.
    names = [name if name not in layout.names[:i] else f"{name} {i}" for i, name in enumerate(layout.names)]
    return dict.fromkeys(names, "string"), f"the line has not {count} value{'' if count == 1 else 's'}"


def _json_types(reading: Reading) -> tuple[Types, str]:
    # JSON has numbers, and reading it says so itself when a text stands where one should be.
    types = {"number": "double", "integer": "bigint", "text": "string", "time": "string"}
    names = {name: column for column, name in reading.columns.items() if not name.startswith("@")}
    found = {name: types[reading.kinds[column]] for name, column in names.items()}
    return found, "the line is not a JSON object, or a value of it has the wrong type"


def _parsed(types: Types, layout: CsvHeader | None) -> Column:
    options = {"mode": "PERMISSIVE", "columnNameOfCorruptRecord": _BAD}
    if layout is None:
        return f.from_json("value", fields({**types, _BAD: "string"}), options)
    ddl = ", ".join(f"{name} string" for name in (*(f"c{i}" for i in range(len(types))), _BAD))
    quotes = {"sep": layout.separator, "escape": '"', "multiLine": "true"}
    return f.from_csv("value", ddl, {**options, **quotes})


def _value(column: str, name: str, types: Types, reading: Reading) -> ParsedColumn:
    kind = reading.kinds[column]
    if not name.startswith("@") and reading.layout is not None:
        if name not in types:
            raise DataError(
                f"{reading.source}: has no column {name}, which {column} is mapped to; its messages are rows "
                f"of CSV without names, with the values of {', '.join(types)}"
            )
        cell = f.col(f"parsed.c{list(types).index(name)}")
        # In CSV there is no difference between "" and nothing.
        return value_of(f.nullif(cell, f.lit("")), column, kind, reading.counting)
    if not name.startswith("@"):
        cell = field("parsed", name)
        plain = types[name] in ("double", "bigint")
        value = ParsedColumn(cell, nothing()) if plain else value_of(cell, column, kind, reading.counting)
        # What is missing is left to the program's own checks, but these know nothing of paths.
        lacks = f.when(cell.isNull(), f.lit(f"lacks {name}")) if "." in name else nothing()
        return replace(value, complaint=f.coalesce(value.complaint, lacks))
    if name[1:] not in KAFKA_COLUMNS or not isinstance(reading.source, Kafka):
        known = ", ".join(f"@{each}" for each in KAFKA_COLUMNS)
        raise DataError(f"{reading.source}: has no column {name}; topics have {known}")
    cell = f.col(quoted(name))
    return value_of(cell, column, kind, reading.counting) if name == "@key" else ParsedColumn(cell, nothing())


# ---- made-up facts ----


def _made_up(spark: SparkSession, source: Rate, reading: Reading) -> DataFrame:
    rows = spark.readStream.format("rate").option("rowsPerSecond", source.rows).load()
    return rows.select(
        *(
            _made(number, column, source, reading).alias(column)
            for number, column in enumerate(reading.columns)
        )
    )


def _made(number: int, column: str, source: Rate, reading: Reading) -> Column:
    kind = reading.kinds[column]
    if kind == "time":
        # Without the length of a tick, one lasts a second.
        return f.col("timestamp") if reading.counting.tick is not None else f.expr(f"value div {source.rows}")
    choices = (reading.choices or {}).get(column, ())
    dice = f.pmod(f.xxhash64("value", f.lit(number)), f.lit(_MADE))
    if kind in ("number", "integer"):
        return (dice % 1000 / 10.0).cast("double" if kind == "number" else "bigint")
    if choices:
        texts = f.array(*(f.lit(str(choice)) for choice in (*choices, "other")))
        return f.element_at(texts, (dice % (len(choices) + 1) + 1).cast("int"))
    return f.concat(f.lit(f"{column}"), (dice % source.keys).cast("string"))
