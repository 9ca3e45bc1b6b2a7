"""A file of facts, table after table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pyarrow as pa

from antelog.errors import DataError
from antelog.files.chunks import Chunk, usable
from antelog.files.columns import DEFAULT_ARRIVAL, WantedColumns
from antelog.files.csv_files import csv_chunks
from antelog.files.going_on import going_on
from antelog.files.json_files import json_chunks
from antelog.files.naming import ENDINGS, Form, form_of, opened
from antelog.files.parquet_files import parquet_chunks
from antelog.files.setting_aside import Rejects

_CHUNKS: Mapping[Form, Callable[..., Iterator[Chunk]]] = {
    Form.CSV: csv_chunks,
    Form.JSON: json_chunks,
    Form.PARQUET: parquet_chunks,
}


def tables(
    path: Path, wanted: WantedColumns, rejects: Rejects, progress: Callable[[int], None] = lambda _: None
) -> Iterator[pa.Table]:
    """The facts of a file; `progress` is told how many bytes were read since it was told last.

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
        if whole:
            chunks = _CHUNKS[form](file.data, path, wanted, notes)
        elif form is Form.PARQUET:
            chunks = parquet_chunks(file.data, path, wanted, notes, whole=False)
        else:
            chunks = going_on(file.data, path, wanted, notes, form)
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
