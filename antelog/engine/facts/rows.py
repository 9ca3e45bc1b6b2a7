"""Rows of Python values, tuples or dicts, as Arrow columns.

[("wt2", "high", 7), {"device": "wt4", "level": "low", "time": 7}]: three columns of two values
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa

from antelog.errors import DataError

MOST_DIGITS = 76
"""No whole number of more digits fits into a column."""


def columns_of(rows: Iterable[Any], what: str) -> tuple[list[str] | None, list[pa.Array]]:
    """The columns of rows and, if the rows are dicts, their names; `what` is what errors call the rows."""
    rows = list(rows)
    if rows and all(isinstance(row, Mapping) for row in rows):
        names = list(dict.fromkeys(name for row in rows for name in row))
        given = [[row.get(name) for row in rows] for name in names]
    else:
        for number, row in enumerate(rows, 1):
            _check(row, len(rows[0]), f"row {number} of {what}")
        names, given = None, [list(values) for values in zip(*rows, strict=True)]
    arrays = []
    for i, values in enumerate(given):
        try:
            arrays.append(array_of(values))
        except (pa.ArrowException, TypeError, ValueError) as error:
            which = f"column {i + 1}" if names is None else f"column {names[i]}"
            raise DataError(f"{which} of {what} holds something that is not a value: {error}") from error
    return names, arrays


def _check(row: object, width: int, which: str) -> None:
    if isinstance(row, str | bytes) or not isinstance(row, Sequence):
        kind = type(row).__name__
        raise DataError(f"{which} is of type {kind}; rows are tuples, or all of them dicts")
    if len(row) != width:
        raise DataError(f"{which} has {len(row)} values, the first row has {width}")


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
    for number, child in enumerate(children):
        offsets[codes == number] = np.arange(len(child))
    return pa.UnionArray.from_dense(pa.array(codes), pa.array(offsets), children)


def _of_one_sort(values: Sequence[Any]) -> pa.Array:
    try:
        return pa.array(values)
    except OverflowError:  # whole numbers beyond 64 bits
        return pa.array([None if value is None else Decimal(value) for value in values])
