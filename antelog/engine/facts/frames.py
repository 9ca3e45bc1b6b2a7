"""Frames: the tables users have, brought down to the Arrow columns of an input.

A frame is anything with Arrow's PyCapsule interface (pandas, Polars, PyArrow, DuckDB), or an
iterable of rows: tuples or dicts.

    a frame of pandas with the columns time, device, level, arrival
    the columns device, level, time of the input Temp, and the arrivals
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeAlias

import pyarrow as pa

from antelog.compile.nodes.plan import Input
from antelog.engine.facts.rows import columns_of
from antelog.engine.values.plain import plain, refusal
from antelog.errors import DataError
from antelog.language.checks.suggestions import did_you_mean, similar

Frame: TypeAlias = Any
Array: TypeAlias = pa.Array | pa.ChunkedArray

_ARRIVAL = "arrival tick"
"""What the arrival goes by in here. No column of an input can have that name."""


@dataclass(frozen=True, eq=False)
class Rows:
    """What a frame has for an input: its columns in the input's order, the time, perhaps the arrival."""

    columns: tuple[Array, ...]
    time: Array
    arrival: Array | None

    @property
    def count(self) -> int:
        return len(self.time)


def read_frame(source: Input, frame: Frame, arrival: str) -> Rows:
    """The rows of a frame. Raises DataError if it is none, or has other columns than the input.

    Columns are matched by name, `arrival` being the name of the arrival's. Tuples have no names,
    so theirs are taken by position, and so are those of a table if none has the name of one of
    the input's objects, or one like it. By position, a column after the time is the arrival.
    """
    names, arrays = columns_in(source.name, frame)
    if not arrays:
        return Rows((pa.nulls(0),) * (len(source.columns) - 1), pa.nulls(0), None)
    places = (
        _by_position(source.name, source.columns, len(arrays))
        if names is None
        else _by_name(source.name, source.columns, tuple(names), arrival)
    )
    found = dict(zip(places, arrays, strict=True))
    *objects, time = source.columns
    return Rows(
        tuple(_plain(f"column {name} of {source.name}", found[name], _VALUES) for name in objects),
        _plain(f"column {time} of {source.name}", found[time], _TIMES),
        _plain(f"the arrival of {source.name}", found[_ARRIVAL], _TIMES) if _ARRIVAL in found else None,
    )


def columns_in(what: str, frame: Frame) -> tuple[list[str] | None, Sequence[Array]]:
    """The columns of a frame, and their names if it has any; `what` is what errors call it."""
    if not (hasattr(frame, "__arrow_c_stream__") or hasattr(frame, "__arrow_c_array__")):
        if isinstance(frame, str | bytes | Mapping) or not isinstance(frame, Iterable):
            raise DataError(
                f"the facts of {what} are given as {type(frame).__name__}; "
                "hand over a data frame, an Arrow table, or a list of tuples or dicts"
            )
        return columns_of(frame, what)
    try:
        table = frame if isinstance(frame, pa.Table) else pa.table(frame)
    except Exception as error:  # whatever the library that made the frame raises
        raise DataError(f"the facts of {what} cannot be read as an Arrow table: {error}") from error
    # pandas adds the index of a frame as a column, unless it just counts the rows.
    kept = {i: name for i, name in enumerate(table.column_names) if not name.startswith("__index_level_")}
    return list(kept.values()), [table.column(i) for i in kept]


def _by_position(source: str, columns: tuple[str, ...], count: int) -> Sequence[str]:
    if count not in (len(columns), len(columns) + 1):
        raise DataError(
            f"{source} is given {count} columns; it has {_listed(columns)}, and one more may hold the arrival"
        )
    return [*columns, _ARRIVAL][:count]


@lru_cache(maxsize=1024)
def _by_name(source: str, columns: tuple[str, ...], names: tuple[str, ...], arrival: str) -> Sequence[str]:
    """For each column of a table, the input's column it is."""
    known = {name: name for name in columns}
    known.setdefault(arrival, _ARRIVAL)
    for name in names:
        if names.count(name) > 1:
            raise DataError(f"the facts of {source} have several columns {name}")
    unknown = [name for name in names if name not in known]
    named = any(name in columns[:-1] for name in names)
    misspelt = [name for name in unknown if similar(name, known)]
    if unknown and (named or misspelt):
        wrong = (misspelt or unknown)[0]
        raise DataError(
            f"{source} has no column {wrong}; its columns are {_listed(columns)}, "
            f"and {arrival} may hold the arrival. {did_you_mean(wrong, known)}".rstrip()
        )
    taken = [known[name] for name in names if name in known]
    free = [name for name in columns if name not in taken]
    if not unknown and free:
        raise DataError(f"the facts of {source} lack the column {free[0]}; they have {_listed(names)}")
    if len(unknown) == len(free) + 1 and _ARRIVAL not in taken:
        free.append(_ARRIVAL)
    if len(unknown) != len(free):
        raise DataError(
            f"the facts of {source} have the columns {_listed(names)}; "
            f"{source} has {_listed(columns)}. Give them the same names or the same number"
        )
    positions = iter(free)
    return [known[name] if name in known else next(positions) for name in names]


_VALUES = "values are numbers, texts, truth values, dates, times, durations or bytes"
_TIMES = "times are whole numbers or timestamps"


def _plain(what: str, column: Array, rather: str) -> Array:
    """A column in a type of which values, or times, can be; DataError, which says what they are, if not."""
    refused = refusal(column.type)
    if refused is not None:
        raise DataError(f"{what} {refused}; {rather}. Convert the column, or leave it out")
    with naming(what, column.type):
        return plain(column)


@contextmanager
def naming(what: str, type_: pa.DataType) -> Iterator[None]:
    """Says which column it was that Arrow or Python could not do something with."""
    try:
        yield
    except (pa.ArrowException, TypeError, ValueError, ArithmeticError) as error:
        raise DataError(f"{what}, of type {type_}, cannot be read: {error}") from error


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names)
