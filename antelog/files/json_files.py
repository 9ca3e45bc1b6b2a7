"""Files of JSON lines: every line is an object. A value is what JSON says: `7` a number, `"7"` a text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import msgspec
import numpy as np

from antelog.arrow.arrays import MOST_DIGITS, array_of
from antelog.errors import DataError
from antelog.files.chunks import Chunk, RowReader, no_rows
from antelog.files.columns import Advice, ColumnPositions, WantedColumns, by_position, places
from antelog.files.records import Bad, Block
from antelog.files.remote import FilePath

_DECODER = msgspec.json.Decoder()
_NOTHING = object()
_TOO_LONG = 10**MOST_DIGITS
_LOOKED_AT = 100  # rows in which names of inner fields are looked for, to be shown
_DEEPEST = 8  # deeper fields are not shown
_KINDS = 1_000  # kinds of JSON objects, by their names, that are remembered


class JsonRow(NamedTuple):
    """A row: a tuple, as there are millions, and tuples are cheap."""

    line: int
    data: bytes
    values: dict[str, Any]

    @property
    def text(self) -> str:
        return self.data.decode(errors="replace")


class JsonRows(RowReader):
    """Reads JSON objects, each matched by its own names; `fits`: one of them had all columns."""

    def __init__(self, path: FilePath | str, advice: Advice, line: int = 1) -> None:
        super().__init__(path, advice.wanted, line)
        self._advice = advice
        self._known: dict[tuple[str, ...], tuple[str, ...] | str] = {}
        self.fits = False

    def _chunks(self, block: Block) -> Iterator[Chunk]:
        chunk = self.chunk(enumerate(block.data.splitlines(), block.first))
        yield replace(chunk, bad=[*chunk.bad, *block.lost]) if block.lost else chunk

    def chunk(self, lines: Iterable[tuple[int, bytes]]) -> Chunk:
        """The rows of lines with their numbers, without empty lines."""
        rows, bad = json_rows(lines)
        fit: list[JsonRow] = []
        used: list[tuple[str, ...]] = []
        for row in rows:
            names = tuple(row.values)
            found = self._known.get(names)
            if found is None:
                if len(self._known) >= _KINDS:
                    self._known.clear()
                found = self._known[names] = self._matched(row, names)
            if isinstance(found, str):
                bad.append(Bad(row.line, found, row.text))
            else:
                fit.append(row)
                used.append(found)
        self.fits = self.fits or bool(fit)
        return json_chunk(fit, bad, used, len(self._wanted.columns)) if fit else no_rows(self._wanted, bad)

    def _matched(self, row: JsonRow, names: tuple[str, ...]) -> tuple[str, ...] | str:
        """An object's names of the wanted columns and of the arrival, or why it cannot be used."""
        wanted, file = self._wanted, str(self._path)
        # What a column is mapped to may be a path, which each row is asked for.
        given = [*names, *(name for _, name in wanted.called if name not in names)]
        if wanted.declared:
            lacks = [name for name in wanted.required if name not in given]
            if lacks:
                self._advice.lacks(given, file, row.line, paths(row.values))
                return f"lacks {', '.join(lacks)}"
        elif by_position(wanted, len(given)) is None:
            return f"has {len(given)} values, not {len(wanted.columns)}"
        try:
            return places(wanted, given, file, whole=False).names(given)
        except DataError as error:
            return str(error).removeprefix(f"{file}: ")


class WholeJson(JsonRows):
    """Reads a whole file. Raises DataError if its first block, which has the names, lacks a wanted column."""

    def __init__(self, path: FilePath | str, wanted: WantedColumns) -> None:
        super().__init__(path, Advice(wanted, []))
        self.names: Sequence[str] = ()
        self._places: ColumnPositions | None = None

    def _chunks(self, block: Block) -> Iterator[Chunk]:
        if block.first == 1 and block.data.lstrip().startswith(b"["):
            raise DataError(f"{self._path}: is a JSON list; write each of its objects on a line of its own")
        return super()._chunks(block)

    def chunk(self, lines: Iterable[tuple[int, bytes]]) -> Chunk:
        rows, bad = json_rows(lines)
        if not rows:
            return no_rows(self._wanted, bad)
        misfit = ""
        if self._places is None:
            names = list(dict.fromkeys(name for row in rows for name in row.values))
            # What has only fields within it is no column, but a part of paths.
            names = [n for n in names if not all(isinstance(row.values.get(n, {}), dict) for row in rows)]
            for _, name in self._wanted.called:
                if name not in names and any(reach(row.values, name) is not _NOTHING for row in rows):
                    names.append(name)
            inner = (path for row in rows[:_LOOKED_AT] for path in paths(row.values))
            self.names, self._places = names, places(self._wanted, names, str(self._path), inner)
            misfit = self._places.misfit
        used = [self._places.names(self.names)] * len(rows)
        return replace(json_chunk(rows, bad, used, len(self._wanted.columns)), misfit=misfit)


def reach(values: dict[str, Any], path: str) -> object:
    """The value of a field, or of one within others: a field with the whole name goes before a path."""
    found = values.get(path, _NOTHING)
    at = path.find(".")
    while found is _NOTHING and at >= 0:
        outer = values.get(path[:at])
        if isinstance(outer, dict):
            found = reach(outer, path[at + 1 :])
        at = path.find(".", at + 1)
    return found


def paths(values: dict[str, Any], before: str = "", depth: int = 0) -> Iterator[str]:
    for name, value in values.items():
        if isinstance(value, dict) and depth < _DEEPEST:
            yield from paths(value, f"{before}{name}.", depth + 1)
        elif depth and not isinstance(value, list):
            yield f"{before}{name}"


def json_rows(lines: Iterable[tuple[int, bytes]]) -> tuple[list[JsonRow], list[Bad]]:
    rows: list[JsonRow] = []
    bad: list[Bad] = []
    for number, line in lines:
        if not line.strip():
            continue
        values, why = None, "is not a JSON object"
        try:
            values = _DECODER.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            why = f"is not JSON: {error}"
        except RecursionError:
            why = "is not a row: it is nested too deeply"
        if isinstance(values, dict):
            rows.append(JsonRow(number, line, values))
        else:
            bad.append(Bad(number, why, line.decode(errors="replace")))
    return rows, bad


def json_chunk(rows: list[JsonRow], bad: list[Bad], wanted: Sequence[tuple[str, ...]], width: int) -> Chunk:
    """Some rows with their wanted columns' names; if only some have an arrival, others have their time."""
    arrives = None
    alike = len(set(wanted)) == 1
    columns = [_values(rows, name) for name in wanted[0]] if alike else []
    if not columns or not all(map(_are_plain, columns)):
        # Rows have names of their own, or something is wrong with some: each is looked at only then.
        given, rows, values = rows, [], list[list[object]]()
        for row, names in zip(given, wanted, strict=True):
            found = [reach(row.values, name) for name in names]
            complaint = next(filter(None, map(_complaint, names, found)), None)
            if complaint is None:
                rows.append(row)
                values.append(found)
            else:
                bad.append(Bad(row.line, complaint, row.text))
        arrives = np.array([len(each) > width for each in values], np.bool_)
        if arrives.any():
            values = [each if len(each) > width else [*each, each[-1]] for each in values]
        columns = [list(column) for column in zip(*values, strict=True)]
        columns = columns or [[] for _ in (wanted[0] if alike else range(width))]
    return Chunk(
        [array_of(each) for each in columns],
        lambda: np.array([row.line for row in rows], np.int64),
        lambda i: rows[i].text,
        bad=bad,
        arrives=arrives,
    )


def _values(rows: list[JsonRow], name: str) -> list[object]:
    if "." in name:
        return [reach(row.values, name) for row in rows]
    return [row.values.get(name, _NOTHING) for row in rows]


def _are_plain(values: list[object]) -> bool:
    """Whether a glance shows that no column complains about any of these values."""
    kinds = set(map(type, values))
    if kinds == {int}:
        numbers: list[Any] = values
        return bool(min(numbers) > -_TOO_LONG and max(numbers) < _TOO_LONG)
    return kinds <= {str, float, bool, type(None)}


def _complaint(name: str, value: object) -> str | None:
    """Why no column can hold a value; None if one can."""
    if value is _NOTHING:
        return f"lacks {name}"
    if isinstance(value, dict | list):
        return f"the value of {name} is {'an object' if isinstance(value, dict) else 'a list'}"
    if isinstance(value, int) and abs(value) >= _TOO_LONG:
        return f"the value of {name} has more than {MOST_DIGITS} digits"
    return None
