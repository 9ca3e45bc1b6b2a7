"""Writes changes to Parquet files in a folder of this machine, in Spark's workers.

Files and `_SUCCESS` are as Spark writes them. Spark would convert all changes to rows, and write them value
by value: half of the work of a stream. A worker has them as columns, which Arrow writes in a tenth of that
time; Spark gets the names of files.

    changes/.antelog-5f0c…/a.parquet  ->  changes/batch=17/a.parquet

The files are moved when all are complete, so a failed task leaves none. An interrupted batch comes again, and
is written anew.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

import pyarrow as pa
import pyarrow.parquet as pq

from antelog.errors import DataError
from antelog.spark.bucket.packing import Mapper
from antelog.spark.bucket.unpacking import unpacked

if TYPE_CHECKING:  # a worker that writes need not load it
    from antelog.spark.running import Outputs

ROWS = 250_000
"""The rows of a row group."""

CODECS = {"snappy": "snappy", "gzip": "gzip", "zstd": "zstd", "lz4_raw": "lz4", "none": "none"}
"""Arrow's names of Spark's ways to compress."""

_FILES = pa.schema([("file", pa.string())])
_HIDDEN = ".antelog-"
"""How the folder's name begins that files are written in; readers pass over it."""


def write_parquet(seen: Outputs, folder: Path, part: str, codec: str) -> None:
    """Writes the changes to a folder or, if `part` is not empty, to that subfolder, replacing its files."""
    try:
        for left in folder.glob(f"{_HIDDEN}*"):  # of a run that was killed
            shutil.rmtree(left)
        hidden = folder / f"{_HIDDEN}{uuid4().hex}"
        hidden.mkdir(parents=True)
        columns = seen.columns
        schema, unpack = columns.schema, partial(unpacked, seen.job.without_model, columns)
        found = seen.handed(partial(_written, hidden, codec, schema, unpack), _FILES)
        # Files of failed tasks are none. Without changes there is one all the same: who reads a folder finds
        # its columns.
        names = [row.file for row in found.collect()] or [_write(hidden, codec, schema, [])]
        place = folder / part
        if part and place.exists():
            shutil.rmtree(place)
        place.mkdir(exist_ok=True)
        for name in names:
            (hidden / name).replace(place / name)
        (place / "_SUCCESS").touch()
        shutil.rmtree(hidden)
    except OSError as error:
        why = error.strerror or error
        raise DataError(f"{folder}: cannot be written to: {why}. Make room, or give another folder") from None


def _written(
    folder: Path, codec: str, schema: pa.Schema, unpack: Mapper, batches: Iterator[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    """Writes a task's changes to a file, and returns its name; none without changes."""
    tables = _together(unpack(batches))
    first = next(tables, None)
    if first is not None:
        name = _write(folder, codec, schema, chain([first], tables))
        yield pa.record_batch([pa.array([name])], schema=_FILES)


def _write(folder: Path, codec: str, schema: pa.Schema, tables: Iterable[pa.Table]) -> str:
    name = f"{uuid4().hex}.parquet"
    with pq.ParquetWriter(folder / name, schema, compression=codec) as writer:
        for table in tables:
            writer.write_table(table)
    return name


def _together(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.Table]:
    """Joins batches into tables of many rows."""
    waiting: list[pa.RecordBatch] = []
    for batch in batches:
        waiting.append(batch)
        if sum(each.num_rows for each in waiting) >= ROWS:
            yield pa.Table.from_batches(waiting)
            waiting = []
    if waiting:
        yield pa.Table.from_batches(waiting)
