"""Writes changes to Parquet files in a folder of this machine, in Spark's workers, by Arrow.

Spark would convert changes to rows and write value by value, which takes ten times as long. The files are
moved when all are complete, so a failed task leaves none.
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
from antelog.spark.bucket.packing import Mapper, chunks
from antelog.spark.bucket.unpacking import unpacked

if TYPE_CHECKING:  # a worker that writes need not load it
    from antelog.spark.running import Outputs

# Spark's names of compression codecs, with Arrow's.
CODECS = {"snappy": "snappy", "gzip": "gzip", "zstd": "zstd", "lz4_raw": "lz4", "none": "none"}

_FILES = pa.schema([("file", pa.string())])
_HIDDEN = ".antelog-"  # the prefix of the folder that files are written in, which readers pass over


def write_parquet(seen: Outputs, folder: Path, part: str, codec: str) -> None:
    """Writes changes to a folder or, if `part` is not empty, to that subfolder, whose files are replaced."""
    try:
        for left in folder.glob(f"{_HIDDEN}*"):  # of a run that was killed
            shutil.rmtree(left)
        hidden = folder / f"{_HIDDEN}{uuid4().hex}"
        hidden.mkdir(parents=True)
        columns = seen.columns
        schema, unpack = columns.schema, partial(unpacked, seen.job.without_model, columns)
        found = seen.handed(partial(_written, hidden, codec, schema, unpack), _FILES)
        names = [row.file for row in found.collect()]
        if not names and not part:  # a batch without changes has a file all the same, with the columns
            names = [_write(hidden, codec, schema, [])]
        place = folder / part
        if part and place.exists():
            shutil.rmtree(place)
        if names:
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
    tables = chunks(unpack(batches))
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
