"""A file of facts, table after table."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow as pa

from antelog.errors import DataError
from antelog.files.chunks import Chunk, sorted_out
from antelog.files.columns import DEFAULT_ARRIVAL, Advice, WantedColumns
from antelog.files.csv_files import CsvRows, WholeCsv
from antelog.files.json_files import JsonRows, WholeJson
from antelog.files.naming import ENDINGS, Form, form_of, opened
from antelog.files.parquet_files import parquet_chunks
from antelog.files.setting_aside import Rejects


def tables(path: Path, wanted: WantedColumns, rejects: Rejects) -> Iterator[pa.Table]:
    """The facts of a file, table after table.

    Raises DataError if the file cannot be read, or if its columns are not the wanted ones.
    """
    for each in sorted_out(wanted, chunks_of(path, wanted, rejects.notes), str(path)):
        if wanted.timed:
            rejects.tally.update(malformed=len(each.set_aside))
        rejects.notes.extend(rejects.new_of(each.notes))
        rejects.came(wanted.name, str(path), each.count, each.twice)
        rejects.close(wanted.name, each.gap)
        rejects.add(each.set_aside)
        if each.table.num_rows:
            yield each.table


def chunks_of(
    path: Path,
    wanted: WantedColumns,
    notes: list[str],
    progress: Callable[[int], None] = lambda _: None,
    *,
    whole: bool = True,
) -> Iterator[Chunk]:
    """A file piece by piece, before anybody has looked at its values; otherwise as `tables`.

    `progress` gets the number of bytes read since its last call. If the file is not `whole` but one of a
    folder, columns are matched by their names.
    """
    form = form_of(path)
    if form is None:
        raise DataError(f"{path}: the ending names no form of file; there are {ENDINGS}")
    with opened(path) as (data, file):
        known = 0
        if form is Form.PARQUET:
            chunks = parquet_chunks(data, path, wanted, whole=whole)
        elif not whole:
            rows = JsonRows if form is Form.JSON else CsvRows
            chunks = rows(path, Advice(wanted, notes)).all(data)
        elif form is Form.JSON:
            chunks = WholeJson(path, wanted).all(data)
        else:
            chunks = WholeCsv(path, wanted, notes).all(data)
        for number, chunk in enumerate(chunks):
            named = wanted.timed and wanted.arrival != DEFAULT_ARRIVAL
            if named and number == 0 and len(chunk.columns) == len(wanted.columns):
                absent = f"has no column {wanted.arrival}, so its facts are taken to arrive at their own time"
                notes.append(f"{path}: {absent}")
            at = file.tell()
            progress(max(0, at - known))
            known = max(known, at)
            yield chunk
