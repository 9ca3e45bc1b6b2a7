"""A file of facts, table after table."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow as pa

from antelog.errors import DataError
from antelog.files.chunks import Chunk, usable
from antelog.files.columns import DEFAULT_ARRIVAL, WantedColumns
from antelog.files.csv_files import csv_chunks
from antelog.files.going_on import Advice, CsvRows, JsonRows
from antelog.files.json_files import WholeJson
from antelog.files.naming import ENDINGS, Form, form_of, opened
from antelog.files.parquet_files import parquet_chunks
from antelog.files.setting_aside import Rejects


def tables(
    path: Path, wanted: WantedColumns, rejects: Rejects, progress: Callable[[int], None] = lambda _: None
) -> Iterator[pa.Table]:
    """The facts of a file; `progress` gets the number of bytes read since its last call.

    Raises DataError if the file cannot be read, or if its columns are not the wanted ones.
    """
    yield from usable(wanted, chunks_of(path, wanted, rejects.notes, progress), str(path), rejects)


def chunks_of(
    path: Path,
    wanted: WantedColumns,
    notes: list[str],
    progress: Callable[[int], None] = lambda _: None,
    *,
    whole: bool = True,
) -> Iterator[Chunk]:
    """A file piece by piece, before anybody has looked at its values; otherwise as `tables`.

    One that is not `whole` is a part of what goes on, as the files of a folder are: names decide there.
    """
    form = form_of(path)
    if form is None:
        raise DataError(f"{path}: the ending names no form of file; there are {ENDINGS}")
    with opened(path) as file:
        known = 0
        if form is Form.PARQUET:
            chunks = parquet_chunks(file.data, path, wanted, whole=whole)
        elif not whole:
            rows = JsonRows if form is Form.JSON else CsvRows
            chunks = rows(path, Advice(wanted, notes)).all(file.data)
        elif form is Form.JSON:
            chunks = WholeJson(path, wanted).all(file.data)
        else:
            chunks = csv_chunks(file.data, path, wanted, notes)
        if wanted.timed and wanted.arrival != DEFAULT_ARRIVAL:
            chunks = _with_arrivals(chunks, wanted, path, notes)
        for chunk in chunks:
            at = file.file.tell()
            progress(max(0, at - known))
            known = max(known, at)
            yield chunk


def _with_arrivals(
    chunks: Iterator[Chunk], wanted: WantedColumns, path: Path, notes: list[str]
) -> Iterator[Chunk]:
    """Passes chunks on; notes that a file has no column of arrivals, although its name was given."""
    for number, chunk in enumerate(chunks):
        if number == 0 and len(chunk.columns) == len(wanted.columns):
            notes.append(
                f"{path}: has no column {wanted.arrival}, so its facts are taken to arrive at their own time"
            )
        yield chunk
