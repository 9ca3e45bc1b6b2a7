"""Files of JSON lines: every line is an object. A value is what JSON says: `7` a number, `"7"` a text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import msgspec
import numpy as np

from antelog.engine.facts.rows import MOST_DIGITS, array_of
from antelog.errors import DataError
from antelog.files.chunks import Bad, Chunk, no_rows
from antelog.files.columns import Places, Wanted, places
from antelog.files.lines import Block, Lines, pieces

_DECODER = msgspec.json.Decoder()
_NOTHING = object()
_TOO_LONG = 10**MOST_DIGITS


@dataclass(frozen=True)
class _Row:
    line: int
    text: str
    values: dict[str, Any]


def json_chunks(stream: BinaryIO, path: Path | str, wanted: Wanted, _notes: list[str]) -> Iterator[Chunk]:
    """The rows of a file of JSON lines. Raises DataError if its columns are not the wanted ones.

    The names of its columns are those that occur in the first block of lines.
    """
    rows = JsonRows(path, wanted)
    for data in pieces(stream, path):
        yield from rows.feed(data)
    yield from rows.end()


class JsonRows:
    """Takes the bytes of a file of JSON lines as they come, and gives the rows that are whole.

    With the names of its columns, and the number of the next line, it goes on within a file.
    """

    def __init__(self, path: Path | str, wanted: Wanted, names: Sequence[str] = (), line: int = 1) -> None:
        self._path, self._wanted = path, wanted
        self._lines = Lines(path, line)
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
            self.names = list(dict.fromkeys(name for row in rows for name in row.values))
            self._places = places(self._wanted, self.names, str(self._path))
        return (
            no_rows(self._wanted, bad)
            if self._places is None
            else _chunk(rows, bad, self.names, self._places)
        )


def _rows(lines: Iterable[tuple[int, bytes]]) -> tuple[list[_Row], list[Bad]]:
    rows: list[_Row] = []
    bad: list[Bad] = []
    for number, line in lines:
        if not line.strip():
            continue
        text = line.decode(errors="replace")
        try:
            values = _DECODER.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            bad.append(Bad(number, f"is not JSON: {error}", text))
            continue
        if isinstance(values, dict):
            rows.append(_Row(number, text, values))
        else:
            bad.append(Bad(number, "is not a JSON object", text))
    return rows, bad


def _chunk(rows: list[_Row], bad: list[Bad], names: Sequence[str], at: Places) -> Chunk:
    wanted = [names[i] for i in at.all]
    fine: list[_Row] = []
    for row in rows:
        complaint = next(
            filter(None, (_complaint(name, row.values.get(name, _NOTHING)) for name in wanted)), None
        )
        if complaint is None:
            fine.append(row)
        else:
            bad.append(Bad(row.line, complaint, row.text))
    columns = [array_of([row.values[name] for row in fine]) for name in wanted]
    return Chunk(
        columns, lambda: np.array([row.line for row in fine], np.int64), lambda i: fine[i].text, bad=bad
    )


def _complaint(name: str, value: object) -> str | None:
    """What is wrong with a value whatever its column is."""
    if value is _NOTHING:
        return f"lacks {name}"
    if isinstance(value, dict | list):
        return f"the value of {name} is {'an object' if isinstance(value, dict) else 'a list'}"
    if isinstance(value, int) and abs(value) >= _TOO_LONG:
        return f"the value of {name} has more than {MOST_DIGITS} digits"
    return None
