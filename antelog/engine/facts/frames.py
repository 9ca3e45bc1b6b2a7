"""Frames (data frames, Arrow tables, lists of tuples or dicts) as columns of an input or static relation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from math import isfinite
from os import PathLike
from typing import Any, TypeAlias

import pyarrow as pa

from antelog.arrow.arrays import Array, array_of, plain, refusal
from antelog.arrow.grammar import NOT_WHOLE
from antelog.compile.nodes.plan import Input, Plan, Static
from antelog.compile.rules.statics import Row
from antelog.engine.values.types import as_plain
from antelog.errors import DataError
from antelog.language.checks.suggestions import did_you_mean, require_known, similar
from antelog.language.checks.units import is_ticks, no_ticks
from antelog.language.syntax import number


def columns_of(rows: Iterable[Any], what: str) -> tuple[list[str] | None, list[pa.Array]]:
    """The columns of rows and, if the rows are dicts, their names; errors call the rows `what`."""
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
    """Reads rows that are all tuples of one length, or all dicts; stops at the first that is not."""
    rows: list[Any] = []
    for row in _readable(given, what):
        rows.append(row)
        _check(row, rows[0], f"row {len(rows)} of {what}")
    return rows


def _readable(given: Iterable[Any], what: str) -> Iterator[Any]:
    """Yields the rows; any error of their container becomes a DataError about these facts."""
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


Frame: TypeAlias = Any
FileOrFrame: TypeAlias = str | PathLike[str] | Frame

_ARRIVAL = "arrival tick"  # the internal name of the arrival. No column of an input can have it.


@dataclass(frozen=True, eq=False)
class FrameRows:
    """The rows of a frame for an input: columns in the input's order, the time, and the arrival, if any."""

    columns: tuple[Array, ...]
    time: Array
    arrival: Array | None

    @property
    def count(self) -> int:
        return len(self.time)


def read_frame(source: Input, frame: Frame, arrival: str) -> FrameRows:
    """The rows of a frame, by names of columns or else by position. DataError if they are not the input's."""
    names, arrays = columns_in(source.name, frame)
    if not arrays:
        return FrameRows((pa.nulls(0),) * (len(source.columns) - 1), pa.nulls(0), None)
    places = (
        _by_position(source.name, source.columns, len(arrays))
        if names is None
        else _by_name(source.name, source.columns, tuple(names), arrival)
    )
    found = dict(zip(places, arrays, strict=True))
    *objects, time = source.columns
    return FrameRows(
        tuple(_plain(f"column {name} of {source.name}", found[name], _VALUES) for name in objects),
        _plain(f"column {time} of {source.name}", found[time], _TIMES),
        _plain(f"the arrival of {source.name}", found[_ARRIVAL], _TIMES) if _ARRIVAL in found else None,
    )


def renamed(plan: Plan, frames: Mapping[str, Frame], maps: Mapping[str, str]) -> dict[str, Frame]:
    """Renames columns of frames by `maps`, from `P.column` or every `column` to a name in the frame."""
    columns = {each.name: each.columns for each in plan.inputs}
    for key in maps:
        predicate, _, column = key.rpartition(".")
        known = {each for name in columns if predicate in ("", name) for each in columns[name]}
        if column not in known:
            hint = did_you_mean(column, known)
            raise DataError(f"the map has {key}, which is not a column of an input. {hint}".rstrip())
    found = dict(frames)
    for name in columns.keys() & frames.keys():
        called = {c: maps[key] for c in columns[name] for key in (c, f"{name}.{c}") if key in maps}
        if called:
            found[name] = _renamed(name, frames[name], called)
    return found


def _renamed(what: str, frame: Frame, called: Mapping[str, str]) -> pa.Table:
    names, arrays = columns_in(what, frame)
    for name in called.values():
        if name not in (names or ()):
            has = "without names" if names is None else ", ".join(names)
            raise DataError(f"the facts of {what} have no column {name}, as the map says; they have {has}")
    column_of = {name: column for column, name in called.items()}
    # A column of the name that is mapped elsewhere is not the one that is wanted.
    kept = [
        (column_of.get(name, name), array)
        for name, array in zip(names or (), arrays, strict=True)
        if name in column_of or name not in called
    ]
    return pa.table([array for _, array in kept], [name for name, _ in kept])


def columns_in(what: str, frame: Frame) -> tuple[list[str] | None, Sequence[Array]]:
    """The columns of a frame, and their names if it has any; errors call it `what`."""
    if not (hasattr(frame, "__arrow_c_stream__") or hasattr(frame, "__arrow_c_array__")):
        if isinstance(frame, str | bytes | Mapping) or not isinstance(frame, Iterable):
            raise DataError.of("frames.kind", what=what, kind=type(frame).__name__)
        return columns_of(frame, what)
    try:
        table = frame if isinstance(frame, pa.Table) else pa.table(frame)
    except Exception as error:  # whatever the library that made the frame raises
        raise DataError(f"the facts of {what} cannot be read as an Arrow table: {error}") from error
    # pandas adds the index of a frame as a column, unless it just counts the rows.
    kept = {i: name for i, name in enumerate(table.column_names) if not name.startswith("__index_level_")}
    return list(kept.values()), [table.column(i) for i in kept]


def _by_position(source: str, columns: tuple[str, ...], count: int) -> Sequence[str | None]:
    if count not in (len(columns), len(columns) + 1):
        raise DataError.of("frames.columns", source=source, count=count, names=", ".join(columns))
    return [*columns, _ARRIVAL][:count]


@lru_cache(maxsize=1024)
def _by_name(
    source: str, columns: tuple[str, ...], names: tuple[str, ...], arrival: str
) -> Sequence[str | None]:
    known = {name: name for name in columns}
    known.setdefault(arrival, _ARRIVAL)
    for name in names:
        if names.count(name) > 1 and name in known:
            raise DataError(f"the facts of {source} have several columns {name}")
    if {*columns} <= {*names}:
        near = next((each for each in names if each not in known and similar(each, [arrival])), None)
        if near is not None and arrival not in names:
            raise DataError(f"{source} has no column {near}. {did_you_mean(near, [arrival])}")
        return [known.get(name) for name in names]
    unknown = [name for name in names if name not in known]
    named = any(name in columns[:-1] for name in names)
    misspelt = [name for name in unknown if similar(name, known)]
    if unknown and (named or misspelt):
        wrong = (misspelt or unknown)[0]
        raise DataError(
            f"{source} has no column {wrong}; its columns are {', '.join(columns)}, "
            f"and {arrival} may hold the arrival. {did_you_mean(wrong, known)}".rstrip()
        )
    taken = [known[name] for name in names if name in known]
    free = [name for name in columns if name not in taken]
    if not unknown and free:
        raise DataError(f"the facts of {source} lack the column {free[0]}; they have {', '.join(names)}")
    if len(unknown) == len(free) + 1 and _ARRIVAL not in taken:
        free.append(_ARRIVAL)
    if len(unknown) != len(free):
        raise DataError.of("frames.names", source=source, names=", ".join(names), columns=", ".join(columns))
    positions = iter(free)
    return [known[name] if name in known else next(positions) for name in names]


_VALUES = "values are numbers, texts, truth values, dates, times, durations or bytes"
_TIMES = "times are whole numbers or timestamps"


def _plain(what: str, column: Array, rather: str) -> Array:
    """Converts a column to a usual type. Raises DataError, with the allowed values, if that cannot be."""
    refused = refusal(column.type)
    if refused is not None:
        raise DataError(f"{what} {refused}; {rather}. Convert the column, or leave it out")
    with naming(what, column.type):
        return plain(column)


@contextmanager
def naming(what: str, type_: pa.DataType) -> Iterator[None]:
    """Names the column in errors of Arrow or Python."""
    try:
        yield
    except (pa.ArrowException, TypeError, ValueError, ArithmeticError) as error:
        raise DataError(f"{what}, of type {type_}, cannot be read: {error}") from error


def static_rows(plan: Plan, frames: Mapping[str, Frame]) -> dict[str, list[Row]]:
    """The rows of each static predicate that is given some. Raises DataError if one cannot be used."""
    statics = {static.name: static for static in plan.statics}
    for name in frames:
        require_known(name, statics, "the program has no static predicate")
    return {name: _rows_of_static(statics[name], frame) for name, frame in frames.items()}


def _rows_of_static(static: Static, frame: Frame) -> list[Row]:
    names, arrays = columns_in(static.name, frame)
    if not arrays:
        return []
    if len(arrays) != len(static.columns):
        raise DataError(f"{static.name} is given {len(arrays)} columns; it has {', '.join(static.columns)}")
    if names is not None and set(names) == set(static.columns):
        arrays = [arrays[names.index(column)] for column in static.columns]
    columns = [
        _column(static.name, name, type_, array.to_pylist())
        for name, type_, array in zip(static.columns, static.types, arrays, strict=True)
    ]
    for name, most, column in zip(static.columns, static.most, columns, strict=False):
        for value in column:
            if most is not None and not is_ticks(value, most):
                raise DataError(f"`{value}` in column {name} of {static.name} {no_ticks(most)}")
    return list(zip(*columns, strict=True))


def what_fits(type_: str) -> str:
    """The words for a value of a column of this type, after `is not a`."""
    return NOT_WHOLE.removeprefix("is not a ") if type_ == "integer" else type_


def _column(what: str, name: str, type_: str | None, values: Sequence[Any]) -> list[str | int | float]:
    found: list[str | int | float] = []
    for value in values:
        if isinstance(value, str):
            kind = "text"
        elif isinstance(value, int | float | Decimal) and not isinstance(value, bool) and isfinite(value):
            kind = "number"
        else:
            raise DataError(f"`{value}` in column {name} of {what} is neither a number nor a text")
        plain = value if isinstance(value, str) else plain_number(value, f"column {name} of {what}")
        is_integer = type_ == "integer" and isinstance(plain, int)
        if type_ not in (None, kind) and not is_integer:
            raise DataError(f"`{value}` in column {name} of {what} is not a {what_fits(str(type_))}")
        found.append(plain)
    return found


def plain_number(value: float | Decimal, what: str) -> int | float:
    """A number as rules have it. Raises DataError if it has more digits than they can keep."""
    if not isinstance(value, Decimal):
        return value if isinstance(value, int) else number(value)
    plain = as_plain(value)
    if plain is None:
        raise DataError.of("frames.digits", value=value, what=what)
    return plain
