"""Declares the inputs of files that nobody has declared: their columns and types, the key, and the tick.

machine,value,time           tick 10 minutes.
m1,51.2,2026-03-01 10:00     input Vibration(machine: text, value: number, time) delay 0, one per machine.
m1,50.9,2026-03-01 10:10
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from os import PathLike, fspath

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pc_csv
import pyarrow.json as pa_json
import pyarrow.parquet as pq

from antelog.arrow.kinds import Kind, kind_of
from antelog.arrow.ticks import times_of
from antelog.engine.columns.tables import Column
from antelog.engine.facts.frames import FileOrFrame, columns_in
from antelog.errors import DataError
from antelog.files import Form, form_of
from antelog.files.columns import DEFAULT_ARRIVAL, has
from antelog.files.naming import ENDINGS, files_at, opened
from antelog.files.remote import FilePath, RemotePath
from antelog.incidents.incident_list import names_of, numbers_of, texts
from antelog.incidents.suggest.input_columns import APART
from antelog.incidents.suggest.writing import uses
from antelog.language.checks.suggestions import require_known
from antelog.language.durations import duration_text
from antelog.language.epochs import Counting
from antelog.language.moments import Timescale
from antelog.language.printer import KEYWORDS
from antelog.program import Program
from antelog.run.address import Files, Reach

_TIMES = ("time", "timestamp", "datetime", "date", "ts", "at")
_SECOND = 1_000_000
_USUAL = tuple(
    each * _SECOND
    for each in (1, 2, 5, 10, 15, 20, 30, *(60 * m for m in (1, 2, 5, 10, 15, 20, 30)), 3600, 21_600, 86_400)
)


def declared(
    given: Mapping[str, FileOrFrame], named: str | None, listed: FileOrFrame
) -> tuple[str, Mapping[str, str]]:
    """The declarations of files, and the columns whose names cannot stand in a program as they are.

    The key is a column that all have, and the incidents. Raises DataError.
    """
    if not given:
        raise DataError("there are no facts; give a file of each input: --input Vibration=vibration.csv")
    for name in given:
        if not re.fullmatch(r"[A-Z]\w*", name):
            raise DataError(f"{name}: names of inputs begin with a capital letter, as in --input Temp=FILE")
    read = {name: _read(name, each) for name, each in given.items()}
    incidents = names_of(listed)
    key = (named or "").rpartition("=")[2] or None  # of `--key X=device`
    first, *others = read.values()
    common = [each for each in first.column_names if all(each in rows.column_names for rows in others)]
    common = [each for each in common if each.lower() not in _TIMES]
    if key is not None:
        require_known(key, common, "not every input has a column", "All have")
    key = key or next((each for each in common if each in incidents), None)
    tick = _usual(read, key)
    lines = [] if tick is None else [f"tick {duration_text(tick)}.  % the median gap, as a usual unit"]
    maps = dict[str, str]()
    for name, rows in read.items():
        own = _names([*([key] if key else []), *(e for e in rows.column_names if e != key)])
        renamed = {f"{name}.{to}": column for column, to in own.items() if to != column}
        maps |= renamed
        lines += [
            f"% {to.partition('.')[2]} of {name} is the column {column!r}: "
            f"give --map {shlex.quote(f'{to}={column}')}"
            for to, column in renamed.items()
        ]
        lines.append(_input(name, rows, key, tick, own))
    return "\n".join(lines), maps


_ABOUT = re.compile(r"(?:input |% \w+ of )(\w+)")
_ANY = "\nAnyMoment(T) :- "


def used_only(declarations: str, rules: str) -> str:
    """The declarations of files, without inputs that rules do not use."""
    about = [(line, _ABOUT.match(line)) for line in declarations.splitlines()]
    return "\n".join(line for line, found in about if found is None or uses(rules, found[1]))


def without_a_query(program: str) -> str:
    """A program of inputs as somebody wrote it."""
    return program.partition(_ANY)[0]


def asks(program: Program) -> bool:
    """Whether a program has queries of its own."""
    return any(each.name != "AnyMoment" for each in program.plan.queries)


_INPUT = re.compile(r"^\s*input\s+(\w+)\(([^)]*)\)", re.MULTILINE)
_QUERY = re.compile(r"^\s*query\b", re.MULTILINE)


def with_a_query(declarations: str) -> str:
    """A text that is a program: one of inputs alone asks for nothing, so a query of the first is added."""
    first = _INPUT.search(declarations)
    if first is None or _QUERY.search(declarations):
        return declarations
    terms = ", ".join(["_"] * first[2].count(",") + ["T"])
    return f"{declarations}{_ANY}{first[1]}({terms}).\nquery AnyMoment(T).\n"


def _read(name: str, given: FileOrFrame) -> pa.Table:
    """The rows of a file or a frame as they are. Raises DataError."""
    if not isinstance(given, str | PathLike | RemotePath):
        names, columns = columns_in(name, given)
        if names is None and columns:
            raise DataError(f"{name}: tuples have no names. Give a frame or dictionaries, or a program")
        return pa.table(dict(zip(names or (), columns, strict=True)))
    parts = _files(
        given
        if isinstance(given, RemotePath)
        else Reach("antelog.suggest", "read", (Files,), formless=True).read(fspath(given)).file_path
    )
    form = form_of(parts[0])
    if form is None:
        raise DataError(f"{given}: the ending names no form of file; there are {ENDINGS}")
    try:
        return pa.concat_tables(map(_rows, parts), promote_options="default")
    except pa.ArrowException as error:
        raise DataError(f"{given}: cannot be read: {error}") from None


def _rows(part: FilePath) -> pa.Table:
    with opened(part) as (data, _):
        return _READERS[form_of(part) or Form.CSV](data)


_READERS = {Form.PARQUET: pq.read_table, Form.JSON: pa_json.read_json, Form.CSV: pc_csv.read_csv}


def _files(path: FilePath) -> list[FilePath]:
    """The files of a folder, or of a pattern such as `readings/*.csv`. Raises DataError if there is none."""
    listed = files_at(path)
    if not listed and not path.is_file():
        raise DataError(f"{path}: there is no such file")
    return listed or [path]


def _time(name: str, rows: pa.Table) -> str:
    """The column of times: one that is called so, or the first that has timestamps."""
    named = [each for each in rows.column_names if each.lower() in _TIMES]
    stamps = [each for each in rows.column_names if pa.types.is_temporal(rows.schema.field(each).type)]
    found = [*named, *stamps]
    if not found:
        raise DataError.of("incidents.no-times", input=name, columns=has(rows.column_names))
    return str(found[0])


def _usual(read: Mapping[str, pa.Table], key: str | None) -> int | None:
    """The median gap of the densest input, rounded to a usual unit; None where times are plain numbers."""
    name = max(read, key=lambda each: read[each].num_rows)
    times, keys = _moments(read[name], _time(name, read[name])), _key_numbers(read[name], key)
    if times is None:
        return None
    order = np.lexsort((times, keys[: len(times)]))
    gaps = np.diff(times[order])[np.diff(keys[order]) == 0]
    gaps = gaps[gaps > 0]
    median = float(np.median(gaps)) if len(gaps) else float(_SECOND)
    return min(_USUAL, key=lambda each: abs(np.log(each / median)))


def _key_numbers(rows: pa.Table, key: str | None) -> Column:
    return np.zeros(rows.num_rows, np.int64) if key is None else numbers_of(texts(rows.column(key), ""), {})


def _moments(rows: pa.Table, name: str) -> Column | None:
    """Times in microseconds; None where they are plain numbers, too small for seconds since 1970."""
    column = rows.column(name)
    if kind_of(column.type) is Kind.NUMBER and (pc.max(column).as_py() or 0) < 1e8:
        return None
    found = times_of(column.combine_chunks(), Counting(Timescale(1)))
    moments: Column = found.numbers[found.natural]
    return moments


def _names(columns: Sequence[str]) -> dict[str, str]:
    """The columns with the names that they have in a program."""
    named = dict[str, str]()
    for each in columns:
        name = re.sub(r"\W+", "_", each.lower()).strip("_") or "column"
        name = name if re.match(r"[a-z]", name) and name not in KEYWORDS else f"column_{name}"
        while name in named.values():
            name += "_"
        named[each] = name
    named.pop(DEFAULT_ARRIVAL, None)
    return named


def _input(name: str, rows: pa.Table, key: str | None, tick: int | None, named: Mapping[str, str]) -> str:
    """An input as a declaration."""
    time = _time(name, rows)
    kinds = {to: kind_of(rows.column(each).type) for each, to in named.items() if each != time}
    typed = [f"{to}: {'number' if kind is Kind.NUMBER else 'text'}" for to, kind in kinds.items()]
    ticks, come = (_ticks(rows, each, tick) for each in (time, DEFAULT_ARRIVAL))
    alone, delay = "", 0
    if len(ticks) == rows.num_rows:  # else some cannot be read, and are set aside later
        if len(np.unique(_key_numbers(rows, key) * APART + ticks)) == rows.num_rows:
            alone = f", one per {named[key] if key else 'tick'}"
        if len(come) == len(ticks):
            delay = max(int(np.max(come - ticks, initial=0)), 0)
    return f"input {name}({', '.join([*typed, named[time]])}) delay {delay}{alone}."


def _ticks(rows: pa.Table, column: str, tick: int | None) -> Column:
    """The ticks of a column that can be read; none if there is no such column."""
    if column not in rows.column_names:
        return np.zeros(0, np.int64)
    moments = _moments(rows, column)
    found: Column = rows.column(column).to_numpy() if moments is None or tick is None else moments // tick
    return found
