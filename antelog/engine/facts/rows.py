"""Rows of Python values, tuples or dicts, as Arrow columns.

[("wt2", "high", 7), {"device": "wt4", "level": "low", "time": 7}]: three columns of two values
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa

from antelog.errors import DataError

MOST_DIGITS = 76
"""No whole number of more digits fits into a column."""


def columns_of(rows: Iterable[Any], what: str) -> tuple[list[str] | None, list[pa.Array]]:
    """The columns of rows and, if the rows are dicts, their names; `what` is what errors call the rows."""
    rows = _rows(rows, what)
    if rows and isinstance(rows[0], Mapping):
        names = list(dict.fromkeys(name for row in rows for name in row))
        for name in names:
            if not isinstance(name, str):
                raise DataError(f"the facts of {what} have a column {name!r}; names are texts")
        given = [[row.get(name) for row in rows] for name in names]
    else:
        names, given = None, [list(values) for values in zip(*rows, strict=True)]
    arrays = []
    for i, values in enumerate(given):
        try:
            arrays.append(array_of(values))
        except (pa.ArrowException, TypeError, ValueError, ArithmeticError) as error:
            which = f"column {i + 1}" if names is None else f"column {names[i]}"
            raise DataError(f"{which} of {what} holds something that is not a value: {error}") from error
    return names, arrays


def _rows(given: Iterable[Any], what: str) -> list[Any]:
    """Rows that are all tuples of one length, or all dicts; reading ends with the first that is not."""
    rows: list[Any] = []
    for row in _readable(given, what):
        rows.append(row)
        _check(row, rows[0], f"row {len(rows)} of {what}")
    return rows


def _readable(given: Iterable[Any], what: str) -> Iterator[Any]:
    """The same; what a generator, or an odd container, raises is said to be about these facts."""
    try:
        yield from given
    except Exception as error:  # whatever it is that somebody else wrote
        raise DataError(f"the facts of {what} cannot be read: {type(error).__name__}: {error}") from error


def _check(row: object, first: Any, which: str) -> None:
    if isinstance(row, Mapping) and isinstance(first, Mapping):
        return
    if isinstance(row, str | bytes) or not isinstance(row, Sequence) or not isinstance(first, Sequence):
        kind = type(row).__name__
        raise DataError(f"{which} is of type {kind}; rows are tuples, or all of them dicts")
    if len(row) != len(first):
        raise DataError(f"{which} has {len(row)} values, the first row has {len(first)}")


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
