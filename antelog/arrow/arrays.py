"""Arrow arrays of Python values, and unions: arrays of values of several types.

[7, "wt2", 7.5]    dense_union<int64, string, double>
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

Array: TypeAlias = pa.Array | pa.ChunkedArray

MOST_DIGITS = 76
"""No whole number of more digits fits into a column."""


def array_of(values: Sequence[object]) -> pa.Array:
    """Python values as they are: of several types, they become an Arrow union of those types."""
    if any(isinstance(value, Decimal) and not value.is_finite() for value in values):
        # Arrow's decimals have neither infinities nor not-a-number; its floats do.
        values = [
            float(value) if isinstance(value, Decimal) and not value.is_finite() else value
            for value in values
        ]
    sorts: list[object] = list(map(type, values))
    if dt.datetime in sorts:
        # Arrow would turn those without a time zone into UTC if others have one.
        sorts = [v.tzinfo is None if isinstance(v, dt.datetime) else type(v) for v in values]
    distinct = list(dict.fromkeys(sorts))
    if len([sort for sort in distinct if sort is not type(None)]) < 2:
        return _of_one_sort(values)
    children = [
        _of_one_sort([v for v, s in zip(values, sorts, strict=True) if s is sort]) for sort in distinct
    ]
    numbers = {sort: number for number, sort in enumerate(distinct)}
    codes = np.array([numbers[sort] for sort in sorts], np.int8)
    offsets = np.empty(len(values), np.int32)
    for code, child in enumerate(children):
        offsets[codes == code] = np.arange(len(child))
    return pa.UnionArray.from_dense(pa.array(codes), pa.array(offsets), children)


def _of_one_sort(values: Sequence[Any]) -> pa.Array:
    try:
        return pa.array(values)
    except OverflowError:  # whole numbers beyond 64 bits
        return pa.array([None if value is None else Decimal(value) for value in values])


def parts_of_union(column: Array) -> Iterator[tuple[NDArray[np.int64], pa.Array]]:
    """For each type of a union the rows that have it, and their values."""
    first = 0
    for chunk in column.chunks if isinstance(column, pa.ChunkedArray) else [column]:
        whole = chunk.take(pa.array(np.arange(len(chunk))))  # the offsets of a slice are those of the whole
        codes = whole.type_codes.to_numpy()
        for child, code in enumerate(whole.type.type_codes):
            rows = np.flatnonzero(codes == code)
            at = whole.offsets.to_numpy()[rows] if whole.type.mode == "dense" else rows
            yield first + rows, whole.field(child).take(pa.array(at))
        first += len(chunk)


# ---- tables as bytes ----


def to_blob(table: pa.Table | pa.RecordBatch) -> bytes:
    """A table as bytes in Arrow's stream format."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write(table)
    content: bytes = sink.getvalue().to_pybytes()
    return content


def from_blob(blob: bytes) -> pa.Table:
    """The table in bytes of `to_blob`."""
    return pa.ipc.open_stream(blob).read_all()
