"""Sources as DataFrames with a program's columns, found by --map, by name, or by position."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as f
from pyspark.sql.streaming.readwriter import DataStreamReader
from pyspark.sql.types import DataType, NumericType, StructType

from antelog.compile.literals.terms import Const
from antelog.compile.nodes.plan import Plan
from antelog.errors import DataError
from antelog.files import WantedColumns
from antelog.files.chunks import sorted_out
from antelog.files.columns import DEFAULT_ARRIVAL, ROW, ColumnPositions, places
from antelog.files.csv_files import first_line
from antelog.files.json_files import WholeJson
from antelog.files.naming import Form
from antelog.run.address import Files, Jdbc, Rate, Table
from antelog.run.reading import wanted_of
from antelog.run.sources.kafka import Kafka
from antelog.spark.endpoints import folders, line_rows
from antelog.spark.endpoints.endpoints import Source, properties_of
from antelog.spark.endpoints.line_rows import RowReading
from antelog.spark.failures import plainly
from antelog.spark.settings import SOURCE, quoted

KAFKA_COLUMNS = ("key", "timestamp", "topic", "partition", "offset", "row")  # in --map `@key` and so on

_PARTITION = "@of a partition"  # no column that --map may name

_MOST_FILES = {"delta": "maxFilesPerTrigger", "iceberg": "streaming-max-files-per-micro-batch"}
_MADE = 1_000_003  # a prime, so that made-up values of several columns do not repeat in step


@dataclass(frozen=True)
class Reading:
    """A source, and what to read from it."""

    source: Source
    rows: RowReading
    choices: Mapping[str, Sequence[str | int | float]] | None = None  # values of made-up facts, by column
    schema: StructType | None = None  # that of the Parquet files which a stream follows

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
    """Reads the facts of a source but for some files; a stream at most `limit` files or messages a batch."""
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
            typed_rows = _typed(spark, source, stream, limit, reading.schema)
            if isinstance(source, Files):
                typed_rows = _without(typed_rows, leave_out)
            # A column by its name, or the field of a struct at a path.
            names = {
                column: quoted(name) if name in typed_rows.columns else ".".join(map(quoted, name.split(".")))
                for column, name in reading.columns.items()
            }
            return typed_rows.select(*(f.col(name).alias(column) for column, name in names.items()))


def _without(lines: DataFrame, files: Collection[str]) -> DataFrame:
    """Leaves out files, which are not even opened."""
    if not files:
        return lines
    path = f.regexp_replace(f.col("_metadata.file_path"), "^file:/+", "file:/")
    return lines.where(~path.isin(sorted(files)))


# ---- sources with types ----


def _typed(
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


def _paths(schema: StructType, before: str = "") -> Iterator[tuple[str, DataType]]:
    """The paths of fields within columns that are structs, with their types."""
    for each in schema:
        if isinstance(each.dataType, StructType):
            yield from _paths(each.dataType, f"{before}{each.name}.")
        elif before:
            yield f"{before}{each.name}", each.dataType


# ---- messages ----


def _messages(
    spark: SparkSession, source: Kafka, reading: Reading, stream: bool, limit: int | None
) -> DataFrame:
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
    besides[_PARTITION] = f.format_string(f"{reading.rows.wanted.name} from %s[%d]", "topic", "partition")
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


# ---- columns ----

_LINES, _ROWS = 1_000, 20


@dataclass(frozen=True)
class _Found:
    names: list[str] | None  # None: any name exists
    schema: StructType | None = None
    row: ColumnPositions | None = None  # of CSV files without a header
    lines: Sequence[str] = ()  # a sample of JSON


def reading_of(
    spark: SparkSession,
    plan: Plan,
    name: str,
    source: Source,
    maps: Mapping[str, str],
    *,
    arrival: str | None = None,
    stream: bool = False,
) -> Reading:
    """Finds the columns of an input or a static predicate in a source; without `arrival` it may be missing.

    `maps` has names of columns in sources. Raises DataError if some are missing: in a stream, from all files.
    """
    wanted = wanted_of(plan, name, arrival or DEFAULT_ARRIVAL, maps)
    if wanted.of_rows and not isinstance(source, Kafka):
        column = wanted.of_rows[0].name
        message = f"{source}: {column}={ROW}: on Spark it is known of topics only where a row was read"
        raise DataError(f"{message}; use `antelog watch` or `antelog try`, or map another column")
    arrives = arrival is not None or wanted.arrival in dict(wanted.called)
    wanted = replace(wanted, must_arrive=wanted.timed and arrives)
    failed: DataError | None = None
    for path in folders.paths_of(spark, source, stream=stream) if isinstance(source, Files) else [""]:
        try:
            with plainly():
                found = _look(spark, source, wanted, path)
            return _reading(plan, source, wanted, found, stream=stream)
        except DataError as error:
            failed = failed or error
    assert failed is not None
    raise failed


def _reading(plan: Plan, source: Source, wanted: WantedColumns, found: _Found, *, stream: bool) -> Reading:
    names = _columns(source, wanted, found)
    if isinstance(source, Kafka):
        for column, name in zip([*wanted.columns, wanted.arrival], names, strict=False):
            if name.startswith("@") and name[1:] not in KAFKA_COLUMNS:
                known = ", ".join(f"@{each}" for each in KAFKA_COLUMNS)
                raise DataError(f"{source}: has no column {name}; topics have {known}")
            if source.values == "csv" and not name.startswith("@") and name != column:
                values = [*wanted.columns, *([wanted.arrival] if wanted.must_arrive else [])]
                said = {"source": source, "name": name, "column": column}
                raise DataError.of("topics.no-names-on-spark", **said, names=", ".join(values))
    # Where a message was read is one more text of it; in a stream each partition has a time of its own.
    placed = {each.name: ROW for each in wanted.of_rows}
    placed |= {SOURCE: _PARTITION} if stream and isinstance(source, Kafka) else {}
    read = replace(
        wanted, columns=(*placed, *wanted.columns), types=(*["text"] * len(placed), *wanted.types), of_rows=()
    )
    rows = RowReading(read, (*placed.values(), *names), len(placed), strict=not stream)
    patterns = (pattern for relation in plan.relations for pattern in relation.patterns)
    facts = [fact for pattern in patterns for fact in pattern.facts if fact.predicate == wanted.name]
    choices = {}
    for at, column in enumerate(wanted.columns[: len(wanted.types)]):
        terms = [fact.arguments[at] for fact in facts]
        choices[column] = [*dict.fromkeys(each.value for each in terms if isinstance(each, Const))]
    return Reading(source, rows, choices, found.schema)


def _columns(source: Source, wanted: WantedColumns, found: _Found) -> tuple[str, ...]:
    rows = WholeJson(str(source), wanted)
    chunk = rows.chunk((number, line.encode()) for number, line in enumerate(found.lines, 1))
    if chunk.misfit:
        list(sorted_out(wanted, [chunk], str(source)))  # raises DataError: wanted columns are missing
    names = list(rows.names) or found.names
    if names is None:
        return tuple(wanted.required)
    # The paths of fields within columns that are structs.
    inner = {} if found.schema is None else dict(_paths(found.schema))
    names = [*names, *(name for _, name in wanted.called if name in inner.keys() - {*names})]
    at = found.row or places(wanted, names, str(source), inner)
    if at.misfit and found.schema is not None:
        for i, type_ in zip(at.columns, wanted.value_types, strict=False):
            if type_ is not None and isinstance(found.schema[names[i]].dataType, NumericType) is (
                type_ == "text"
            ):
                raise DataError(at.misfit)
    return at.names(names)


def _look(spark: SparkSession, source: Source, wanted: WantedColumns, path: str) -> _Found:
    """The columns of a source; of files, those at a path."""
    match source:
        case Rate() | Kafka():
            return _Found(None)
        case Files(form="json"):
            return _Found(None, lines=folders.head(spark, path, _LINES))
        case Files(form="parquet"):
            schema = spark.read.parquet(path).schema
        case Files():
            first = first_line("\n".join(folders.head(spark, path, _ROWS)).encode(), source.path, wanted)
            if first is None:
                raise DataError.of("files.empty", source=source)
            return _Found(list(first.header.names), row=first.row)
        case _:
            schema = _typed(spark, source).schema
    return _Found(list(schema.names), schema=schema)
