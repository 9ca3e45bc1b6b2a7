"""Reads CSV files, JSON lines and messages on Spark's workers, with the readers that are used in process."""

from __future__ import annotations

import csv
import io
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby
from operator import itemgetter
from typing import BinaryIO, cast

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.types as is_a
from pyspark.sql import DataFrame
from pyspark.sql import functions as f
from pyspark.sql.pandas.types import from_arrow_schema

from antelog.arrow.ticks import LOCAL, TWICE, UTC_ASSUMED
from antelog.errors import DataError
from antelog.files import ARRIVAL, WantedColumns
from antelog.files.cells import NUMBERS, column_type
from antelog.files.chunks import CheckedRows, Chunk, sorted_out
from antelog.files.csv_files import WholeCsv
from antelog.files.json_files import json_chunk, json_rows
from antelog.files.records import Bad, grammar_of
from antelog.language.epochs import TICKS
from antelog.spark.failures import shown
from antelog.spark.settings import CLOCK, MALFORMED, ROW, spare

WHOLE_FILES = {  # with these a task gets whole files of CSV, as values in quotes may go on over lines
    # As if a file took so much to open that it is worth a task, and none were too large for one.
    "spark.sql.files.openCostInBytes": str(1 << 44),
    "spark.sql.files.maxPartitionBytes": str(1 << 62),
}

# Names that readers of texts have for the types of columns.
_WRITTEN = {"number": "double", "integer": "integer", TICKS: TICKS, "text": "text", None: "text"}


@dataclass(frozen=True)
class RowReading:
    """The columns to read from lines; in `names` one that begins with @ is something about a message."""

    wanted: WantedColumns
    names: tuple[str, ...]  # in the source: of the wanted columns and, if there is one, the arrival
    placed: int = 0  # how many of the first columns say where a message was read, and are not in it
    strict: bool = True  # whether a file of CSV that cannot be used is an error; otherwise it is set aside

    @property
    def arrives(self) -> bool:
        return len(self.names) > len(self.wanted.columns)

    @property
    def written(self) -> WantedColumns:
        """The wanted columns of a source that has only texts."""
        return replace(self.wanted, types=tuple(_WRITTEN[type_] for type_ in self.wanted.types))

    @property
    def schema(self) -> pa.Schema:
        types = [column_type(type_) for type_ in self.wanted.value_types]
        times = list(self.wanted.columns[len(types) :])
        times += [self.wanted.arrival] if self.arrives else []
        return pa.schema(
            [
                *zip(self.wanted.columns, types, strict=False),
                *((name, pa.int64()) for name in times),
                (CLOCK, pa.int8()),
                (MALFORMED, pa.string()),
                (ROW, pa.string()),
            ]
        )


def of_files(lines: DataFrame, reading: RowReading) -> DataFrame:
    about = {
        name: f.col(f"_metadata.file_{name}") for name in ("path", "block_start", "block_length", "size")
    }
    whole = (about["block_start"] == 0) & (about["block_length"] == about["size"])
    lines = lines.select(
        f.col("value").cast("binary").alias("value"), about["path"].alias("file"), whole.alias("whole")
    )
    return lines.mapInArrow(partial(read_files, reading), from_arrow_schema(reading.schema))


def of_lines(lines: DataFrame, reading: RowReading) -> DataFrame:
    values = lines.select(f.col("value").cast("binary").alias("value"))
    return values.mapInArrow(partial(read_lines, reading), from_arrow_schema(reading.schema))


def of_messages(messages: DataFrame, reading: RowReading, form: str) -> DataFrame:
    read = partial(read_messages, reading, form)
    return messages.mapInArrow(read, from_arrow_schema(reading.schema))


# ---- files of CSV ----


def read_files(reading: RowReading, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Parses lines of one file after the other into rows."""
    spare()
    for path, pieces in groupby(_pieces(batches), itemgetter(0)):
        file, begun = shown(path), False
        stream = cast(BinaryIO, _Stream(data for _, data in pieces))
        try:
            for rows in sorted_out(reading.written, WholeCsv(file, reading.written, []).all(stream), file):
                yield from _good(reading, rows)
                yield from _bad(
                    reading,
                    [f"{row.detail} (line {row.line} of {file})" for row in rows.set_aside],
                    [row.row for row in rows.set_aside],
                )
                begun = True
        except DataError as error:
            if reading.strict:
                raise
            rest = "what follows in the file is" if begun else "the file is"
            why = str(error).removeprefix(f"{file}: ").rstrip(".")
            yield from _bad(reading, [f"{why}; {rest} set aside"], [file])


def _pieces(batches: Iterable[pa.RecordBatch]) -> Iterator[tuple[str, bytes]]:
    """Pieces of files, each with its file: consecutive lines of a batch."""
    for batch in batches:
        files = batch.column("file").dictionary_encode()
        if not all(batch.column("whole").unique().to_pylist()):
            raise DataError.of("files.divided", file=shown(files[0].as_py()), names=" and ".join(WHOLE_FILES))
        numbers = files.indices.to_numpy()
        starts = [0, *(np.flatnonzero(numbers[1:] != numbers[:-1]) + 1).tolist()]
        for start, end in zip(starts, [*starts[1:], batch.num_rows], strict=True):
            lines = batch.column("value").slice(start, end - start).to_pylist()
            yield files[start].as_py(), b"\n".join([*lines, b""])


class _Stream:
    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces = pieces
        self._now = io.BytesIO()

    def read(self, size: int) -> bytes:
        while not (data := self._now.read(size)):
            piece = next(self._pieces, None)
            if piece is None:
                return b""
            self._now = io.BytesIO(piece)
        return data


# ---- lines and messages ----


def read_lines(reading: RowReading, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    spare()
    chunks = (_of_json(reading, each.column("value").to_pylist(), {}, []) for each in batches)
    yield from _sorted(reading, reading.wanted, chunks)


def read_messages(
    reading: RowReading, form: str, batches: Iterable[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    spare()
    wanted = reading.wanted if form == "json" else reading.written
    yield from _sorted(reading, wanted, (_of_messages(reading, form, each) for each in batches))


def _sorted(reading: RowReading, wanted: WantedColumns, chunks: Iterable[Chunk]) -> Iterator[pa.RecordBatch]:
    for rows in sorted_out(wanted, chunks, ""):
        yield from _good(reading, rows)
        yield from _bad(reading, [row.detail for row in rows.set_aside], [row.row for row in rows.set_aside])


def _of_json(
    reading: RowReading, lines: Sequence[bytes], besides: Mapping[str, Sequence[object]], bad: list[Bad]
) -> Chunk:
    """Parses lines, and adds what is known of each besides."""
    rows, odd = json_rows((number, line.removeprefix(BOM_UTF8)) for number, line in enumerate(lines))
    for name, cells in besides.items():
        for row in rows:
            row.values[name] = cells[row.line]
    chunk = json_chunk(rows, [*bad, *odd], [reading.names] * len(rows), len(reading.names))
    return replace(chunk, arrives=None)


def _of_messages(reading: RowReading, form: str, batch: pa.RecordBatch) -> Chunk:
    types = dict(zip(reading.names, reading.wanted.value_types, strict=False))
    besides = {name: batch.column(name).to_pylist() for name in batch.schema.names if name != "value"}
    if types.get("@key") in NUMBERS:
        besides["@key"] = [_number(key) for key in besides["@key"]]
    lines = [(line or b"").strip(b"\r\n") for line in batch.column("value").to_pylist()]
    bad = [Bad(number, "the message is empty", "") for number, line in enumerate(lines) if not line.strip()]
    of_form = _of_json if form == "json" else _of_csv
    return of_form(reading, lines, besides, bad)


def _number(key: str | None) -> object:
    try:
        return None if key is None else msgspec.json.decode(key)
    except msgspec.DecodeError:
        return key


_ROW = grammar_of(",").orderly  # a row with the end of its line and all its quotes closed


def _of_csv(
    reading: RowReading, lines: Sequence[bytes], besides: Mapping[str, Sequence[object]], bad: list[Bad]
) -> Chunk:
    columns_read = reading.wanted.columns[reading.placed :]
    header = [*columns_read, *([reading.wanted.arrival] if reading.arrives else [])]
    rows, numbers = list[list[str]](), list[int]()
    texts = [line.removeprefix(BOM_UTF8).decode(errors="replace") for line in lines]
    for number, text in enumerate(texts):
        if not text.strip():
            continue
        why = "the message is not one row of CSV: it has several, or a quote that is not closed"
        if _ROW.fullmatch(f"{text}\n".encode()) is not None:
            (cells,) = csv.reader([text])
            if len(cells) == len(header):
                rows.append(cells)
                numbers.append(number)
                continue
            why = f"the line has not {len(header)} value{'' if len(header) == 1 else 's'}"
        bad.append(Bad(number, why, text))
    columns = []
    for at, name in enumerate(reading.names):
        if name not in besides:
            columns.append(pa.array([row[at - reading.placed] for row in rows], pa.string()))
        elif at < len(reading.wanted.types):
            columns.append(pa.array([str(besides[name][number]) for number in numbers], pa.string()))
        else:
            columns.append(pa.array([besides[name][number] for number in numbers]))
    return Chunk(
        columns, lambda: np.array(numbers, np.int64), lambda i: texts[numbers[i]], written=True, bad=bad
    )


# ---- rows ----


def _good(reading: RowReading, rows: CheckedRows) -> Iterator[pa.RecordBatch]:
    schema, count = reading.schema, rows.table.num_rows
    # Only the number of rows matters, not which; one is enough to say that UTC was assumed.
    clock = np.zeros(count, np.int8)
    if rows.twice:
        clock[: rows.twice] = TWICE
    elif UTC_ASSUMED in rows.notes.values():
        clock[:1] = LOCAL
    names = [*reading.wanted.columns, *([ARRIVAL] if reading.arrives else [])]
    columns = [
        _typed(rows.table.column(name).combine_chunks(), type_)
        for name, type_ in zip(names, schema.types, strict=False)
    ]
    nothing = pa.nulls(count, pa.string())
    yield from pa.table([*columns, pa.array(clock), nothing, nothing], schema=schema).to_batches()


def _typed(column: pa.Array, type_: pa.DataType) -> pa.Array:
    """Casts values of any types to numbers or texts."""
    if column.type == type_ or is_a.is_null(column.type):
        return column.cast(type_)
    if is_a.is_string(type_):
        return pa.array([str(v).lower() if isinstance(v, bool) else str(v) for v in column.to_pylist()])
    if is_a.is_union(column.type):
        column = pa.array([float(each) for each in column.to_pylist()])
    return column.cast(type_, safe=False)


def _bad(reading: RowReading, details: Sequence[str], rows: Sequence[str]) -> Iterator[pa.RecordBatch]:
    if not rows:
        return
    schema = reading.schema
    nothing = [pa.nulls(len(rows), type_) for type_ in schema.types[:-2]]
    # Bytes that are not UTF-8 cannot be in a column of texts.
    texts = [row.encode(errors="surrogateescape").decode(errors="replace") for row in rows]
    yield pa.record_batch(
        [*nothing, pa.array(details, pa.string()), pa.array(texts, pa.string())], schema=schema
    )
