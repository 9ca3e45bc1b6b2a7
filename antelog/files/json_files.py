"""Files of JSON lines: every line is an object. A value is what JSON says: `7` a number, `"7"` a text.

A column may be mapped to a field within fields: `decoded.payload.temperature` is 21 in
`{"decoded": {"payload": {"temperature": 21}}}`, unless a field has that whole name itself.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import msgspec
import numpy as np

from antelog.arrow.arrays import MOST_DIGITS, array_of
from antelog.errors import DataError
from antelog.files.chunks import Chunk, RowReader, no_rows
from antelog.files.columns import ColumnPositions, places
from antelog.files.records import Bad, Block

_DECODER = msgspec.json.Decoder()
_NOTHING = object()
_TOO_LONG = 10**MOST_DIGITS
_LOOKED_AT = 100
"""In so many rows names of fields within fields are looked for, to be shown."""
_DEEPEST = 8
"""Fields that lie deeper are not shown."""


class JsonRow(NamedTuple):
    """A row as there are millions of: that it is a tuple makes it cheap."""

    line: int
    data: bytes
    values: dict[str, Any]

    @property
    def text(self) -> str:
        return self.data.decode(errors="replace")


class JsonLines(RowReader):
    """Reads JSON lines."""

    def _chunks(self, block: Block) -> Iterator[Chunk]:
        chunk = self.chunk(enumerate(block.data.splitlines(), block.first))
        yield replace(chunk, bad=[*chunk.bad, *block.lost]) if block.lost else chunk

    @abstractmethod
    def chunk(self, lines: Iterable[tuple[int, bytes]]) -> Chunk:
        """The rows of lines with their numbers; lines that are empty are none."""


class WholeJson(JsonLines):
    """Reads a whole file: the names of its columns are those in its first block, where mapped ones must be.

    Raises DataError if these are not the wanted ones.
    """

    names: Sequence[str] = ()
    _places: ColumnPositions | None = None

    def _chunks(self, block: Block) -> Iterator[Chunk]:
        if block.first == 1 and block.data.lstrip().startswith(b"["):
            raise DataError(f"{self._path}: is a JSON list; write each of its objects on a line of its own")
        return super()._chunks(block)

    def chunk(self, lines: Iterable[tuple[int, bytes]]) -> Chunk:
        rows, bad = json_rows(lines)
        misfit = ""
        if self._places is None and rows:
            self.names, self._places = self._found(rows)
            misfit = self._places.misfit
        if self._places is None:
            return no_rows(self._wanted, bad)
        return replace(json_chunk(rows, bad, self._places.names(self.names)), misfit=misfit)

    def _found(self, rows: list[JsonRow]) -> tuple[list[str], ColumnPositions]:
        """The names in some rows, with what is mapped and there, and where the wanted ones are."""
        names = list(dict.fromkeys(name for row in rows for name in row.values))
        # What has only fields within it is no column, but a part of paths.
        names = [n for n in names if not all(isinstance(row.values.get(n, {}), dict) for row in rows)]
        for _, name in self._wanted.called:
            if name not in names and any(reach(row.values, name) is not _NOTHING for row in rows):
                names.append(name)
        inner = (path for row in rows[:_LOOKED_AT] for path in paths(row.values))
        return names, places(self._wanted, names, str(self._path), inner)


def reach(values: dict[str, Any], path: str) -> object:
    """The value of a field, or of one within others: what has the whole name goes before a path."""
    found = values.get(path, _NOTHING)
    at = path.find(".")
    while found is _NOTHING and at >= 0:
        outer = values.get(path[:at])
        if isinstance(outer, dict):
            found = reach(outer, path[at + 1 :])
        at = path.find(".", at + 1)
    return found


def paths(values: dict[str, Any], before: str = "", depth: int = 0) -> Iterator[str]:
    """The paths of the fields within fields."""
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
        try:
            values = _DECODER.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            bad.append(Bad(number, f"is not JSON: {error}", line.decode(errors="replace")))
            continue
        except RecursionError:
            bad.append(Bad(number, "is not a row: it is nested too deeply", line.decode(errors="replace")))
            continue
        if isinstance(values, dict):
            rows.append(JsonRow(number, line, values))
        else:
            bad.append(Bad(number, "is not a JSON object", line.decode(errors="replace")))
    return rows, bad


def json_chunk(rows: list[JsonRow], bad: list[Bad], wanted: Sequence[str]) -> Chunk:
    columns = [_values(rows, name) for name in wanted]
    fine = rows
    if not all(map(_are_plain, columns)):
        # Something is wrong with some rows, which is seldom; so each is looked at only then.
        fine = _without_complaints(rows, bad, [wanted] * len(rows))
        columns = [_values(fine, name) for name in wanted]
    return _chunk_of(fine, bad, columns)


def mixed_chunk(rows: list[JsonRow], bad: list[Bad], wanted: Sequence[tuple[str, ...]], width: int) -> Chunk:
    """Rows with names of their own; those that say nothing of their arrival have their time in its place."""
    names = {row.line: each for row, each in zip(rows, wanted, strict=True)}
    fine = _without_complaints(rows, bad, wanted)
    values = [[reach(row.values, name) for name in names[row.line]] for row in fine]
    arrives = np.array([len(each) > width for each in values], np.bool_)
    if arrives.any():
        values = [each if len(each) > width else [*each, each[-1]] for each in values]
    columns = [list(column) for column in zip(*values, strict=True)] or [[] for _ in range(width)]
    return replace(_chunk_of(fine, bad, columns), arrives=arrives)


def _without_complaints(
    rows: list[JsonRow], bad: list[Bad], wanted: Iterable[Sequence[str]]
) -> list[JsonRow]:
    """The rows whose values columns can hold; the others are bad."""
    fine = []
    for row, names in zip(rows, wanted, strict=True):
        complaints = (_complaint(name, reach(row.values, name)) for name in names)
        complaint = next(filter(None, complaints), None)
        if complaint is None:
            fine.append(row)
        else:
            bad.append(Bad(row.line, complaint, row.text))
    return fine


def _chunk_of(rows: list[JsonRow], bad: list[Bad], columns: Sequence[list[object]]) -> Chunk:
    return Chunk(
        [array_of(values) for values in columns],
        lambda: np.array([row.line for row in rows], np.int64),
        lambda i: rows[i].text,
        bad=bad,
    )


def _values(rows: list[JsonRow], name: str) -> list[object]:
    if "." in name:
        return [reach(row.values, name) for row in rows]
    return [row.values.get(name, _NOTHING) for row in rows]


def _are_plain(values: list[object]) -> bool:
    """Whether it is clear at a glance that there is no complaint about any of these values."""
    kinds = set(map(type, values))
    if kinds == {int}:
        numbers: list[Any] = values
        return bool(min(numbers) > -_TOO_LONG and max(numbers) < _TOO_LONG)
    return kinds <= {str, float, bool, type(None)}


def _complaint(name: str, value: object) -> str | None:
    """A complaint about a value that no column can hold; None for others."""
    if value is _NOTHING:
        return f"lacks {name}"
    if isinstance(value, dict | list):
        return f"the value of {name} is {'an object' if isinstance(value, dict) else 'a list'}"
    if isinstance(value, int) and abs(value) >= _TOO_LONG:
        return f"the value of {name} has more than {MOST_DIGITS} digits"
    return None
