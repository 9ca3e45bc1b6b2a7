"""CSV files, as RFC 4180 has them: the first row has the names of the columns.

A block of rows is parsed as a whole. If anything is odd about one of them, the block is parsed
again row by row, so that a bad row costs nothing but itself. A value in quotes may go on over
line breaks; a row with a quote that is not closed is set aside, with all lines it takes.
"""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.csv as arrow_csv
from numpy.typing import NDArray

from antelog.errors import DataError
from antelog.files.cells import NUMBERS
from antelog.files.chunks import Chunk
from antelog.files.columns import ColumnPositions, WantedColumns, by_position, places
from antelog.files.lines import Bad, Block, breaks, pieces
from antelog.files.records import Grammar, Records, Unclosed, grammar_of, separator_of
from antelog.files.times import looks_like_time
from antelog.language.durations import ticks_of


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
    rows = _WholeCsv(path, wanted, notes)
    for data in pieces(stream, path):
        yield from rows.feed(data)
    yield from rows.end()


class _WholeCsv:
    """Takes the bytes of a whole CSV file as they come, and gives the rows that are whole."""

    def __init__(self, path: Path | str, wanted: WantedColumns, notes: list[str]) -> None:
        self._path, self._wanted, self._notes = path, wanted, notes
        self._layout: RowLayout | None = None
        self._sure = False
        self._records = Records()

    def feed(self, data: bytes) -> Iterator[Chunk]:
        return self._chunks(self._records.feed(data))

    def end(self) -> Iterator[Chunk]:
        return self._chunks(self._records.end())

    def _chunks(self, found: Iterable[tuple[Grammar, Block]]) -> Iterator[Chunk]:
        for grammar, block in found:
            rest = block
            if self._layout is None:
                first = _first(grammar, block, self._path, self._wanted)
                if first is None:
                    continue
                self._layout = self._begin(grammar, first)
                rest = first.rest
            yield self._doubted(block_chunk(rest, self._layout))

    def _doubted(self, chunk: Chunk) -> Chunk:
        """The first rows say whether columns that were matched by position are the wanted ones."""
        assert self._layout is not None
        if self._sure or not len(chunk.columns[0]):
            return chunk
        self._sure = True
        return replace(chunk, misfit=self._layout.places.misfit)

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
    at, line = 0, block.first
    while (found := grammar.one.match(block.data, at)) is not None and not found[0].strip():
        at, line = found.end(), line + breaks(found[0])
    if block.lost and (found is None or block.lost[0].line < line):
        raise DataError(f"{path}: the first line: {block.lost[0].detail}")
    if found is None:
        if block.data[at:].strip():
            raise DataError(f"{path}: the first line: {grammar.unclosed(block.data[at:], line)}")
        return None
    values = grammar.row(found[0], line).values
    if isinstance(values, Unclosed):
        raise DataError(f"{path}: the first line: {values}")
    names = [value.strip() for value in values]
    if not all(map(_is_unicode, names)):
        raise DataError(f"{path}:{line}: is not UTF-8 text; save the file as UTF-8")
    plain = by_position(wanted, len(names))
    named = any(name in names for _, name in wanted.called)
    row = plain if plain and not named and _is_row(names, plain, wanted) else None
    after = found.end()
    begin, next_line = (at, line) if row else (after, line + breaks(found[0]))
    rest = Block(next_line, block.data[begin:], block.lost)
    return FirstLine(grammar.separator, names, row, rest)


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
    if quotes and not layout.grammar.is_orderly(block.data):
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
    if quotes and table.num_rows != sum(map(bool, block.lines())):
        return None  # a row has several lines
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
    return block.first + np.flatnonzero([bool(line) for line in block.lines()])


# ---- row by row ----


@dataclass(frozen=True)
class _CsvRow:
    line: int
    text: str
    used: list[str]


def _slow(block: Block, layout: RowLayout) -> Chunk:
    rows: list[_CsvRow] = []
    bad = [*block.lost]
    for row in layout.grammar.rows(block):
        if not row.text or (layout.width > 1 and row.text.isspace()):
            continue
        if isinstance(row.values, Unclosed):
            bad.append(Bad(row.values.line, str(row.values), row.values.text))
            continue
        used = [row.values[i] for i in layout.places.all] if len(row.values) == layout.width else []
        if not used:
            bad.append(Bad(row.line, f"has {_count(len(row.values))}, not {layout.width}", row.text))
        elif not all(map(_is_unicode, used)):
            bad.append(Bad(row.line, "is not UTF-8 text", row.text))
        else:
            rows.append(_CsvRow(row.line, row.text, used))
    return _rows_of(rows, layout, bad)


def _rows_of(rows: list[_CsvRow], layout: RowLayout, bad: list[Bad]) -> Chunk:
    width = len(layout.places.all)
    columns = [pa.array([row.used[i] for row in rows], pa.string()) for i in range(width)]
    lines = np.array([row.line for row in rows], np.int64)
    return Chunk(columns, lambda: lines, lambda i: rows[i].text, True, bad)


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _count(values: int) -> str:
    return "1 value" if values == 1 else f"{values} values"
