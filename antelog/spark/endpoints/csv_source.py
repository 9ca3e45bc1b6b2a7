"""Reads CSV files on Spark's workers, with the reader that is used in process.

A value in quotes may go on over line breaks, and each file has a header of its own. So a file is
read from its beginning, by one task: Spark hands over its lines in order, and here they are put together
again. A row that cannot be used is set aside for the same reason as in process, with its file and line.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby
from operator import itemgetter
from typing import BinaryIO, cast

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f
from pyspark.sql.pandas.types import from_arrow_schema

from antelog.arrow.ticks import LOCAL, TWICE, UTC_ASSUMED
from antelog.errors import DataError
from antelog.files import ARRIVAL, WantedColumns
from antelog.files.cells import column_type
from antelog.files.chunks import CheckedRows, sorted_out
from antelog.files.csv_files import WholeCsv
from antelog.language.epochs import TICKS
from antelog.spark.endpoints.unreadable import shown
from antelog.spark.settings import CLOCK, MALFORMED, ROW, spare

WHOLE_FILES = {
    # As if a file took so much to open that it is worth a task, and none were too large for one.
    "spark.sql.files.openCostInBytes": str(1 << 44),
    "spark.sql.files.maxPartitionBytes": str(1 << 62),
}
"""Settings with which Spark deals out whole files."""

_TYPES = {"number": "double", "integer": "integer", TICKS: TICKS, "text": "text", None: "text"}
"""The types of columns on Spark, as readers of files call them."""


@dataclass(frozen=True)
class CsvReading:
    """The wanted columns of CSV files, and whether one has arrivals.

    An unusable file is an error if `strict`; otherwise it is set aside.
    """

    wanted: WantedColumns
    arrives: bool
    strict: bool

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


def csv_rows(lines: DataFrame, reading: CsvReading) -> DataFrame:
    """The rows of CSV files, given lines with their files, as `with_files` returns them."""
    return lines.mapInArrow(partial(read_lines, reading), from_arrow_schema(reading.schema))


def deal_out_whole_files(spark: SparkSession) -> None:
    for name, value in WHOLE_FILES.items():
        spark.conf.set(name, value)


def with_files(lines: DataFrame) -> DataFrame:
    """The lines as bytes, each with its file, and whether Spark reads that file as a whole."""
    about = {
        name: f.col(f"_metadata.file_{name}") for name in ("path", "block_start", "block_length", "size")
    }
    whole = (about["block_start"] == 0) & (about["block_length"] == about["size"])
    return lines.select(
        f.col("value").cast("binary").alias("value"), about["path"].alias("file"), whole.alias("whole")
    )


def read_lines(reading: CsvReading, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Parses lines of one file after the other, as `with_files` returns them, into rows."""
    spare()
    for file, pieces in groupby(_pieces(batches), itemgetter(0)):
        yield from _rows(reading, shown(file), cast(BinaryIO, _Stream(data for _, data in pieces)))


def _pieces(batches: Iterable[pa.RecordBatch]) -> Iterator[tuple[str, bytes]]:
    """Consecutive lines of files, each with its file."""
    for batch in batches:
        files = batch.column("file").dictionary_encode()
        if not all(batch.column("whole").unique().to_pylist()):
            raise DataError(
                f"{shown(files[0].as_py())}: was divided among tasks, and rows of CSV may go on over lines; "
                f"leave out the settings {' and '.join(WHOLE_FILES)}"
            )
        numbers = files.indices.to_numpy()
        starts = [0, *(np.flatnonzero(numbers[1:] != numbers[:-1]) + 1).tolist()]
        for start, end in zip(starts, [*starts[1:], batch.num_rows], strict=True):
            lines = batch.column("value").slice(start, end - start).to_pylist()
            yield files[start].as_py(), b"\n".join([*lines, b""])


class _Stream:
    """A readable file of pieces."""

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


def _rows(reading: CsvReading, file: str, stream: BinaryIO) -> Iterator[pa.RecordBatch]:
    """The rows of one file."""
    wanted = replace(reading.wanted, types=tuple(_TYPES[type_] for type_ in reading.wanted.types))
    begun = False
    try:
        for each in sorted_out(wanted, WholeCsv(file, wanted, []).all(stream), file):
            yield from _good(reading, each)
            yield from _bad(
                reading,
                [f"{row.detail} (line {row.line} of {file})" for row in each.set_aside],
                [row.row for row in each.set_aside],
            )
            begun = True
    except DataError as error:
        if reading.strict:
            raise
        rest = "what follows in the file is" if begun else "the file is"
        said = str(error).removeprefix(f"{file}: ").rstrip(".")
        detail = f"{said}; {rest} set aside"
        yield from _bad(reading, [detail], [file])


def _good(reading: CsvReading, rows: CheckedRows) -> Iterator[pa.RecordBatch]:
    table, names = rows.table, [*reading.wanted.columns, *([ARRIVAL] if reading.arrives else [])]
    nothing = pa.nulls(table.num_rows, pa.string())
    # How many rows it is of counts, not which; that UTC was assumed is said for one of them.
    shown = np.zeros(table.num_rows, np.int8)
    if rows.twice:
        shown[: rows.twice] = TWICE
    elif UTC_ASSUMED in rows.notes.values():
        shown[:1] = LOCAL
    columns = [*(table.column(name) for name in names), pa.array(shown), nothing, nothing]
    yield from pa.table(columns, reading.schema.names).cast(reading.schema).combine_chunks().to_batches()


def _bad(reading: CsvReading, details: Sequence[str], rows: Sequence[str]) -> Iterator[pa.RecordBatch]:
    if not rows:
        return
    schema = reading.schema
    nothing = [pa.nulls(len(rows), type_) for type_ in schema.types[:-2]]
    # What is no UTF-8 has no other way to a column of texts.
    texts = [row.encode(errors="surrogateescape").decode(errors="replace") for row in rows]
    yield pa.record_batch(
        [*nothing, pa.array(details, pa.string()), pa.array(texts, pa.string())], schema=schema
    )
