"""Maps columns of a source to columns of the program: by --map, by name, or by position."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from antelog.compile.literals.terms import Const
from antelog.compile.nodes.plan import Plan
from antelog.errors import DataError
from antelog.files import WantedColumns
from antelog.files.chunks import sorted_out
from antelog.files.columns import DEFAULT_ARRIVAL, ROW, ColumnPositions, places
from antelog.files.csv_files import first_line
from antelog.files.json_files import WholeJson
from antelog.run.address import Files, Kafka, Rate
from antelog.run.reading import wanted_of
from antelog.spark.endpoints.endpoints import Source

if TYPE_CHECKING:  # PySpark is imported when it is known that it will be needed
    from antelog.spark.endpoints.sources import Reading, Schema
    from antelog.spark.pipeline.session import Session

_LINES = 1_000
"""The lines of JSON that are searched for names."""

_ROWS = 20
"""The lines of CSV in which the first row is looked for."""


@dataclass(frozen=True)
class _Found:
    """The columns of a source (None: any name exists), and the types of these.

    `row` has the positions of columns in CSV files without a header, `lines` sample lines of JSON.
    """

    names: list[str] | None
    schema: Schema | None = None
    row: ColumnPositions | None = None
    lines: Sequence[str] = ()


@dataclass(frozen=True)
class Wish:
    """The facts of an input or a static predicate, to be read from a source.

    `maps` has the names of columns in sources. `arrival` is the column of arrivals that must exist; if None,
    a column named `arrival` is used if there is one.
    """

    name: str
    source: Source
    maps: Mapping[str, str]
    arrival: str | None = None
    stream: bool = False


def reading_of(spark: Session, plan: Plan, wish: Wish) -> Reading:
    """The way to read the facts of a wish.

    Raises DataError if columns are missing; for a stream of files, if they are missing in all files.
    """
    wanted = wanted_of(plan, wish.name, wish.arrival or DEFAULT_ARRIVAL, wish.maps)
    if wanted.of_rows and not isinstance(wish.source, Kafka):
        column = wanted.of_rows[0][1]
        message = f"{wish.source}: {column}={ROW}: on Spark it is known of topics only where a row was read"
        raise DataError(f"{message}; use `antelog watch` or `antelog try`, or map another column")
    arrives = wish.arrival is not None or wanted.arrival in dict(wanted.called)
    wanted = replace(wanted, must_arrive=wanted.timed and arrives)
    failed: DataError | None = None
    for found in _look(spark, wish, wanted):
        try:
            return _reading(plan, wish, wanted, found)
        except DataError as error:
            failed = failed or error
            if not wish.stream:
                break
    raise failed or DataError(f"{wish.source}: has nothing that names its columns")


def _reading(plan: Plan, wish: Wish, wanted: WantedColumns, found: _Found) -> Reading:
    from antelog.spark.endpoints.line_rows import RowReading  # noqa: PLC0415 - needs PySpark
    from antelog.spark.endpoints.sources import KAFKA_COLUMNS, Reading  # noqa: PLC0415 - needs PySpark

    names = _columns(wish.source, wanted, found)
    if isinstance(wish.source, Kafka):
        for column, name in zip([*wanted.columns, wanted.arrival], names, strict=False):
            if name.startswith("@") and name[1:] not in KAFKA_COLUMNS:
                known = ", ".join(f"@{each}" for each in KAFKA_COLUMNS)
                raise DataError(f"{wish.source}: has no column {name}; topics have {known}")
            if wish.source.values == "csv" and not name.startswith("@") and name != column:
                raise DataError(
                    f"{wish.source}: has no column {name}, which {column} is mapped to; its messages are "
                    f"rows of CSV without names, with the values of {', '.join(_all(wanted))}"
                )
    # Where a message was read is one more text of it.
    placed = tuple(column for _, column in wanted.of_rows)
    read = replace(
        wanted, columns=(*placed, *wanted.columns), types=(*["text"] * len(placed), *wanted.types), of_rows=()
    )
    rows = RowReading(read, (*[ROW] * len(placed), *names), strict=not wish.stream)
    constants = {
        column: _constants(plan, wanted.name, i)
        for i, column in enumerate(wanted.columns[: len(wanted.types)])
    }
    return Reading(wish.source, rows, constants, found.schema)


def _columns(source: Source, wanted: WantedColumns, found: _Found) -> tuple[str, ...]:
    """The names in the source of the wanted columns, and of the arrival, if there is one."""
    from antelog.spark.endpoints.sources import has_numbers, paths  # noqa: PLC0415 - needs PySpark

    rows = WholeJson(str(source), wanted)
    chunk = rows.chunk((number, line.encode()) for number, line in enumerate(found.lines, 1))
    if chunk.misfit:
        list(sorted_out(wanted, [chunk], str(source)))  # raises DataError: wanted columns are missing
    names = list(rows.names) or found.names
    if names is None:
        return tuple(wanted.required)
    # The paths of fields within columns that are structs.
    inner = {} if found.schema is None else dict(paths(found.schema))
    names = [*names, *(name for _, name in wanted.called if name in inner.keys() - {*names})]
    at = found.row or places(wanted, names, str(source), inner)
    if at.misfit and found.schema is not None:
        for i, type_ in zip(at.columns, wanted.value_types, strict=False):
            if type_ is not None and has_numbers(found.schema, names[i]) is (type_ == "text"):
                raise DataError(at.misfit)
    return at.names(names)


def _all(wanted: WantedColumns) -> list[str]:
    """The columns that the source must have, as the program calls them."""
    return [*wanted.columns, *([wanted.arrival] if wanted.must_arrive else [])]


def _look(spark: Session, wish: Wish, wanted: WantedColumns) -> Iterator[_Found]:
    """The columns of a source; for a stream of files, those of each file in turn."""
    from antelog.spark.endpoints import folders, sources  # noqa: PLC0415 - needs PySpark

    match wish.source:
        case Rate() | Kafka():
            yield _Found(None)
        case Files(form="parquet") as files:
            for schema in folders.schemas(spark, files, stream=wish.stream):
                yield _Found(list(schema.names), schema=schema)
        case Files(form="json") as files:
            for lines in folders.heads(spark, files, _LINES, stream=wish.stream):
                yield _Found(None, lines=lines)
        case Files() as files:
            yield from _of_csv(files, wanted, folders.heads(spark, files, _ROWS, stream=wish.stream))
        case source:
            schema = sources.typed(spark, source).schema
            yield _Found(list(schema.names), schema=schema)


def _of_csv(source: Files, wanted: WantedColumns, heads: Iterator[list[str]]) -> Iterator[_Found]:
    failed: DataError | None = None
    for lines in heads:
        try:
            first = first_line("\n".join(lines).encode(), source.path, wanted)
        except DataError as error:
            failed = failed or error
            continue
        if first is not None:
            yield _Found(list(first.header.names), row=first.row)
    raise failed or DataError(
        f"{source}: is empty, so that its columns are not known; write a header into it"
    )


def _constants(plan: Plan, name: str, position: int) -> tuple[str | int | float, ...]:
    """The constants that rules have in a column of an input, as values for made-up facts."""
    facts = (
        fact
        for relation in plan.relations
        for pattern in relation.patterns
        for fact in pattern.facts
        if fact.predicate == name
    )
    arguments = (fact.arguments[position] for fact in facts)
    return tuple(dict.fromkeys(each.value for each in arguments if isinstance(each, Const)))
