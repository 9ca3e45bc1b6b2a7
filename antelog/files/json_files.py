"""Files of JSON lines: every line is an object. A value is what JSON says: `7` a number, `"7"` a text.

A column may be mapped to a field within fields: `decoded.payload.temperature` is 21 in
`{"decoded": {"payload": {"temperature": 21}}}`, unless a field has that whole name itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import msgspec
import numpy as np

from antelog.arrow.arrays import MOST_DIGITS, array_of
from antelog.errors import DataError
from antelog.files.chunks import Bad, Chunk, no_rows
from antelog.files.columns import ColumnPositions, WantedColumns, places
from antelog.files.lines import Block, LineSplitter, pieces

_DECODER = msgspec.json.Decoder()
_NOTHING = object()
_TOO_LONG = 10**MOST_DIGITS
_LOOKED_AT = 100
"""In so many rows names of fields within fields are looked for, to be shown."""
_DEEPEST = 8
"""Fields that lie deeper are not shown."""


class _JsonRow(NamedTuple):
    """A row as there are millions of: that it is a tuple makes it cheap."""

    line: int
    data: bytes
    values: dict[str, Any]

    @property
    def text(self) -> str:
        return self.data.decode(errors="replace")


def json_chunks(
    stream: BinaryIO, path: Path | str, wanted: WantedColumns, _notes: list[str]
) -> Iterator[Chunk]:
    """The rows of a file of JSON lines. Raises DataError if its columns are not the wanted ones.

    The names of its columns are those that occur in the first block of lines.
    """
    rows = JsonRows(path, wanted, whole=True)
    for data in pieces(stream, path):
        yield from rows.feed(data)
    yield from rows.end()


class JsonRows:
    """Takes the bytes of a file of JSON lines as they come, and gives the rows that are whole.

    With the names of its columns, and the number of the next line, it goes on within a file. Of a `whole`
    file the first block has to have what columns are mapped to; otherwise that may come later.
    """

    def __init__(
        self,
        path: Path | str,
        wanted: WantedColumns,
        names: Sequence[str] = (),
        line: int = 1,
        *,
        whole: bool = False,
    ) -> None:
        self._path, self._wanted, self._whole = path, wanted, whole
        self._lines = LineSplitter(path, line)
        self.names = list(names)
        self._places = places(wanted, self.names, str(path)) if names else None

    @property
    def line(self) -> int:
        return self._lines.line

    @property
    def held(self) -> int | None:
        return len(self._lines.held)

    def feed(self, data: bytes) -> Iterator[Chunk]:
        return map(self._chunk, self._lines.feed(data))

    def end(self) -> Iterator[Chunk]:
        return map(self._chunk, self._lines.end())

    def _chunk(self, block: Block) -> Chunk:
        if block.first == 1 and block.data.lstrip().startswith(b"["):
            raise DataError(f"{self._path}: is a JSON list; write each of its objects on a line of its own")
        return self.chunk(enumerate(block.lines(), block.first))

    def chunk(self, lines: Iterable[tuple[int, bytes]]) -> Chunk:
        """The rows of lines with their numbers; lines that are empty are none."""
        rows, bad = _rows(lines)
        if self._places is None and rows:
            self.names, self._places = self._found(rows)
            return replace(_chunk(rows, bad, self.names, self._places), misfit=self._places.misfit)
        return (
            no_rows(self._wanted, bad)
            if self._places is None
            else _chunk(rows, bad, self.names, self._places)
        )

    def _found(self, rows: list[_JsonRow]) -> tuple[list[str], ColumnPositions]:
        """The names in some rows, with what is mapped and there, and where the wanted ones are."""
        names = list(dict.fromkeys(name for row in rows for name in row.values))
        if self._whole:  # what has only fields within it is no column, but a part of paths
            names = [name for name in names if not all(_is_around(row, name) for row in rows)]
        for _, name in self._wanted.called:
            there = not self._whole or any(reach(row.values, name) is not _NOTHING for row in rows)
            if name not in names and there:
                names.append(name)
        inner = (path for row in rows[:_LOOKED_AT] for path in _paths(row.values))
        return names, places(self._wanted, names, str(self._path), inner)


def _is_around(row: _JsonRow, name: str) -> bool:
    return isinstance(row.values.get(name, {}), dict)


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


def _paths(values: dict[str, Any], before: str = "", depth: int = 0) -> Iterator[str]:
    """The paths of the fields within fields."""
    for name, value in values.items():
        if isinstance(value, dict) and depth < _DEEPEST:
            yield from _paths(value, f"{before}{name}.", depth + 1)
        elif depth and not isinstance(value, list):
            yield f"{before}{name}"


def _rows(lines: Iterable[tuple[int, bytes]]) -> tuple[list[_JsonRow], list[Bad]]:
    rows: list[_JsonRow] = []
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
            rows.append(_JsonRow(number, line, values))
        else:
            bad.append(Bad(number, "is not a JSON object", line.decode(errors="replace")))
    return rows, bad


def _chunk(rows: list[_JsonRow], bad: list[Bad], names: Sequence[str], at: ColumnPositions) -> Chunk:
    wanted = [names[i] for i in at.all]
    columns = [_values(rows, name) for name in wanted]
    fine = rows
    if not all(map(_are_plain, columns)):
        # Something is wrong with some rows, which is seldom; so each is looked at only then.
        fine = []
        for row in rows:
            complaints = (_complaint(name, reach(row.values, name)) for name in wanted)
            complaint = next(filter(None, complaints), None)
            if complaint is None:
                fine.append(row)
            else:
                bad.append(Bad(row.line, complaint, row.text))
        columns = [_values(fine, name) for name in wanted]
    return Chunk(
        [array_of(values) for values in columns],
        lambda: np.array([row.line for row in fine], np.int64),
        lambda i: fine[i].text,
        bad=bad,
    )


def _values(rows: list[_JsonRow], name: str) -> list[object]:
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
