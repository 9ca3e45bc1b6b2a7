"""Declares the inputs of files that nobody has declared: their columns and types, the key, and the tick.

machine,value,time           tick 10 minutes.
m1,51.2,2026-03-01 10:00     input Vibration(machine: text, value: number, time) delay 0, one per machine.
m1,50.9,2026-03-01 10:10
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Container, Mapping, Sequence
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
from antelog.engine.facts.frames import Frame
from antelog.errors import DataError
from antelog.files import Form, form_of
from antelog.files.columns import DEFAULT_ARRIVAL, has
from antelog.files.naming import ENDINGS
from antelog.language.durations import duration_text
from antelog.language.epochs import Counting
from antelog.language.moments import Timescale
from antelog.language.printer import KEYWORDS

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


@dataclass(frozen=True)
class Declared:
    """What files have, as declarations, and columns whose names cannot stand in a program as they are."""

    tick: str
    inputs: Mapping[str, str]
    maps: Mapping[str, str]

    @property
    def text(self) -> str:
        return self.only(self.inputs)

    def only(self, names: Container[str]) -> str:
        """The declarations of some inputs."""
        own = [text for name, text in self.inputs.items() if name in names]
        said = [
            f"% {column.partition('.')[2]} of {column.partition('.')[0]} is the column {name!r}: give "
            f"--map {shlex.quote(f'{column}={name}')}"
            for column, name in self.maps.items()
            if column.partition(".")[0] in names
        ]
        return "\n".join([*([self.tick] if self.tick else []), *said, *own])


def declared(given: Mapping[str, Path | Frame], named: str | None, listed: Path | Frame) -> Declared:
    """The declarations of files; the key is a column that all have, and the incidents. Raises DataError."""
    if not given:
        raise DataError("there are no facts; give a file of each input: --input Vibration=vibration.csv")
    for name in given:
        if not re.fullmatch(r"[A-Z]\w*", name):
            raise DataError(f"{name}: names of inputs begin with a capital letter, as in --input Temp=FILE")
    read = {name: _read(name, each) for name, each in given.items()}
    incidents = columns_of(listed)
    key = (named or "").rpartition("=")[2] or None  # of `--key X=device`
    common = [
        column
        for column in next(iter(read.values())).column_names
        if all(column in rows.column_names for rows in read.values()) and column.lower() not in _TIMES
    ]
    shared = key or next((each for each in common if each in incidents), None)
    if key is not None and key not in common:
        raise DataError(f"not every input has a column {key}. All have {has(common)}.")
    tables = [Table(name, rows, _time(name, rows), shared) for name, rows in read.items()]
    tick = _usual(tables)
    maps = dict[str, str]()
    inputs = {each.name: _input(each, tick, maps) for each in tables}
    line = "" if tick is None else f"tick {duration_text(tick)}.  % the median gap, as a usual unit"
    return Declared(line, inputs, maps)


_INPUT = re.compile(r"^\s*input\s+(\w+)\(([^)]*)\)", re.MULTILINE)
_QUERY = re.compile(r"^\s*query\b", re.MULTILINE)


def with_a_query(declarations: str) -> str:
    """A text that is a program: one of inputs alone asks for nothing, so a query of the first is added."""
    first = _INPUT.search(declarations)
    if first is None or _QUERY.search(declarations):
        return declarations
    terms = ", ".join(["_"] * first[2].count(",") + ["T"])
    return f"{declarations}\nAnyMoment(T) :- {first[1]}({terms}).\nquery AnyMoment(T).\n"


def columns_of(incidents: Path | Frame) -> list[str]:
    return list(_read("incidents", incidents).column_names)


def _read(name: str, given: Path | Frame) -> pa.Table:
    """The rows of a file or a frame as they are. Raises DataError."""
    if not isinstance(given, Path):
        if hasattr(given, "__arrow_c_stream__"):
            return pa.table(given)
        rows = list(given)
        if all(isinstance(each, Mapping) for each in rows):
            return pa.Table.from_pylist(rows)
        raise DataError(f"{name}: tuples have no names. Give a frame or dictionaries, or a program")
    parts = _files(given)
    form = form_of(parts[0])
    try:
        if form is Form.PARQUET:
            return pa.concat_tables(map(pq.read_table, parts), promote_options="default")
        if form is Form.JSON:
            return pa.concat_tables(map(pa_json.read_json, parts), promote_options="default")
        if form is not None:
            return pa.concat_tables(map(pc_csv.read_csv, parts), promote_options="default")
    except (OSError, pa.ArrowException) as error:
        raise DataError(f"{given}: cannot be read: {error}") from None
    raise DataError(f"{given}: the ending names no form of file; there are {ENDINGS}")


def _files(path: Path) -> list[Path]:
    """The files of a folder, or of a pattern such as `readings/*.csv`. Raises DataError if there is none."""
    found = path.iterdir() if path.is_dir() else path.parent.glob(path.name)
    listed = sorted(each for each in found if each.is_file())
    if not listed and not path.is_file():
        raise DataError(f"{path}: there is no such file")
    return listed or [path]


def _time(name: str, rows: pa.Table) -> str:
    """The column of times: one that is called so, or the first that has timestamps."""
    named = [each for each in rows.column_names if each.lower() in _TIMES]
    stamps = [each for each in rows.column_names if pa.types.is_temporal(rows.schema.field(each).type)]
    found = [*named, *stamps]
    if not found:
        raise DataError(
            f"{name}: has no column of times. It has {has(rows.column_names)}. Declare the input in a "
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


def _moments(table: Table, name: str | None = None) -> Column | None:
    """Times in microseconds; None where they are plain numbers."""
    column = table.rows.column(name or table.time)
    if pa.types.is_integer(column.type) or pa.types.is_floating(column.type):
        largest = pc.max(column).as_py() or 0
        if largest < 1e8:  # too small for seconds since 1970
            return None
    found = times_of(column.combine_chunks(), Counting(Timescale(1)))
    moments: Column = found.numbers[found.natural]
    return moments


def _input(table: Table, tick: int | None, maps: dict[str, str]) -> str:
    """An input as a declaration; `maps` gets columns that have other names in it than in the file."""
    columns = [table.key] if table.key is not None else []
    columns += [e for e in table.rows.column_names if e not in (table.key, table.time, DEFAULT_ARRIVAL)]
    named = dict[str, str]()
    for each in [*columns, table.time]:
        name = re.sub(r"\W+", "_", each.lower()).strip("_") or "column"
        name = name if re.match(r"[a-z]", name) and name not in KEYWORDS else f"column_{name}"
        while name in named.values():
            name += "_"
        named[each] = name
    maps.update({f"{table.name}.{name}": each for each, name in named.items() if name != each})
    typed = [f"{named[each]}: {_type(table.rows.schema.field(each).type)}" for each in columns]
    alone = ""
    if _is_alone(table, tick):
        alone = f", one per {named[table.key] if table.key is not None else 'tick'}"
    terms = ", ".join([*typed, named[table.time]])
    return f"input {table.name}({terms}) delay {_delay(table, tick)}{alone}."


def _delay(table: Table, tick: int | None) -> int:
    """The ticks after which all facts have come, if the file says when they did."""
    if DEFAULT_ARRIVAL not in table.rows.column_names:
        return 0
    come, times = _moments(table, DEFAULT_ARRIVAL), _moments(table)
    if come is None or times is None or tick is None:
        come, times = (table.rows.column(each).to_numpy() for each in (DEFAULT_ARRIVAL, table.time))
    if len(come) != len(times):  # some cannot be read, and are set aside later
        return 0
    return int(max(np.max(come // (tick or 1) - times // (tick or 1), initial=0), 0))


def _type(type_: pa.DataType) -> str:
    return "number" if pa.types.is_integer(type_) or pa.types.is_floating(type_) else "text"


def _is_alone(table: Table, tick: int | None) -> bool:
    """Whether each key has one row a tick at most."""
    times = _moments(table)
    ticks = table.rows.column(table.time).to_numpy() if times is None or tick is None else times // tick
    if len(ticks) != table.rows.num_rows:
        return False
    key = np.zeros(len(ticks), np.int64)
    if table.key is not None:
        coded = pc.dictionary_encode(table.rows.column(table.key).combine_chunks())
        key = pc.fill_null(coded.indices, -1).to_numpy().astype(np.int64)
    return len(np.unique(key * (1 << 52) + ticks.astype(np.int64))) == len(ticks)
