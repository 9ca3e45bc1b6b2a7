"""A list of incidents that grows: rows that people add are appended to its file, each as a whole line."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from antelog.arrow.ticks import tick_of
from antelog.compile.nodes.plan import Plan
from antelog.errors import DataError, OutputError
from antelog.escaping import cell
from antelog.files import Form, form_of
from antelog.files.cells import NUMBERS
from antelog.incidents.incident_list import (
    KIND,
    TIME,
    TIMES,
    KeyColumn,
    delimiter_of,
    names_in,
    wanted_columns,
)
from antelog.language.terms import number_of
from antelog.run.settings import JudgingOptions
from antelog.writing import claimed

WHO = "who"  # the column with the name of whoever added the row


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
        row[column.name] = _key(column, _in_a_line(told["key"]))
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


def _key(column: KeyColumn, text: str) -> object:
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
