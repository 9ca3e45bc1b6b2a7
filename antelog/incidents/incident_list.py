"""A list of incidents: what went wrong, for which key, and when.

    device,start,end,kind            or     device,time
    wt2,2026-03-01 10:00,2026-03-01 14:00,pump     wt2,2026-03-01 10:00

Its column of keys has the name that the program's inputs have for theirs, or the one that `--key` gives.
A row whose kind is `none` is no incident: somebody looked at an alert, and nothing had gone wrong.
"""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from os import PathLike
from pathlib import Path
from zoneinfo import ZoneInfo

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from antelog.arrow.kinds import Kind, kind_of
from antelog.arrow.ticks import tick_of
from antelog.compile.nodes.plan import Plan
from antelog.engine.columns.tables import Column
from antelog.engine.facts.frames import FileOrFrame, columns_in
from antelog.errors import DataError, OutputError
from antelog.escaping import cell
from antelog.files import ARRIVAL, LINE, Form, Reject, Rejects, WantedColumns, form_of
from antelog.files.cells import NUMBERS, stacked
from antelog.files.chunks import Chunk, sorted_out
from antelog.files.columns import DEFAULT_ARRIVAL, has
from antelog.files.naming import ENDINGS, opened, size_of
from antelog.files.reading import chunks_of, frame_chunks
from antelog.files.remote import FilePath, in_store
from antelog.incidents.judging import ALL_KEYS, Incidents
from antelog.language.checks.suggestions import did_you_mean, require_known
from antelog.language.terms import number_of
from antelog.run.options import LISTS
from antelog.run.settings import JudgingOptions
from antelog.writing import claimed

TIME, START, END = TIMES = ("time", "start", "end")
KIND, NONE = "kind", "none"
WHO = "who"  # the column with the name of whoever added the row
_NAME, _FRAME, _NOTHING = "incidents", "the frame of incidents", "\0"


@dataclass(frozen=True)
class KeyColumn:
    """The program's key: its type, its column in lists, and its place in queries and inputs."""

    name: str
    type: str | None
    places: Mapping[str, int]

    @classmethod
    def of(cls, plan: Plan, given: str | None = None) -> KeyColumn | None:
        """The partition key, or what is given: a column, or `X=column` for a variable of queries.

        None if the program has no key. Raises DataError if it has no such variable.
        """
        places = {each.name: each.position for each in plan.key.positions} if plan.key else {}
        inputs = {each.name: each for each in plan.inputs if each.name in places}
        variable, equals, column = (given or "").rpartition("=")
        known = {each.name: each.answer.variables for each in plan.queries}
        chosen = {name: own.index(variable) for name, own in known.items() if variable in own}
        if equals:
            names = list(dict.fromkeys(each for own in known.values() for each in own))
            require_known(variable, names, "besides its time no query has a variable", "They have")
        if equals and any(places.get(name) != place for name, place in chosen.items()):
            type_ = next(each.answer.types[chosen[each.name]] for each in plan.queries if each.name in chosen)
            return cls(column, type_, chosen)
        for source in inputs.values():
            own = source.columns[places[source.name]]
            return cls(column or own, source.types[places[source.name]], places)
        return None


@dataclass(frozen=True, eq=False)
class IncidentList:
    """Incidents, the texts of their keys by number, the key, and the name of the file.

    `cleared` counts the rows that say that nothing had gone wrong.
    """

    incidents: Incidents
    keys: tuple[str, ...]
    key: KeyColumn | None
    name: str
    cleared: int = 0


def read_incidents(
    given: FileOrFrame, plan: Plan, choice: JudgingOptions, rejects: Rejects, *, grows: bool = False
) -> IncidentList:
    """Reads a list; rows that cannot be used are set aside. Raises DataError if there is none that can.

    A list that `grows` may be empty, or not there yet.
    """
    frame = None if isinstance(given, str | PathLike) else columns_in(_NAME, given)
    path = _path(given) if isinstance(given, str | PathLike) else Path(_FRAME)
    key, none = KeyColumn.of(plan, choice.key), np.zeros(0, np.int64)
    nothing = IncidentList(Incidents(none, none, none), (), key, str(path))
    if grows and not size_of(path):
        return nothing
    names = names_of(given) if frame is None else list(frame[0] or ())
    wanted = wanted_columns(names, plan, choice, str(path))
    chunks = chunks_of(path, wanted, rejects.notes)
    if frame is not None:
        chunks = frame_chunks(names, frame[1], path, wanted)
    found, choosing = list[pa.Table](), (KIND, *choice.where)
    for each in sorted_out(wanted, (_filled(each, wanted, choosing) for each in chunks), str(path)):
        rejects.notes.extend(rejects.new_of(each.notes))
        rejects.came(_NAME, str(path), each.count)
        rejects.add(
            replace(row, detail=row.detail.replace("the arrival", "the end")) for row in each.set_aside
        )
        found += [each.table] if each.table.num_rows else []
    rejects.require_use()
    rows, cleared = stacked(found) if found else None, 0
    if rows is not None and KIND in wanted.columns:
        is_none = pc.equal(texts(rows.column(KIND)), NONE).fill_null(False)
        cleared, rows = pc.sum(is_none).as_py(), rows.filter(pc.invert(is_none))
    if rows is None or not rows.num_rows:
        if grows:
            return replace(nothing, cleared=cleared)
        raise DataError(f"{path}: has no incident. Give a row for each, with its time")
    for column, value in choice.where.items():
        known = pc.unique(texts(rows.column(column), "")).to_pylist()
        if not grows and value not in known:
            require_known(value, known[:12], f"{path}: no incident has {column}", "They have")
        rows = rows.filter(pc.equal(texts(rows.column(column)), value))
    return replace(_listed(rows, wanted, key, rejects, path), cleared=cleared)


def _filled(chunk: Chunk, wanted: WantedColumns, names: Sequence[str]) -> Chunk:
    """The rows with something in columns that only choose rows, and may be empty."""
    columns = list(chunk.columns)
    for number in range(len(wanted.types)):
        kind = kind_of(columns[number].type)
        if wanted.columns[number] in names and kind in (Kind.TEXT, Kind.NOTHING):
            found = texts(columns[number], _NOTHING)
            columns[number] = pc.if_else(pc.equal(found, ""), _NOTHING, found)
    return replace(chunk, columns=columns)


def _listed(
    rows: pa.Table, wanted: WantedColumns, key: KeyColumn | None, rejects: Rejects, path: FilePath
) -> IncidentList:
    if spans := wanted.arrival == END:
        wrong = pc.less(rows.column(ARRIVAL), rows.column(wanted.time))
        detail, lines = "its end is before its start", rows.filter(wrong).column(LINE).to_pylist()
        rejects.add(Reject(str(path), line, _NAME, "malformed", detail, "") for line in lines)
        rows = rows.filter(pc.invert(wrong))
        if not rows.num_rows:
            raise DataError.of("incidents.all-end-first", file=path)
    begin = rows.column(wanted.time).to_numpy()
    end = rows.column(ARRIVAL).to_numpy() if spans else begin
    keys, numbers = dict[str, int](), np.full(len(begin), ALL_KEYS)
    if key is not None and key.name not in wanted.columns:
        rejects.notes.append(f"{path}: has no column {key.name} for the key, so each incident is one of all")
    elif key is not None:
        numbers = numbers_of(texts(rows.column(key.name)), keys)
    return IncidentList(Incidents.of(numbers, begin, end), tuple(keys), key, str(path))


def wanted_columns(names: Sequence[str], plan: Plan, choice: JudgingOptions, file: str) -> WantedColumns:
    """The columns that are read. Raises DataError if the list lacks them."""
    time = START if START in names and END in names else TIME
    if not names:
        raise DataError.of("incidents.empty", file=file)
    if time not in names:
        hint = did_you_mean(TIME, names) or f"It has {has(names)}."
        raise DataError(f"{file}: has no column {TIME}, nor {START} and {END}. {hint}")
    columns = dict[str, str | None]()
    key = KeyColumn.of(plan, choice.key)
    if choice.key is not None and key is None:
        raise DataError.of("incidents.no-key", file=file, why_not=plan.key.why_not, column=choice.key)
    if key is not None and (choice.key is not None or key.name in names):
        columns[key.name] = key.type
    columns |= {each: None for each in (*choice.where, *({KIND} & {*names})) if each not in columns}
    for column in columns:
        require_known(column, names, f"{file}: has no column")
    # Times are written as those of the facts are, and the end is a second time, as the arrival of facts is.
    counting, end = plan.counting(plan.inputs[0].name), END if time == START else DEFAULT_ARRIVAL
    return WantedColumns(_NAME, (*columns, TIME), tuple(columns.values()), end, counting, ((TIME, time),))


def _path(given: str | PathLike[str]) -> FilePath:
    """Where a list is: here, or in an object store."""
    text = os.fspath(given)
    return LISTS.read(text).file_path if in_store(text) else Path(text)


def names_of(given: FileOrFrame) -> list[str]:
    """The names of the columns of a file or a frame. Raises DataError."""
    if not isinstance(given, str | PathLike):
        return list(columns_in(_NAME, given)[0] or ())
    path = _path(given)
    form = form_of(path)
    if form is None:
        raise DataError(f"{path}: the ending names no form of file; there are {ENDINGS}")
    try:
        with opened(path) as (data, _):
            return list(pq.read_schema(data).names) if form is Form.PARQUET else names_in(data, path)
    except pa.ArrowException as error:
        raise DataError(f"{path}: cannot be read: {error}") from None


def names_in(lines: Iterable[bytes], path: FilePath) -> list[str]:
    """The names of columns by the lines of a file, of JSON those of all rows. Raises DataError."""
    filled = (line.decode("utf-8-sig") for line in lines if line.strip())
    try:
        if form_of(path) is not Form.JSON:
            line = next(filled, "")
            return next(csv.reader([line], delimiter=delimiter_of(line)), [])
        rows = [*map(json.loads, filled)]
    except (ValueError, csv.Error) as error:
        raise DataError(f"{path}: cannot be read: {error}") from None
    if not all(isinstance(row, dict) for row in rows):
        raise DataError(f"{path}: cannot be read: write a JSON object on each line")
    names = dict.fromkeys(name for row in rows for name in row)
    if any(KIND not in row for row in rows):  # it chooses rows only if all have it
        names.pop(KIND, None)
    return [*names]


def delimiter_of(line: str) -> str:
    return csv.Sniffer().sniff(line, ",;\t|").delimiter if ";" in line else ","


# ---- a list that grows: rows that people add are appended to its file, each as a whole line ----


def can_grow(path: Path) -> None:
    """Raises DataError if no row can be added to a file."""
    if path.suffix.lower() == ".gz" or form_of(path) not in (Form.CSV, Form.JSON):
        raise DataError(f"{path}: cannot grow; a list that grows is a file that ends with .csv or .jsonl")
    if path.exists() and not path.is_file():
        raise DataError(f"{path}: is not a file; give one, or the name of one that is made")
    if not path.parent.is_dir():
        raise DataError(f"{path}: there is no folder {path.parent}; make it, and the file is made in it")


def add_row(path: Path, plan: Plan, choice: JudgingOptions, told: Mapping[str, str]) -> None:
    """Adds a row by what was `told`: its `key`, `time` and `who`, and as `kind` perhaps `none`.

    It is on the disk when this returns; a file that is not there is made. Raises DataError or OutputError.
    """
    column, at = KeyColumn.of(plan, choice.key), _instant(told[TIME], plan)
    row: dict[str, object] = {**choice.where, **dict.fromkeys(TIMES, at)}
    row |= {WHO: cell(_in_a_line(told[WHO])), **({KIND: told[KIND]} if told.get(KIND) else {})}
    if column is not None:
        row[column.name] = _key_value(column, _in_a_line(told["key"]))
    usual = [*([] if column is None else [column.name]), TIME, *{KIND: 0, **choice.where}, WHO]
    try:
        with path.open("a+b", buffering=0) as file:
            claimed(file.fileno(), wait=True)  # the page of another run may write to it, too
            file.seek(0)
            before = file.read()
            head = next((each for each in before.splitlines() if each.strip()), b"").decode("utf-8-sig")
            names = names_in(before.splitlines(), path) or usual
            wanted_columns(names, plan, choice, str(path))
            if KIND in told and KIND not in names:
                raise DataError(f"{path}: has no column {KIND}, which is to say that it was nothing. Add it")
            row = {name: row.get(name, "") for name in names}
            is_json = form_of(path) is Form.JSON
            line = f"{json.dumps(row, ensure_ascii=False)}\n".encode() if is_json else _csv(row, head)
            end = b"" if not before or before.endswith(b"\n") else b"\n"
            if file.write(end + line) < len(end + line):
                file.truncate(len(before))  # half a line would spoil the next one
                raise OutputError(f"{path}: cannot be written: there is no room left")
            os.fsync(file.fileno())
    except OSError as error:
        raise OutputError(f"{path}: cannot be written: {error.strerror or error}") from None


def _in_a_line(text: str) -> str:
    return " ".join(text.split())


def _csv(row: Mapping[str, object], head: str) -> bytes:
    """The row as a line, after the header of a file that has none."""
    lines = io.StringIO()
    writer = csv.writer(lines, delimiter=delimiter_of(head), lineterminator="\n")
    writer.writerows([*([] if head else [row]), row.values()])
    return lines.getvalue().encode()


def _key_value(column: KeyColumn, text: str) -> object:
    if not text:
        raise DataError(f"say which {column.name} it is about")
    try:
        return number_of(text) if column.type in NUMBERS else text
    except ValueError:
        raise DataError(f"the {column.name} `{text}` is not a number") from None


def _instant(text: str, plan: Plan) -> str | int:
    """A time as files have it: with the offset of its zone, or the number of a tick. Raises DataError."""
    scale, text = plan.timescale, _in_a_line(text)
    try:
        tick = tick_of(int(text) if text.isdecimal() else text, scale)
        if scale is None:
            return tick
        found = scale.time(tick) if text.isdecimal() else datetime.fromisoformat(text)
    except (DataError, ValueError):
        example = "17" if scale is None else "2026-03-02 06:00"
        raise DataError(f"`{text}` is not a time of this program. Write it like {example}") from None
    return (found if found.tzinfo else found.replace(tzinfo=ZoneInfo(scale.zone))).isoformat()


# ---- keys as numbers: those of incidents, answers and facts are compared as texts ----


def texts(column: pa.Array | pa.ChunkedArray, missing: str | None = None) -> pa.Array:
    """The values of a column as texts, with another text where a value is missing."""
    array = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    try:
        found = pc.cast(array, pa.string())
    except pa.ArrowException:
        found = pa.array([None if each is None else str(each) for each in array.to_pylist()], pa.string())
    return found if missing is None else pc.fill_null(found, missing)


def numbers_of(column: pa.Array, known: dict[str, int]) -> Column:
    """The number of each text; `known` gets the ones that are new."""
    coded = pc.dictionary_encode(column)
    numbers = [known.setdefault(each, len(known)) for each in coded.dictionary.to_pylist()]
    found: Column = np.array(numbers, np.int64)[coded.indices.to_numpy()]
    return found
