"""A list of incidents: what went wrong, for which key, and when.

    device,start,end,kind            or     device,time
    wt2,2026-03-01 10:00,2026-03-01 14:00,pump     wt2,2026-03-01 10:00

Its column of keys has the name that the program's inputs have for theirs, or the one that `--key` gives.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from antelog.compile.nodes.plan import Plan
from antelog.engine.facts.frames import Frame, columns_in
from antelog.errors import DataError
from antelog.files import Form, Rejects, WantedColumns, form_of, tables
from antelog.files.cells import stacked
from antelog.files.chunks import sorted_out
from antelog.files.columns import DEFAULT_ARRIVAL, has
from antelog.files.naming import ENDINGS, opened
from antelog.files.reading import frame_chunks
from antelog.incidents.judging import ALL_KEYS, Incidents
from antelog.language.checks.suggestions import did_you_mean
from antelog.language.epochs import TICKS

TIME, START, END = "time", "start", "end"
_NAME = "incidents"


@dataclass(frozen=True)
class KeyColumn:
    """The column of the program's key, as an input has it, and its type."""

    name: str
    type: str | None

    @classmethod
    def of(cls, plan: Plan) -> KeyColumn | None:
        """That of the first input that has the key; None if the program has none."""
        at = {each.name: each.position for each in plan.key.positions} if plan.key else {}
        for source in plan.inputs:
            if source.name in at:
                position = at[source.name]
                return cls(source.columns[position], source.types[position])
        return None


@dataclass(frozen=True)
class Choice:
    """The column with the key, if it has another name, and the values that rows must have in columns."""

    key: str | None = None
    where: Mapping[str, str] | None = None


@dataclass(frozen=True, eq=False)
class IncidentList:
    """Incidents, the texts of their keys by number, and notes on rows that could not be used."""

    incidents: Incidents
    keys: tuple[str, ...]
    notes: tuple[str, ...] = ()


def read_incidents(given: Path | Frame, plan: Plan, choice: Choice) -> IncidentList:
    """Reads a list. Raises DataError if it cannot be read, or has no column of times."""
    frame = None if isinstance(given, Path) else columns_in(_NAME, given)
    path = given if isinstance(given, Path) else Path(f"the frame of {_NAME}")
    names = _names(path) if frame is None else list(frame[0] or ())
    wanted = _wanted(names, plan, choice, str(path))
    rejects = Rejects()
    if frame is None:
        found = list(tables(path, wanted, rejects))
    else:
        pieces = sorted_out(wanted, frame_chunks(names, frame[1], path, wanted), str(path))
        found = [each.table for each in pieces if each.table.num_rows]
    if not found:
        raise DataError(f"{path}: has no incident that can be used{_why(rejects)}")
    rows = stacked(found)
    for column, value in (choice.where or {}).items():
        rows = rows.filter(pc.equal(_texts(rows.column(column)), value))
    if not rows.num_rows:
        said = " and ".join(f"{column} {value}" for column, value in (choice.where or {}).items())
        raise DataError(f"{path}: no incident has {said}")
    return _listed(rows, wanted, plan, rejects)


def _listed(rows: pa.Table, wanted: WantedColumns, plan: Plan, rejects: Rejects) -> IncidentList:
    begin = rows.column(wanted.time).to_numpy()
    end = rows.column(END).to_numpy() if END in wanted.columns else begin
    key_column = KeyColumn.of(plan)
    keys: tuple[str, ...] = ()
    key = np.full(len(begin), ALL_KEYS)
    if key_column is not None and key_column.name in wanted.columns:
        coded = pc.dictionary_encode(_texts(rows.column(key_column.name)).combine_chunks())
        keys, key = tuple(coded.dictionary.to_pylist()), coded.indices.to_numpy().astype(np.int64)
    wrong = int((end < begin).sum())
    fine = np.flatnonzero(end >= begin)
    notes = [*rejects.notes, *rejects.at_end]
    if wrong:
        notes.append(f"{wrong} incident{'' if wrong == 1 else 's'} with an end before the start left out")
    return IncidentList(Incidents.of(key[fine], begin[fine], end[fine]), keys, tuple(notes))


def _wanted(names: Sequence[str], plan: Plan, choice: Choice, file: str) -> WantedColumns:
    """The columns that are read. Raises DataError if the list lacks them."""
    time = START if START in names else TIME
    if time not in names:
        hint = did_you_mean(TIME, names) or f"It has {has(names)}."
        raise DataError(f"{file}: has no column {TIME}, nor {START} and {END}. {hint}")
    key = KeyColumn.of(plan)
    if choice.key is not None and key is None:
        raise DataError(f"{file}: the program has no key, so {choice.key} says nothing. Leave out the key.")
    called = None if key is None else choice.key or key.name
    if choice.key is not None and choice.key not in names:
        raise DataError(f"{file}: has no column {choice.key}. {did_you_mean(choice.key, names)}".rstrip())
    columns, types, renamed = list[str](), list[str | None](), dict[str, str]()
    if key is not None and called in names:
        columns.append(key.name)
        types.append(key.type)
        renamed[key.name] = str(called)
    for column in choice.where or {}:
        if column not in names:
            hint = did_you_mean(column, names) or f"It has {has(names)}."
            raise DataError(f"{file}: has no column {column}. {hint}")
        columns.append(column)
        types.append(None)
    if time == START and END in names:
        columns.append(END)
        types.append(TICKS)
    renamed[TIME] = time
    called_so = tuple(renamed.items()) if names else ()
    return WantedColumns(
        _NAME, (*columns, TIME), tuple(types), DEFAULT_ARRIVAL, plan.counting(_NAME), called_so
    )


def _names(path: Path) -> list[str]:
    """The names of the columns of a file. Raises DataError."""
    form = form_of(path)
    if form is None:
        raise DataError(f"{path}: the ending names no form of file; there are {ENDINGS}")
    try:
        with opened(path) as (data, _):
            if form is Form.PARQUET:
                return list(pq.read_schema(data).names)
            line = next((row for row in data if row.strip()), b"").decode("utf-8-sig")
            if form is Form.JSON:
                return list(json.loads(line or "{}"))
            return next(
                csv.reader([line], csv.Sniffer().sniff(line, ",;\t|") if ";" in line else "excel"), []
            )
    except (ValueError, csv.Error, pa.ArrowException) as error:
        raise DataError(f"{path}: cannot be read: {error}") from None


def _texts(column: pa.ChunkedArray) -> pa.ChunkedArray:
    try:
        return pc.cast(column, pa.string())
    except pa.ArrowException:
        values = [None if each is None else str(each) for each in column.to_pylist()]
        return pa.chunked_array([pa.array(values, pa.string())])


def _why(rejects: Rejects) -> str:
    first = next(iter((*rejects.notes, *rejects.at_end)), "")
    return f": {first}" if first else ""
