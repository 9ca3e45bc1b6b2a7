"""CSV files, as RFC 4180 has them: the first row has the names of the columns.

Arrow parses a block of rows as a whole. A block it refuses, or in which a quote is odd, is parsed by `csv`
row by row, so that a bad row costs nothing but itself. In what goes on (a growing file, standard input,
messages) any line with the names of all columns is a header, and lines before the first are set aside.
"""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import groupby

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.csv as arrow_csv
from numpy.typing import NDArray

from antelog.errors import DataError
from antelog.files.cells import NUMBERS, looks_like_time
from antelog.files.chunks import Chunk, RowReader, no_rows
from antelog.files.columns import Advice, ColumnPositions, WantedColumns, by_position, places
from antelog.files.json_files import JsonRows
from antelog.files.records import Bad, Block, Grammar, Row, breaks, grammar_of, separator_of, text_of
from antelog.files.remote import FilePath
from antelog.language.durations import ticks_of

_HEAD = 1 << 16  # the first bytes of a file, which tell what separates the values


class CsvHeader(msgspec.Struct, frozen=True):
    """The names of the columns of CSV, and the separator of its values; a mark has it."""

    separator: str
    names: tuple[str, ...]


@dataclass(frozen=True)
class FirstLine:
    """The header in the first row of a file, or the columns' positions if that is a fact; and the rest."""

    header: CsvHeader
    row: ColumnPositions | None
    rest: Block


# ---- whole files ----


class WholeCsv(RowReader):
    """Reads a whole CSV file, with notes for its user. Raises DataError if it has not the wanted columns."""

    def __init__(self, path: FilePath | str, wanted: WantedColumns, notes: list[str]) -> None:
        super().__init__(path, wanted)
        self._notes = notes
        self._header: CsvHeader | None = None
        self._at: ColumnPositions | None = None
        self._sure = False

    def feed(self, data: bytes) -> Iterator[Chunk]:
        if self.lines.grammar is None:
            data, self.lines.rest = self.lines.rest + data, b""
            separator = separator_of(data[:_HEAD])
            if separator is None and len(data) < _HEAD:
                self.lines.rest = data
                return
            self.lines.grammar = grammar_of(separator or ",")
        yield from super().feed(data)

    def end(self) -> Iterator[Chunk]:
        if self.lines.grammar is None:
            self.lines.grammar = grammar_of(separator_of(self.lines.rest + b"\n") or ",")
        yield from super().end()

    def _chunks(self, block: Block) -> Iterator[Chunk]:
        if self._header is None or self._at is None:
            assert self.lines.grammar is not None
            first = _first(self.lines.grammar, block, self._path, self._wanted)
            if first is None:
                return
            self._header, block = first.header, first.rest
            self._at = first.row or places(self._wanted, first.header.names, str(self._path))
            if first.row is None and not self._at.named and not self._wanted.timed:
                note = f"its first line is taken for names, none of which {self._wanted.name} has"
                self._notes.append(f"{self._path}: {note}")
        chunk = block_chunk(block, self._header, self._at)
        if not self._sure and len(chunk.columns[0]):
            # The first rows say whether columns that were matched by position are the wanted ones.
            self._sure, chunk = True, replace(chunk, misfit=self._at.misfit)
        yield chunk


def first_line(head: bytes, path: FilePath | str, wanted: WantedColumns) -> FirstLine | None:
    """The first line of a file, from its first bytes: a header or a row; None if there is no row."""
    grammar = grammar_of(separator_of(head + b"\n") or ",")
    return _first(grammar, Block(1, head + b"\n"), path, wanted)


def _first(grammar: Grammar, block: Block, path: FilePath | str, wanted: WantedColumns) -> FirstLine | None:
    """The first row of a block that is not empty."""
    row = next((each for each in grammar.rows(block) if each.data.strip()), None)
    if block.lost and (row is None or block.lost[0].line < row.line):
        raise DataError(f"{path}: the first line: {block.lost[0].detail}")
    rest = block.data.lstrip()
    if row is None and not rest:
        return None
    row = row or Row(grammar, rest, block.first + breaks(block.data) - breaks(rest))
    if (values := row.values) is None:
        raise DataError(f"{path}: the first line: {row.unclosed.detail}")
    names = [value.strip() for value in values]
    if not all(map(_is_unicode, names)):
        raise DataError(f"{path}:{row.line}: is not UTF-8 text; save the file as UTF-8")
    plain = by_position(wanted, len(names))
    named = any(name in names for _, name in wanted.called)
    at = plain if plain and not named and _is_row(names, plain, wanted) else None
    begin, line = (row.begin, row.line) if at else (row.end, row.line + breaks(row.data))
    header = CsvHeader(grammar.separator, tuple(names))
    return FirstLine(header, at, Block(line, block.data[begin:], block.lost))


def _is_row(values: list[str], at: ColumnPositions, wanted: WantedColumns) -> bool:
    """Whether the first line must be a row, since it has a number where the name of a time would be."""
    if wanted.timed:
        return looks_like_time(values[at.columns[-1]])
    numbers = [value for value, type_ in zip(values, wanted.value_types, strict=True) if type_ in NUMBERS]
    return bool(numbers) and (looks_like_time(numbers[0]) or ticks_of(numbers[0], 1) is not None)


# ---- what goes on ----


class CsvRows(RowReader):
    """Reads CSV rows, each under the last header before it; with `json`, lines before may be JSON.

    With a `header` and the number of the next line, it goes on within a file. A file without a header has the
    `header` of the one before, if its first line is a row of it: a log that was cut in place.
    """

    def __init__(
        self,
        path: FilePath | str,
        advice: Advice,
        line: int = 1,
        header: CsvHeader | None = None,
        json: JsonRows | None = None,
    ) -> None:
        super().__init__(path, advice.wanted, line)
        self._advice, self._json = advice, json
        self._names = [name.encode() for name in advice.wanted.required] if advice.wanted.declared else []
        self.header: CsvHeader | None = header
        self._at: ColumnPositions | None = None
        if header is not None and line > 1:
            self._begin(header)

    def _chunks(self, block: Block) -> Iterator[Chunk]:
        if block.lost:
            yield no_rows(self._wanted, block.lost)
        yield from self._before_header(block) if self._at is None else self._under_headers(block)

    def _begin(self, header: CsvHeader) -> None:
        self.header, self._at = header, self._positions(header.names)
        self.lines.grammar = grammar_of(header.separator)

    def _positions(self, names: Sequence[str]) -> ColumnPositions:
        return places(self._wanted, names, str(self._path), whole=False)

    # ---- before the first header ----

    def _before_header(self, block: Block) -> Iterator[Chunk]:
        """Looks for the header in some lines; those before it are set aside."""
        lines, at = block.data.splitlines(keepends=True), 0
        for is_json, group in groupby(lines, self._is_json):
            numbered = list(enumerate(group, block.first + at))
            at += len(numbered)
            if self._json is not None and is_json:
                yield self._json.chunk(numbered)
                continue
            bad = list[Bad]()
            for number, line in numbered:
                found = self._first(line, number) if line.strip() else ""
                if not isinstance(found, str):
                    header, first = found
                    if bad:
                        yield no_rows(self._wanted, bad)
                    self._begin(header)
                    data = b"".join([*lines[first - block.first :], self.lines.rest])
                    self.lines.rest, self.lines.line = b"", first
                    yield from self.feed(data)
                    return
                if found:
                    bad.append(Bad(number, found, line.decode(errors="replace").rstrip("\r\n")))
            if bad:
                yield no_rows(self._wanted, bad)

    def _is_json(self, line: bytes) -> bool:
        # Of columns without names any line of CSV could be the first: then what has been read decides.
        json, declared = self._json, self._wanted.declared
        return json is not None and (line.lstrip().startswith(b"{") or (json.fits and not declared))

    def _first(self, line: bytes, number: int) -> tuple[CsvHeader, int] | str:
        """The header that a line is, or a row of, and the first line of rows; or why it is neither."""
        wanted, before = self._wanted, self.header
        self.header = None
        try:
            first = first_line(line, self._path, wanted)
            assert first is not None
            header = first.header
            if first.row is not None and not wanted.declared:
                unnamed = (*wanted.columns, wanted.arrival)[: len(header.names)]
                return CsvHeader(header.separator, unnamed), number
            if all(name in line for name in self._names):
                self._positions(header.names)
                return header, number + 1
            if before is not None and self._is_row(header.names, before):
                return before, number
        except DataError as error:
            return str(error).removeprefix(f"{self._path}: ")
        self._advice.lacks(header.names, str(self._path), number)
        return f"comes before a header, a line with the names {', '.join(wanted.required)}"

    def _is_row(self, values: Sequence[str], header: CsvHeader) -> bool:
        time = self._positions(header.names).columns[-1]
        return len(values) == len(header.names) and looks_like_time(values[time])

    # ---- behind it ----

    def _under_headers(self, block: Block) -> Iterator[Chunk]:
        """The rows of a block, each part of it under its own header."""
        assert self.header is not None
        assert self._at is not None
        begin, first = 0, block.first
        if self._names and all(name in block.data for name in self._names):
            for row in grammar_of(self.header.separator).rows(block):
                found = self._header(row)
                if found is not None:
                    if row.begin > begin:
                        part = Block(first, block.data[begin : row.begin])
                        yield block_chunk(part, self.header, self._at)
                    self.header, self._at = found
                    begin, first = row.end, row.line + breaks(row.data)
        if begin < len(block.data):
            yield block_chunk(Block(first, block.data[begin:]), self.header, self._at)

    def _header(self, row: Row) -> tuple[CsvHeader, ColumnPositions] | None:
        """The header that a row is, if it has all names, and where the columns are."""
        if not all(name in row.data for name in self._names) or (values := row.values) is None:
            return None
        names = tuple(value.strip() for value in values)
        try:
            return CsvHeader(row.grammar.separator, names), self._positions(names)
        except DataError:
            return None


# ---- the rows of a block ----


def block_chunk(block: Block, header: CsvHeader, at: ColumnPositions) -> Chunk:
    """The rows of a block, by Arrow, or by `csv` if anything in it needs a second look."""
    return _by_arrow(block, header, at) or _by_csv(block, header, at)


def _by_arrow(block: Block, header: CsvHeader, at: ColumnPositions) -> Chunk | None:
    if b'"' in block.data and grammar_of(header.separator).flat.fullmatch(block.data) is None:
        return None
    if block.data.startswith(BOM_UTF8):  # the reader would take it for that of a file, and leave it out
        return None
    names = [str(i) for i in range(len(header.names))]
    used = [names[i] for i in at.all]
    try:
        table = arrow_csv.read_csv(
            pa.BufferReader(block.data),
            arrow_csv.ReadOptions(use_threads=False, block_size=len(block.data) + 1, column_names=names),
            arrow_csv.ParseOptions(delimiter=header.separator),
            arrow_csv.ConvertOptions(column_types=dict.fromkeys(used, pa.string()), include_columns=used),
        )
    except pa.ArrowInvalid:  # a row has another number of values, or is not UTF-8
        return None
    columns = [table.column(name).combine_chunks() for name in used]

    @cache
    def rows() -> list[tuple[int, bytes]]:
        """The rows that are not empty, with their lines."""
        return [each for each in enumerate(block.data.splitlines(), block.first) if each[1]]

    def lines() -> NDArray[np.int64]:
        ends = breaks(block.data) + (not block.data.endswith(b"\n"))
        returns = block.data.count(b"\r") if b"\r" in block.data else 0
        if table.num_rows == ends and (not returns or returns == block.data.count(b"\r\n")):
            return np.arange(block.first, block.first + ends)
        return np.array([line for line, _ in rows()], np.int64)

    return Chunk(columns, lines, lambda i: text_of(rows()[i][1]), True, block.lost)


def _by_csv(block: Block, header: CsvHeader, at: ColumnPositions) -> Chunk:
    texts, numbers, bad = list[str](), list[int](), [*block.lost]
    width, columns = len(header.names), [list[str]() for _ in at.all]
    for row in grammar_of(header.separator).rows(block):
        text, values = row.text, row.values
        if not text or (width > 1 and text.isspace()):
            continue
        if values is None:
            bad.append(row.unclosed)
        elif len(values) != width:
            count = "1 value" if len(values) == 1 else f"{len(values)} values"
            bad.append(Bad(row.line, f"has {count}, not {width}", text))
        elif not all(_is_unicode(values[i]) for i in at.all):
            bad.append(Bad(row.line, "is not UTF-8 text", text))
        else:
            texts.append(text)
            numbers.append(row.line)
            for i, column in zip(at.all, columns, strict=True):
                column.append(values[i])
    arrays = [pa.array(column, pa.string()) for column in columns]
    return Chunk(arrays, lambda: np.array(numbers, np.int64), texts.__getitem__, True, bad)


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
