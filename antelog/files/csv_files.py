"""CSV files: a line is a row, the first line has the names of the columns.

A block of lines is parsed as a whole. If anything is odd about one of them, the block is parsed
again line by line, so that a bad line costs nothing but itself. A value may be in quotes, but
must not go beyond the end of its line.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.csv as arrow_csv

from antelog.engine.tables import Column
from antelog.errors import DataError
from antelog.files.chunks import Bad, Chunk
from antelog.files.columns import Places, Wanted, by_position, places
from antelog.files.lines import Block, blocks
from antelog.files.times import looks_like_time

_SEPARATORS = (",", ";", "\t")


@dataclass(frozen=True)
class FirstLine:
    """The first line of a file: the names of its columns, or already a row, with the columns' places."""

    separator: str
    values: list[str]
    row: Places | None


@dataclass(frozen=True)
class _Layout:
    """How the lines of a file are to be read."""

    separator: str
    width: int
    places: Places


def csv_chunks(stream: BinaryIO, path: Path, wanted: Wanted, notes: list[str]) -> Iterator[Chunk]:
    """The rows of a CSV file; what its user should know of how it was read goes to `notes`.

    Raises DataError if its columns are not the wanted ones.
    """
    layout: _Layout | None = None
    for block in blocks(stream, path):
        body = block
        if layout is None:
            at = next((i for i, line in enumerate(block.lines()) if line.strip()), None)
            if at is None:
                continue
            layout, has_names = _layout(_text(block.lines()[at], path, block.first + at), path, wanted)
            if has_names and not layout.places.named and not wanted.timed:
                notes.append(f"{path}: its first line is taken for names, none of which {wanted.name} has")
            body = _without(block, at + 1 if has_names else at)
        yield _fast(body, layout) or _slow(body, layout)


def _without(block: Block, count: int) -> Block:
    lines = block.data.splitlines(keepends=True)
    return Block(block.first + count, b"".join(lines[count:]))


def _text(line: bytes, path: Path, number: int) -> str:
    try:
        return line.decode()
    except UnicodeDecodeError:
        raise DataError(f"{path}:{number}: is not UTF-8 text; save the file as UTF-8") from None


def _layout(first: str, path: Path, wanted: Wanted) -> tuple[_Layout, bool]:
    """How to read a file, by its first line; and whether that has the names of the columns."""
    line = first_line(first, path, wanted)
    at = line.row or places(wanted, line.values, str(path))
    return _Layout(line.separator, len(line.values), at), line.row is None


def first_line(first: str, path: Path, wanted: Wanted) -> FirstLine:
    """What the first line of a file says."""
    separator = next((s for s in _SEPARATORS if s in first), ",")
    values, complaint = _split(first, separator)
    if complaint is not None:
        raise DataError(f"{path}: the first line: {complaint}")
    names = [value.strip() for value in values]
    plain = by_position(wanted, len(names))
    return FirstLine(separator, names, plain if plain and _is_row(names, plain, wanted) else None)


def _is_row(values: list[str], at: Places, wanted: Wanted) -> bool:
    """Whether the first line must be a row, for there is a number where the name of a time would be."""
    if wanted.timed:
        return looks_like_time(values[at.columns[-1]])
    return "number" in wanted.types and looks_like_time(values[wanted.types.index("number")])


# ---- a block at once ----


def _fast(block: Block, layout: _Layout) -> Chunk | None:
    """The rows of a block, or None if anything in it needs a closer look."""
    odd: list[object] = []

    def on_odd_row(row: object) -> str:
        odd.append(row)
        return "skip"

    names = [str(i) for i in range(layout.width)]
    used = [names[i] for i in layout.places.all]
    try:
        table = arrow_csv.read_csv(
            pa.BufferReader(block.data),
            arrow_csv.ReadOptions(use_threads=False, block_size=len(block.data) + 1, column_names=names),
            arrow_csv.ParseOptions(delimiter=layout.separator, invalid_row_handler=on_odd_row),
            arrow_csv.ConvertOptions(column_types=dict.fromkeys(used, pa.string()), include_columns=used),
        )
    except pa.ArrowInvalid:
        return None
    quotes = block.data.count(b'"')
    if odd or quotes % 2 or (quotes and table.num_rows != sum(map(bool, block.lines()))):
        return None
    columns = [table.column(name).combine_chunks() for name in used]
    return Chunk(
        columns, lambda: _lines(block, table.num_rows), str, True, again=lambda: _slow(block, layout)
    )


def _lines(block: Block, rows: int) -> Column:
    """The lines of a block's rows, which are those that are not empty."""
    ends = block.data.count(b"\n") + (not block.data.endswith(b"\n"))
    if rows == ends and block.data.count(b"\r") == block.data.count(b"\r\n"):
        return np.arange(block.first, block.first + rows)
    return block.first + np.flatnonzero([bool(line) for line in block.lines()])


# ---- line by line ----


def _slow(block: Block, layout: _Layout) -> Chunk:
    rows: list[list[str]] = []
    numbers: list[int] = []
    texts: list[str] = []
    bad: list[Bad] = []
    for number, line in enumerate(block.lines(), block.first):
        text = line.decode(errors="surrogateescape")
        if not text or (layout.width > 1 and text.isspace()):
            continue
        values, complaint = _split(text, layout.separator)
        if complaint is None and len(values) != layout.width:
            complaint = f"has {_count(len(values))}, not {layout.width}"
        used = [] if complaint else [values[i] for i in layout.places.all]
        if complaint is None and not all(map(_is_unicode, used)):
            complaint = "is not UTF-8 text"
        if complaint is not None:
            bad.append(Bad(number, complaint, text))
            continue
        rows.append(used)
        numbers.append(number)
        texts.append(text)
    width = len(layout.places.all)
    columns = [pa.array([row[i] for row in rows], pa.string()) for i in range(width)]
    return Chunk(columns, lambda: np.array(numbers, np.int64), texts.__getitem__, True, bad)


def _split(line: str, separator: str) -> tuple[list[str], str | None]:
    """The values of a line, or what is wrong with it."""
    if '"' not in line:
        return line.split(separator), None
    reader = csv.reader([line, ""], delimiter=separator)
    try:
        values = next(reader)
    except csv.Error as error:
        return [], f"cannot be read: {error}"
    return values, "has a quote that is not closed" if reader.line_num > 1 else None


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _count(values: int) -> str:
    return "1 value" if values == 1 else f"{values} values"
