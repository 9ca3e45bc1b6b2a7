"""A draft: a program and tables of facts, all of it text as its author types it.

    draft_of(program=Path("turbines.alog"), inputs={"Temp": Path("readings.csv")})

Tables are those of CSV files: a header, then rows of texts.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from antelog.errors import DataError
from antelog.language.program_files import read_text
from antelog.writing import write

LARGEST = 5_000
"""Rows of all tables together: each edit runs them all."""


class Sheet(msgspec.Struct, frozen=True):
    """A table of texts."""

    columns: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()

    @property
    def filled(self) -> tuple[tuple[str, ...], ...]:
        """The rows that have something in them, each with a value for each column."""
        width = len(self.columns)
        rows = (tuple((*row, *[""] * width)[:width]) for row in self.rows)
        return tuple(row for row in rows if any(map(str.strip, row)))


class Draft(msgspec.Struct, frozen=True):
    """The text of a program, and tables of facts by input or static predicate."""

    program: str
    tables: dict[str, Sheet] = {}


@dataclass(frozen=True)
class DraftFiles:
    """The files that a draft was read from, and that it is saved to: no others are ever written."""

    program: Path | None = None
    tables: Mapping[str, Path] = field(default_factory=dict)

    @property
    def names(self) -> list[str]:
        """The names of the files, the program's first."""
        return [str(each) for each in (self.program, *self.tables.values()) if each is not None]

    def read(self) -> Draft:
        """The draft in the files; a table whose file is not there yet is empty. Raises AntelogError."""
        there = self.program is not None and self.program.exists()
        text = read_text(self.program) if self.program is not None and there else ""
        tables = {name: sheet_in(path) for name, path in self.tables.items() if path.exists()}
        return Draft(text, {name: tables.get(name, Sheet()) for name in self.tables})

    def save(self, draft: Draft) -> list[str]:
        """Writes a draft to its files; returns their names. Raises OutputError."""
        done = []
        if self.program is not None:
            write(self.program, draft.program.encode())
            done.append(str(self.program))
        for name, path in self.tables.items():
            sheet = draft.tables.get(name)
            if sheet is not None and sheet.columns:
                write(path, as_csv(sheet.columns, sheet.filled).encode())
                done.append(str(path))
        return done


def sheet_in(path: Path) -> Sheet:
    """The table in a CSV file, as it is written there. Raises DataError."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError:
        raise DataError(f"{path}: is not text in UTF-8; `antelog play` edits CSV files") from None
    except OSError as error:
        raise DataError(f"{path}: {error.strerror or error}") from None
    return sheet_of(text, str(path))


def sheet_of(text: str, name: str) -> Sheet:
    try:
        lines = [tuple(row) for row in csv.reader(io.StringIO(text), strict=True) if row]
    except csv.Error as error:
        raise DataError(f"{name}: is not CSV: {error}") from None
    if len(lines) > LARGEST + 1:
        raise DataError(
            f"{name}: has {len(lines) - 1:,} rows, and a table to edit has {LARGEST:,} at most; "
            "replay it with `antelog try`, or give a part of it"
        )
    return Sheet(lines[0], tuple(lines[1:])) if lines else Sheet()


def as_csv(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerows([columns, *rows])
    return file.getvalue()


def fitted(sheet: Sheet | None, wanted: Sequence[str], optional: Sequence[str] = ()) -> Sheet:
    """A table with all wanted columns, for a program that was edited.

    Columns that are not wanted any more take the names of new ones, in their order; those left over stay.
    """
    if sheet is None or not sheet.columns:
        return Sheet((*wanted, *optional), () if sheet is None else sheet.rows)
    missing = [name for name in wanted if name not in sheet.columns]
    if not missing:
        return sheet
    waiting = iter(missing)
    renamed = [name if name in wanted or name in optional else next(waiting, name) for name in sheet.columns]
    return Sheet((*renamed, *waiting), sheet.rows)
