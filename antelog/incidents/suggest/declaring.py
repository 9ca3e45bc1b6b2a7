"""Declares the inputs of files that nobody has declared: their columns and types, the key, and the tick.

machine,value,time           tick 10 minutes.
m1,51.2,2026-03-01 10:00     input Vibration(machine: text, value: number, time) delay 0, one per machine.
m1,50.9,2026-03-01 10:10
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pc_csv
import pyarrow.json as pa_json
import pyarrow.parquet as pq

from antelog.arrow.ticks import times_of
from antelog.engine.columns.tables import Column
from antelog.errors import DataError
from antelog.files import Form, form_of
from antelog.files.columns import DEFAULT_ARRIVAL, has
from antelog.files.naming import ENDINGS
from antelog.language.durations import duration_text
from antelog.language.epochs import Counting
from antelog.language.moments import Timescale

_TIMES = ("time", "timestamp", "datetime", "date", "ts", "at")
_SECOND = 1_000_000
_USUAL = tuple(
    each * _SECOND
    for each in (1, 2, 5, 10, 15, 20, 30, *(60 * m for m in (1, 2, 5, 10, 15, 20, 30)), 3600, 21_600, 86_400)
)


@dataclass(frozen=True, eq=False)
class Table:
    """The rows of a file as they are, with the columns of its time and its key."""

    name: str
    rows: pa.Table
    time: str
    key: str | None


def declared(files: Mapping[str, Path], key: str | None, incidents: Sequence[str]) -> str:
    """The declarations of files; the key is a column that all have, and the incidents. Raises DataError."""
    read = {name: _read(path) for name, path in files.items()}
    common = [
        column
        for column in next(iter(read.values())).column_names
        if all(column in rows.column_names for rows in read.values()) and column not in _TIMES
    ]
    shared = key or next((each for each in common if each in incidents), None)
    if key is not None and key not in common:
        raise DataError(f"not every input has a column {key}. All have {has(common)}.")
    tables = [Table(name, rows, _time(rows, files[name]), shared) for name, rows in read.items()]
    tick = _usual(tables)
    lines = [] if tick is None else [f"tick {duration_text(tick)}.  % the median gap, as a usual unit"]
    return "\n".join([*lines, *(_input(each, tick) for each in tables)])


_INPUT = re.compile(r"^\s*input\s+(\w+)\(([^)]*)\)", re.MULTILINE)
_QUERY = re.compile(r"^\s*query\b", re.MULTILINE)


def with_a_query(declarations: str) -> str:
    """A text that is a program: one of inputs alone asks for nothing, so a query of the first is added."""
    first = _INPUT.search(declarations)
    if first is None or _QUERY.search(declarations):
        return declarations
    terms = ", ".join(["_"] * first[2].count(",") + ["T"])
    return f"{declarations}\nAnyMoment(T) :- {first[1]}({terms}).\nquery AnyMoment(T).\n"


def columns_of(path: Path) -> list[str]:
    return list(_read(path).column_names)


def _read(path: Path) -> pa.Table:
    form = form_of(path)
    try:
        if form is Form.PARQUET:
            return pq.read_table(path)
        if form is Form.JSON:
            return pa_json.read_json(path)
        if form is not None:
            return pc_csv.read_csv(path)
    except (OSError, pa.ArrowException) as error:
        raise DataError(f"{path}: cannot be read: {error}") from None
    raise DataError(f"{path}: the ending names no form of file; there are {ENDINGS}")


def _time(rows: pa.Table, path: Path) -> str:
    """The column of times: one that is called so, or the first that has timestamps."""
    named = [each for each in rows.column_names if each.lower() in _TIMES]
    stamps = [each for each in rows.column_names if pa.types.is_temporal(rows.schema.field(each).type)]
    found = [*named, *stamps]
    if not found:
        raise DataError(
            f"{path}: has no column of times. It has {has(rows.column_names)}. Declare the input in a "
            "program, and give that before the options"
        )
    return str(found[0])


def _usual(tables: Sequence[Table]) -> int | None:
    """The median gap of the densest input, rounded to a usual unit; None where times are plain numbers."""
    densest = max(tables, key=lambda each: each.rows.num_rows)
    times = _moments(densest)
    if times is None:
        return None
    key = np.zeros(len(times), np.int64)
    if densest.key is not None:
        texts = pc.cast(densest.rows.column(densest.key), pa.string()).combine_chunks()
        key = pc.dictionary_encode(texts).indices.to_numpy().astype(np.int64)
    order = np.lexsort((times, key))
    gaps = np.diff(times[order])[np.diff(key[order]) == 0]
    gaps = gaps[gaps > 0]
    median = float(np.median(gaps)) if len(gaps) else float(_SECOND)
    return min(_USUAL, key=lambda each: abs(np.log(each / median)))


def _moments(table: Table) -> Column | None:
    """Times in microseconds; None where they are plain numbers."""
    column = table.rows.column(table.time)
    if pa.types.is_integer(column.type) or pa.types.is_floating(column.type):
        largest = pc.max(column).as_py() or 0
        if largest < 1e8:  # too small for seconds since 1970
            return None
    found = times_of(column.combine_chunks(), Counting(Timescale(1)))
    moments: Column = found.numbers[found.natural]
    return moments


def _input(table: Table, tick: int | None) -> str:
    columns = [table.key] if table.key is not None else []
    columns += [e for e in table.rows.column_names if e not in (table.key, table.time, DEFAULT_ARRIVAL)]
    typed = [f"{_name(each)}: {_type(table.rows.schema.field(each).type)}" for each in columns]
    alone = ""
    if _is_alone(table, tick):
        alone = f", one per {table.key or 'tick'}"
    return f"input {table.name}({', '.join([*typed, _name(table.time)])}) delay 0{alone}."


def _name(column: str) -> str:
    if not re.fullmatch(r"[a-z_]\w*", column):
        raise DataError(
            f"the column {column!r} cannot be named in a program as it is. Declare the input in a program, "
            "and give the file's name with --map"
        )
    return column


def _type(type_: pa.DataType) -> str:
    return "number" if pa.types.is_integer(type_) or pa.types.is_floating(type_) else "text"


def _is_alone(table: Table, tick: int | None) -> bool:
    """Whether each key has one row a tick at most."""
    times = _moments(table)
    ticks = table.rows.column(table.time).to_numpy() if times is None or tick is None else times // tick
    rows: Iterator[object] = iter(ticks.tolist())
    if table.key is not None:
        rows = zip(table.rows.column(table.key).to_pylist(), ticks.tolist(), strict=True)
    return len(set(rows)) == int(table.rows.num_rows)
