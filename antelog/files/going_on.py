"""Rows of what goes on: a growing file, standard input, messages. Names decide, record by record.

    {"event": "start"}                              set aside: lacks device, time
    {"device": "wt2", "time": 7}                    a row
    {"device": "wt2", "time": 8, "arrival": 9}      a row that says when it arrived

Nothing is fixed by a first record. In CSV a line with the names of all columns is a header, wherever it
stands; lines before the first header are set aside. Columns that are not declared go by position.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

import msgspec

from antelog.errors import DataError
from antelog.files.chunks import Chunk, RowReader, no_rows
from antelog.files.columns import WantedColumns, by_position, places
from antelog.files.csv_files import RowLayout, block_chunk, first_line
from antelog.files.json_files import JsonLines, JsonRow, json_chunk, json_rows, mixed_chunk, paths
from antelog.files.records import Bad, Block, Row, breaks, grammar_of
from antelog.files.times import looks_like_time

_KINDS = 1_000
"""The kinds of JSON objects, by their names, that are known at a time."""


@dataclass(eq=False)
class Advice:
    """A note on the first record whose columns seem to have other names: what it has, and what to write."""

    wanted: WantedColumns
    notes: list[str]
    given: bool = False

    def lacks(self, names: Sequence[str], file: str, line: int, inner: Iterable[str] = ()) -> None:
        few = len(names) < len(self.wanted.columns)
        if self.given or (few and not any(name in names for name in self.wanted.required)):
            return  # it says something else
        try:
            places(self.wanted, names, file, inner, whole=False)
        except DataError as error:
            self.given = True
            self.notes.append(f"{str(error).rstrip('.')}; records without them are set aside, as line {line}")


class JsonRows(JsonLines):
    """Reads JSON objects, each matched by its own names. `fits` says whether one had all columns."""

    def __init__(self, path: Path | str, advice: Advice, line: int = 1) -> None:
        super().__init__(path, advice.wanted, line)
        self._advice = advice
        self._known: dict[tuple[str, ...], tuple[str, ...] | str] = {}
        self.fits = False

    def chunk(self, lines: Iterable[tuple[int, bytes]]) -> Chunk:
        rows, bad = json_rows(lines)
        fit: list[JsonRow] = []
        used: list[tuple[str, ...]] = []
        for row in rows:
            found = self._used(row)
            if isinstance(found, str):
                bad.append(Bad(row.line, found, row.text))
            else:
                fit.append(row)
                used.append(found)
        self.fits = self.fits or bool(fit)
        if not fit:
            return no_rows(self._wanted, bad)
        if len(set(used)) == 1:
            return json_chunk(fit, bad, used[0])
        return mixed_chunk(fit, bad, used, len(self._wanted.columns))

    def _used(self, row: JsonRow) -> tuple[str, ...] | str:
        """The names of the wanted columns in an object, and of its arrival; or why it cannot be used."""
        names = tuple(row.values)
        found = self._known.get(names)
        if found is None:
            if len(self._known) >= _KINDS:
                self._known.clear()
            found = self._known[names] = self._matched(row, names)
        return found

    def _matched(self, row: JsonRow, names: tuple[str, ...]) -> tuple[str, ...] | str:
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


class CsvHeader(msgspec.Struct, frozen=True):
    """The names of the columns of CSV, and what separates its values; a mark has it."""

    separator: str
    names: tuple[str, ...]


class CsvRows(RowReader):
    """Reads CSV rows, each under the last header before it.

    With a `header`, and the number of the next line, it goes on within a file. A file that begins without a
    header has the `header` of the one before, if its first line is a row of it: a log that was cut in place.
    With `json`, lines that begin with `{` are JSON until there is a header of CSV.
    """

    def __init__(
        self,
        path: Path | str,
        advice: Advice,
        line: int = 1,
        header: CsvHeader | None = None,
        json: JsonRows | None = None,
    ) -> None:
        super().__init__(path, advice.wanted, line)
        self._advice, self._json = advice, json
        self._names = [name.encode() for name in advice.wanted.required] if advice.wanted.declared else []
        self._layout: RowLayout | None = None
        self.header = header
        if header is not None and line > 1:
            self._begin(header)

    def _chunks(self, block: Block) -> Iterator[Chunk]:
        if block.lost:
            yield no_rows(self._wanted, block.lost)
        yield from self._before_header(block) if self._layout is None else self._under_headers(block)

    def _begin(self, header: CsvHeader) -> None:
        self.header, self._layout = header, self._layout_of(header)
        self.lines.grammar = self._layout.grammar

    def _layout_of(self, header: CsvHeader) -> RowLayout:
        at = places(self._wanted, header.names, str(self._path), whole=False)
        return RowLayout(grammar_of(header.separator), len(header.names), at)

    # ---- before the first header ----

    def _before_header(self, block: Block) -> Iterator[Chunk]:
        """Looks for the header in some lines; those before it are set aside."""
        at, number = 0, block.first
        for is_json, group in groupby(block.data.splitlines(keepends=True), self._is_json):
            lines, bad = list(group), list[Bad]()
            if self._json is not None and is_json:
                yield self._json.chunk(enumerate(lines, number))
            for line in () if is_json else lines:
                found = self._first(line, number) if line.strip() else ""
                if isinstance(found, _Beginning):
                    if bad:
                        yield no_rows(self._wanted, bad)
                    self._begin(found.header)
                    behind = 0 if found.is_row else len(line)
                    data, self.lines.rest = block.data[at + behind :] + self.lines.rest, b""
                    self.lines.line = number if found.is_row else number + 1
                    yield from self.feed(data)
                    return
                if found:
                    bad.append(Bad(number, found, line.decode(errors="replace").rstrip("\r\n")))
                at, number = at + len(line), number + 1
            if is_json:
                at, number = at + sum(map(len, lines)), number + len(lines)
            elif bad:
                yield no_rows(self._wanted, bad)

    def _is_json(self, line: bytes) -> bool:
        # Of columns without names any line of CSV could be the first: then what has been read decides.
        json, declared = self._json, self._wanted.declared
        return json is not None and (line.lstrip().startswith(b"{") or (json.fits and not declared))

    def _first(self, line: bytes, number: int) -> _Beginning | str:
        """The header that a line is, or that it is a row of; or why it is neither."""
        wanted, before = self._wanted, self.header
        self.header = None
        try:
            first = first_line(line, self._path, wanted)
            assert first is not None
            header = CsvHeader(first.separator, tuple(first.values))
            if first.row is not None and not wanted.declared:
                unnamed = (*wanted.columns, wanted.arrival)[: len(first.values)]
                return _Beginning(CsvHeader(first.separator, unnamed), is_row=True)
            if all(name in line for name in self._names):
                places(wanted, first.values, str(self._path), whole=False)
                return _Beginning(header)
            if before is not None and self._is_row(first.values, before):
                return _Beginning(before, is_row=True)
        except DataError as error:
            return str(error).removeprefix(f"{self._path}: ")
        self._advice.lacks(first.values, str(self._path), number)
        return f"comes before a header, a line with the names {', '.join(wanted.required)}"

    def _is_row(self, values: Sequence[str], header: CsvHeader) -> bool:
        time = self._layout_of(header).places.columns[-1]
        return len(values) == len(header.names) and looks_like_time(values[time])

    # ---- behind it ----

    def _under_headers(self, block: Block) -> Iterator[Chunk]:
        """The rows of a block, each part of it under its own header."""
        assert self._layout is not None
        begin, first = 0, block.first
        if self._names and all(name in block.data for name in self._names):
            for row in self._layout.grammar.rows(block):
                header = self._header(row)
                if header is not None:
                    if row.begin > begin:
                        yield block_chunk(Block(first, block.data[begin : row.begin]), self._layout)
                    self.header, self._layout = header, self._layout_of(header)
                    begin, first = row.end, row.line + breaks(row.data)
        if begin < len(block.data):
            yield block_chunk(Block(first, block.data[begin:]), self._layout)

    def _header(self, row: Row) -> CsvHeader | None:
        """The header that a row is, if it has all names."""
        if not all(name in row.data for name in self._names) or (values := row.values) is None:
            return None
        header = CsvHeader(row.grammar.separator, tuple(value.strip() for value in values))
        try:
            self._layout_of(header)
        except DataError:
            return None
        return header


@dataclass(frozen=True)
class _Beginning:
    """The header of a file, and whether the line that showed it is a row already."""

    header: CsvHeader
    is_row: bool = False
