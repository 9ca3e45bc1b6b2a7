"""The facts of a task: all of what the sources have, or those of the keys that were dealt to it.

Each task reads all files and keeps its share of the rows. A value is of the same type in all tasks, whatever
a piece of a file has: in files of texts numbers are doubles, and columns without a type are texts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from antelog.arrow.kinds import Kind, kind_of
from antelog.engine.columns.tables import Column
from antelog.engine.values.encoding import UNBOUND
from antelog.engine.values.numbers import Numbers
from antelog.engine.values.types import Types
from antelog.engine.values.values import Values
from antelog.errors import DataError, StateError
from antelog.files import Rejects, WantedColumns
from antelog.files.cells import column_type
from antelog.files.chunks import CheckedRows
from antelog.files.naming import Form
from antelog.language.epochs import TICKS
from antelog.run.address import Files, Kafka
from antelog.run.clock import Timing
from antelog.run.journal import RunState
from antelog.run.reading import InputReader, InputSource, Listeners, ReadingMode, wanted_of
from antelog.run.sources.opening import Around, source_of
from antelog.run.sources.source import rows_of
from antelog.run.waiting import WaitingRows
from antelog.spark.format.request import SourceRequest
from antelog.spark.job.dividing import parts_of
from antelog.spark.job.job import Job

_TYPES = {"number": "double", "integer": "integer", TICKS: TICKS, "text": "text", None: "text"}
"""The types of columns of CSV, in which everything is written as text, as its reader calls them."""


@dataclass(frozen=True)
class FactShare:
    """The share of a task: the part with this number of so many."""

    number: int = 0
    parts: int = 1


@dataclass(frozen=True, eq=False)
class FactsLeft:
    """How far sources were read, and the rows that wait for their tick to be finished."""

    known: RunState = field(default_factory=RunState)
    waiting: WaitingRows = field(default_factory=WaitingRows)


def types_of_input(request: SourceRequest, name: str) -> Types:
    """The types of an input's columns, of which the last one has ticks; files of Parquet have their own."""
    wanted, address = _wanted(request, name), request.addresses[name]
    types = [column_type(type_) for type_ in wanted.value_types]
    if isinstance(address, Files) and address.form is Form.PARQUET:
        source = source_of(address, wanted, Around(complete=True))
        for piece in source.poll()[:1]:
            types = [rows_of(wanted, piece).table.schema.field(column).type for column in wanted.columns[:-1]]
        source.close()
    return (*types, pa.int64())


def recorded_facts(request: SourceRequest, job: Job, share: FactShare) -> InputReader:
    """A reader of the share of a task among all that is there now."""
    inputs = {name: _source(request, job, share, name, Around(complete=True)) for name in request.addresses}
    mode = ReadingMode(_timing(request, job), recorded=True, until=job.span.until)
    return InputReader(request.program.plan, inputs, mode, Rejects(), Listeners(lambda _: None))


def followed_facts(request: SourceRequest, job: Job, left: FactsLeft) -> InputReader:
    """A reader that follows the sources from where they were left."""
    marks, share = left.known.marks, FactShare()
    for name, before in left.known.addresses.items():
        address = request.addresses.get(name)
        if str(address) != before:
            raise StateError(
                f"{name} came from {before} so far, and is to come from {address} now. Leave it as it was, "
                "or begin anew with an empty checkpoint"
            )
    inputs = {
        name: _source(request, job, share, name, Around(marks.get(name, {}))) for name in request.addresses
    }
    return InputReader(
        request.program.plan,
        inputs,
        ReadingMode(_timing(request, job)),
        Rejects(),
        Listeners(lambda _: None),
        left.known.progress,
        left.waiting,
    )


def _timing(request: SourceRequest, job: Job) -> Timing:
    """The clock; if none was chosen, facts that have an arrival arrive then, and others at their times."""
    return job.timing if request.settings.clock is not None else replace(job.timing, clock=None)


def _source(request: SourceRequest, job: Job, share: FactShare, name: str, around: Around) -> InputSource:
    wanted, address = _wanted(request, name), request.addresses[name]
    return InputSource(source_of(address, wanted, around), str(address), wanted, _taken(job, name, share))


def _wanted(request: SourceRequest, name: str) -> WantedColumns:
    settings, address = request.settings, request.addresses[name]
    wanted = wanted_of(request.program.plan, name, settings.arrival, settings.map)
    is_csv = address.values == "csv" if isinstance(address, Kafka) else address.form is Form.CSV
    types = tuple(_TYPES[type_] for type_ in wanted.types) if is_csv else wanted.types
    return replace(wanted, types=types, must_arrive=settings.clock == "arrival")


def _taken(job: Job, name: str, share: FactShare) -> Callable[[CheckedRows], CheckedRows]:
    """A function that gives the rows of a share, with values of the types of the job."""
    column = job.key_columns[name]
    types = dict(zip(job.inputs[name].columns, job.data.types[name], strict=True))

    def take(rows: CheckedRows) -> CheckedRows:
        rows = replace(rows, table=_typed(name, rows.table, types))
        if share.parts == 1 or not rows.table.num_rows:
            return rows
        if column is None:
            mask = np.full(rows.table.num_rows, share.number == 0)
        else:
            mask = parts_of(rows.table.column(column), share.parts) == share.number
        return replace(rows, table=rows.table.filter(pa.array(mask)), arrives=rows.arrives[mask])

    return take


def _typed(name: str, table: pa.Table, types: Mapping[str, pa.DataType]) -> pa.Table:
    for at, column in enumerate(table.column_names):
        type_ = types.get(column)
        given = table.column(at)
        if type_ is not None and given.type != type_:
            table = table.set_column(at, column, _as(type_, f"column {column} of {name}", given))
    return table


def _as(type_: pa.DataType, what: str, column: pa.ChunkedArray) -> pa.Array:
    """The values as those of a type: numbers as the nearest doubles, others as they are spelled."""
    if pa.types.is_null(column.type):
        return column.cast(type_)
    values = Values()
    cells = values.encode(column.combine_chunks())
    if kind_of(type_) is Kind.TEXT:
        return _in_words(values, cells)
    if pa.types.is_floating(type_):
        return pa.array(values.numbers(cells), type_)
    if pa.types.is_integer(type_):
        numbers = Numbers.of_cells(cells, values)
        return pa.array(numbers.whole, type_, mask=~numbers.is_whole)
    try:
        return column.cast(type_)
    except pa.ArrowException:
        raise DataError(
            f"{what} is of type {type_} in the first file, and of type {column.type} in another; "
            "write all files with one type"
        ) from None


def _in_words(values: Values, cells: Column) -> pa.Array:
    """The values as texts: those that are none as the language writes them, or as they are spelled."""
    cells = values.spelled(cells)
    texts = values.kinds(cells) == Kind.TEXT
    written = values.texts(cells)
    spoken = values.decode(np.where(texts, cells, UNBOUND), pa.string())
    return pc.coalesce(spoken, written)
