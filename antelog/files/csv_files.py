"""CSV files, as RFC 4180 has them: the first row has the names of the columns.

A block of rows is parsed as a whole. If anything is odd about one of them, the block is parsed
again row by row, so that a bad row costs nothing but itself. A value in quotes may go on over
line breaks; a row with a quote that is not closed is set aside, with all lines it takes.
"""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.csv as arrow_csv
from numpy.typing import NDArray

from antelog.errors import DataError
from antelog.files.cells import NUMBERS
from antelog.files.chunks import Chunk, RowReader
from antelog.files.columns import ColumnPositions, WantedColumns, by_position, places
from antelog.files.records import Bad, Block, Grammar, Row, breaks, grammar_of, separator_of
from antelog.files.times import looks_like_time
from antelog.language.durations import ticks_of

_HEAD = 1 << 16
"""The first bytes of a file, this many, tell what separates the values."""


@dataclass(frozen=True)
class FirstLine:
    """The first row of a file: the names of its columns, or already a fact, with the columns' places.

    `rest` are the facts that were read with it.
    """

    separator: str
    values: list[str]
    row: ColumnPositions | None
    rest: Block


@dataclass(frozen=True)
class RowLayout:
    """The grammar, width and column positions of a file."""

    grammar: Grammar
    width: int
    places: ColumnPositions


def csv_chunks(
    stream: BinaryIO, path: Path | str, wanted: WantedColumns, notes: list[str]
) -> Iterator[Chunk]:
    """The rows of a CSV file; what its user should know of how it was read goes to `notes`.

    Raises DataError if its columns are not the wanted ones.
    """
    return _WholeCsv(path, wanted, notes).all(stream)


class _WholeCsv(RowReader):
    """Reads a whole CSV file, whose first line says what separates values."""

    def __init__(self, path: Path | str, wanted: WantedColumns, notes: list[str]) -> None:
        super().__init__(path, wanted)
        self._notes = notes
        self._layout: RowLayout | None = None
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
        if self._layout is None:
            assert self.lines.grammar is not None
            first = _first(self.lines.grammar, block, self._path, self._wanted)
            if first is None:
                return
            self._layout, block = self._begin(self.lines.grammar, first), first.rest
        chunk = block_chunk(block, self._layout)
        if not self._sure and len(chunk.columns[0]):
            # The first rows say whether columns that were matched by position are the wanted ones.
            self._sure, chunk = True, replace(chunk, misfit=self._layout.places.misfit)
        yield chunk

    def _begin(self, grammar: Grammar, first: FirstLine) -> RowLayout:
        at = first.row or places(self._wanted, first.values, str(self._path))
        if first.row is None and not at.named and not self._wanted.timed:
            self._notes.append(
                f"{self._path}: its first line is taken for names, none of which {self._wanted.name} has"
            )
        return RowLayout(grammar, len(first.values), at)


def first_line(head: bytes, path: Path | str, wanted: WantedColumns) -> FirstLine | None:
    """The first line of a file, from its first bytes: a header or a row; None if there is no row."""
    grammar = grammar_of(separator_of(head + b"\n") or ",")
    return _first(grammar, Block(1, head + b"\n"), path, wanted)


def _first(grammar: Grammar, block: Block, path: Path | str, wanted: WantedColumns) -> FirstLine | None:
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
    return FirstLine(grammar.separator, names, at, Block(line, block.data[begin:], block.lost))


def _is_row(values: list[str], at: ColumnPositions, wanted: WantedColumns) -> bool:
    """Whether the first line must be a row, for there is a number where the name of a time would be."""
    if wanted.timed:
        return looks_like_time(values[at.columns[-1]])
    numbers = [value for value, type_ in zip(values, wanted.value_types, strict=True) if type_ in NUMBERS]
    return bool(numbers) and (looks_like_time(numbers[0]) or ticks_of(numbers[0], 1) is not None)


def block_chunk(block: Block, layout: RowLayout) -> Chunk:
    """The rows of a block."""
    return _fast(block, layout) or _slow(block, layout)


# ---- a block at once ----


def _fast(block: Block, layout: RowLayout) -> Chunk | None:
    """The rows of a block, or None if anything in it needs a closer look."""
    quotes = b'"' in block.data
    if quotes and layout.grammar.flat.fullmatch(block.data) is None:
        return None
    if block.data.startswith(BOM_UTF8):  # the reader would take it for that of a file, and leave it out
        return None
    names = [str(i) for i in range(layout.width)]
    used = [names[i] for i in layout.places.all]
    try:
        table = arrow_csv.read_csv(
            pa.BufferReader(block.data),
            arrow_csv.ReadOptions(use_threads=False, block_size=len(block.data) + 1, column_names=names),
            arrow_csv.ParseOptions(delimiter=layout.grammar.separator),
            arrow_csv.ConvertOptions(column_types=dict.fromkeys(used, pa.string()), include_columns=used),
        )
    except pa.ArrowInvalid:  # a row has another number of values, or is not UTF-8
        return None
    columns = [table.column(name).combine_chunks() for name in used]
    return Chunk(
        columns,
        lambda: _lines(block, table.num_rows),
        str,
        True,
        block.lost,
        again=lambda: _slow(block, layout),
    )


def _lines(block: Block, rows: int) -> NDArray[np.int64]:
    """The lines of a block's rows, which are those that are not empty."""
    ends = block.data.count(b"\n") + (not block.data.endswith(b"\n"))
    if rows == ends and block.data.count(b"\r") == block.data.count(b"\r\n"):
        return np.arange(block.first, block.first + rows)
    return block.first + np.flatnonzero([bool(line) for line in block.data.splitlines()])


# ---- row by row ----


def _slow(block: Block, layout: RowLayout) -> Chunk:
    rows, bad = list[Row](), [*block.lost]
    columns: list[list[str]] = [[] for _ in layout.places.all]
    for row in layout.grammar.rows(block):
        text, values = row.text, row.values
        if not text or (layout.width > 1 and text.isspace()):
            continue
        if values is None:
            bad.append(row.unclosed)
        elif len(values) != layout.width:
            count = "1 value" if len(values) == 1 else f"{len(values)} values"
            bad.append(Bad(row.line, f"has {count}, not {layout.width}", text))
        elif not all(_is_unicode(values[i]) for i in layout.places.all):
            bad.append(Bad(row.line, "is not UTF-8 text", text))
        else:
            rows.append(row)
            for i, column in zip(layout.places.all, columns, strict=True):
                column.append(values[i])
    lines = np.array([row.line for row in rows], np.int64)
    arrays = [pa.array(column, pa.string()) for column in columns]
    return Chunk(arrays, lambda: lines, lambda i: rows[i].text, True, bad)


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
