"""A file of facts, table after table; and Parquet files and frames, whose first row counts as line 1."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pyarrow.types as is_a

from antelog.arrow.arrays import Array, of_no_use, plain, why_of_no_use
from antelog.errors import DataError
from antelog.files.cells import refuse_column, refuse_times
from antelog.files.chunks import Chunk, sorted_out
from antelog.files.columns import DEFAULT_ARRIVAL, Advice, WantedColumns, by_position, places
from antelog.files.csv_files import CsvRows, WholeCsv
from antelog.files.json_files import JsonRows, WholeJson
from antelog.files.naming import ENDINGS, Form, form_of, opened
from antelog.files.records import Bad
from antelog.files.remote import FilePath
from antelog.files.setting_aside import Rejects


def tables(
    path: FilePath, wanted: WantedColumns, rejects: Rejects, chunks: Iterable[Chunk] | None = None
) -> Iterator[pa.Table]:
    """The facts of a file, or of chunks. Raises DataError if it cannot be read, or lacks wanted columns."""
    chunks = chunks_of(path, wanted, rejects.notes) if chunks is None else chunks
    for each in sorted_out(wanted, chunks, str(path)):
        if wanted.timed:
            rejects.tally.update(malformed=len(each.set_aside))
        rejects.notes.extend(rejects.new_of(each.notes))
        rejects.came(wanted.name, str(path), each.count, each.twice, each.gap)
        rejects.add(each.set_aside)
        if each.table.num_rows:
            yield each.table


def chunks_of(
    path: FilePath,
    wanted: WantedColumns,
    notes: list[str],
    progress: Callable[[int], None] = lambda _: None,
    *,
    whole: bool = True,
) -> Iterator[Chunk]:
    """A file piece by piece, with values as they are; `progress` gets the bytes read since its last call."""
    form = form_of(path)
    if form is None:
        raise DataError(f"{path}: the ending names no form of file; there are {ENDINGS}")
    with opened(path) as (data, file):
        known = 0
        if form is Form.PARQUET:
            chunks = parquet_chunks(data, path, wanted, whole=whole)
        elif not whole:
            rows = JsonRows if form is Form.JSON else CsvRows
            chunks = rows(path, Advice(wanted, notes)).all(data)
        elif form is Form.JSON:
            chunks = WholeJson(path, wanted).all(data)
        else:
            chunks = WholeCsv(path, wanted, notes).all(data)
        for number, chunk in enumerate(chunks):
            named = wanted.timed and wanted.arrival != DEFAULT_ARRIVAL
            if named and number == 0 and len(chunk.columns) == len(wanted.columns):
                absent = f"has no column {wanted.arrival}, so its facts are taken to arrive at their own time"
                notes.append(f"{path}: {absent}")
            at = file.tell()
            progress(max(0, at - known))
            known = max(known, at)
            yield chunk


_ROWS = 1 << 16


def parquet_chunks(
    stream: BinaryIO, path: FilePath, wanted: WantedColumns, *, whole: bool = True
) -> Iterator[Chunk]:
    """The rows of a Parquet file. Raises DataError if its columns are not the wanted ones."""
    try:
        try:
            file = pq.ParquetFile(stream)
        except UnicodeDecodeError as error:  # the library looks at all names
            raise DataError(f"{path}: has a column whose name is not UTF-8 text: {error.object!r}") from None
        yield from table_chunks(
            file.schema_arrow, lambda used: file.iter_batches(_ROWS, columns=used), path, wanted, whole=whole
        )
    except pa.ArrowException as error:
        raise DataError(f"{path}: cannot be read as Parquet: {error}") from None


def frame_chunks(
    names: Sequence[str] | None, arrays: Sequence[Array], path: FilePath, wanted: WantedColumns
) -> Iterator[Chunk]:
    """The rows of a frame, whose columns are taken by position if they have no names."""
    if names is None:
        called, known = dict(wanted.called), [*wanted.columns, wanted.arrival]
        if by_position(wanted, len(arrays)) is None and arrays:
            said = {"path": path, "arrays": len(arrays), "name": wanted.name}
            raise DataError.of("files.columns", **said, names=", ".join(wanted.columns))
        names = [called.get(name, name) for name in known[: len(arrays)]]
    if arrays:
        table = pa.table(list(arrays), list(names))
        yield from table_chunks(table.schema, lambda used: table.select(used).to_batches(_ROWS), path, wanted)


def table_chunks(
    schema: pa.Schema,
    batches: Callable[[list[str]], Iterable[pa.RecordBatch]],
    path: FilePath | str,
    wanted: WantedColumns,
    *,
    whole: bool = True,
) -> Iterator[Chunk]:
    """The rows of a table, given the batches of some of its columns."""
    inner = list(_paths(schema))
    names = [*schema.names, *(path for _, path in wanted.called if path in {*inner} - {*schema.names})]
    at = places(wanted, names, str(path), inner, whole=whole)
    for i, name, type_ in zip(at.columns, wanted.columns, wanted.value_types, strict=False):
        try:
            refuse_column(_type(schema, names[i]), wanted.shown(name), type_, str(path))
        except DataError as error:
            raise DataError(at.misfit or str(error)) from None
    for i in at.all[len(wanted.types) :]:
        refuse_times(_type(schema, names[i]), names[i], str(path))
    used = [names[i] for i in at.all]
    first, misfit = 1, at.misfit
    for batch in batches(used):
        yield replace(_chunk(batch, used, first), misfit=misfit)
        first, misfit = first + batch.num_rows, ""


def _chunk(batch: pa.RecordBatch, names: list[str], first: int) -> Chunk:
    columns = list[pa.Array]()
    for name in names:
        outer, *inner = [name] if name in batch.schema.names else name.split(".")
        # A field within fields is missing wherever one around it is.
        usual = plain(pc.struct_field(batch.column(outer), inner) if inner else batch.column(outer))
        columns.append(usual.dictionary_decode() if is_a.is_dictionary(usual.type) else usual)
    lines = np.arange(first, first + batch.num_rows)
    bad: list[Bad] = []
    fine = np.ones(len(lines), np.bool_)
    for name, column in zip(names, columns, strict=True):
        wrong = of_no_use(column)
        for i in () if wrong is None else np.flatnonzero(wrong & fine).tolist():
            detail = f"the value of column {name} {why_of_no_use(column.type)}"
            bad.append(Bad(int(lines[i]), detail, _shown(names, columns, i)))
            fine[i] = False
    if bad:
        columns, lines = [column.filter(pa.array(fine)) for column in columns], lines[fine]
    return Chunk(columns, lambda: lines, lambda i: _shown(names, columns, i), bad=bad)


def _paths(fields: Iterable[pa.Field], before: str = "") -> Iterator[str]:
    for field in (each for each in fields if "." not in each.name):
        if is_a.is_struct(field.type):
            yield from _paths(field.type, f"{before}{field.name}.")
        elif before:
            yield f"{before}{field.name}"


def _type(schema: pa.Schema, name: str) -> pa.DataType:
    if name in schema.names:
        return schema.field(name).type
    outer, _, rest = name.partition(".")
    return _type(pa.schema(list(schema.field(outer).type)), rest)


def _shown(names: list[str], columns: list[pa.Array], i: int) -> str:
    """The text of a row, of which nobody may be able to show a value."""
    return str({name: _value(column[i]) for name, column in zip(names, columns, strict=True)})


def _value(value: pa.Scalar) -> object:
    try:
        return value.as_py()
    except (UnicodeDecodeError, OverflowError, ValueError):
        return f"(a {value.type})"
