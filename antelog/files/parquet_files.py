"""Parquet files. Their rows have no lines; the first row counts as line 1."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pyarrow.types as is_a

from antelog.errors import DataError
from antelog.files.cells import refuse_column
from antelog.files.chunks import Chunk
from antelog.files.columns import Wanted, places

_ROWS = 1 << 16


def parquet_chunks(stream: BinaryIO, path: Path, wanted: Wanted, _notes: list[str]) -> Iterator[Chunk]:
    """The rows of a Parquet file. Raises DataError if its columns are not the wanted ones."""
    try:
        file = pq.ParquetFile(stream)
        schema = file.schema_arrow
        at = places(wanted, schema.names, str(path))
        for i, name, type_ in zip(at.columns, wanted.columns, wanted.types, strict=False):
            refuse_column(schema.field(i).type, name, type_, str(path))
        first = 1
        for batch in file.iter_batches(_ROWS, columns=[schema.names[i] for i in at.all]):
            yield _chunk(batch, [schema.names[i] for i in at.all], first)
            first += batch.num_rows
    except pa.ArrowException as error:
        raise DataError(f"{path}: cannot be read as Parquet: {error}") from None


def _chunk(batch: pa.RecordBatch, names: list[str], first: int) -> Chunk:
    columns = [_plain(batch.column(name)) for name in names]
    return Chunk(
        columns,
        lambda: np.arange(first, first + batch.num_rows),
        lambda i: str(batch.slice(i, 1).to_pylist()[0]),
    )


def _plain(array: pa.Array) -> pa.Array:
    return array.cast(array.type.value_type) if is_a.is_dictionary(array.type) else array
