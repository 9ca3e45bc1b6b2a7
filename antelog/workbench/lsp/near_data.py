"""Files with facts in the folder of a program: the input that each may be of, and its first rows."""

from __future__ import annotations

import csv
import gzip
import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from antelog.language.printer import value_text
from antelog.language.vocabulary import Predicate, Type

_HEAD = 1 << 16
_MOST_ROWS = 200
_MOST_FILES = 50
_ENDINGS = (".csv", ".jsonl", ".ndjson", ".parquet", ".csv.gz", ".jsonl.gz")


@dataclass(frozen=True)
class DataFile:
    """A file with facts: the names of its columns, and its first rows as texts."""

    path: Path
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def column(self, name: str) -> list[str]:
        """The distinct values of a column, in their order."""
        at = self.columns.index(name) if name in self.columns else None
        return [] if at is None else list(dict.fromkeys(row[at] for row in self.rows if len(row) > at))


def data_files(folder: Path) -> list[DataFile]:
    found = []
    for path in sorted(each for each in folder.glob("*") if each.name.endswith(_ENDINGS))[:_MOST_FILES]:
        with suppress(OSError, ValueError, EOFError):
            state = path.stat()
            read = _read(path, state.st_mtime_ns, state.st_size)
            found += [read] if read else []
    return found


def file_of(predicate: Predicate, files: Sequence[DataFile]) -> DataFile | None:
    """The likeliest file with facts of a predicate: it has its columns, and best its name too."""
    fitting = [each for each in files if _fit(predicate, each)]
    return max(fitting, key=lambda each: _fit(predicate, each), default=None)


def _fit(predicate: Predicate, file: DataFile) -> int:
    named = all(column in file.columns for column in predicate.columns)
    stem, name = file.path.name.partition(".")[0].lower(), predicate.name.lower()
    same = stem in {name, f"{name}s", f"{name}es"}
    if not predicate.declared:  # its columns have no names
        return 3 if same and len(file.columns) >= predicate.arity else 0
    return (2 + 2 * same) if named else 0


def example_of(predicate: Predicate, file: DataFile) -> str | None:
    """Writes the first fact of a file as an atom."""
    if not file.rows:
        return None
    row = dict(zip(file.columns, file.rows[0], strict=False))
    if all(column in row for column in predicate.columns):
        values = [row[column] for column in predicate.columns]
    else:
        values = list(file.rows[0][: predicate.arity])
    types = [*predicate.types, None][: len(values)] if predicate.temporal else predicate.types
    numbers = [kind is not None and kind.general is Type.NUMBER for kind in (*types, None, None)]
    shown = [v if n or is_number(v) else value_text(v) for v, n in zip(values, numbers, strict=False)]
    return f"{predicate.name}({', '.join(shown)})"


def is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return text.strip()[:1].lower() not in {"n", "i"}


@lru_cache(maxsize=128)
def _read(path: Path, _changed: int, _size: int) -> DataFile | None:
    if path.name.endswith(".parquet"):
        return _parquet(path)
    with gzip.open(path) if path.name.endswith(".gz") else path.open("rb") as file:
        head = file.read(_HEAD)
    text = head.decode("utf-8-sig", "replace")
    lines = text.splitlines()
    if len(head) == _HEAD:
        lines = lines[:-1]  # the last one is cut
    if ".csv" in path.name:
        separator = max(",;\t", key=lines[0].count) if lines else ","
        table = [tuple(row) for row in csv.reader(lines[: _MOST_ROWS + 1], delimiter=separator) if row]
        return DataFile(path, tuple(each.strip() for each in table[0]), tuple(table[1:])) if table else None
    found = (json.loads(line) for line in lines[:_MOST_ROWS] if line.strip())
    records = [each for each in found if isinstance(each, dict)]
    columns = tuple(dict.fromkeys(name for each in records for name in each))
    values = ([each.get(name) for name in columns] for each in records)
    rows = tuple(tuple(v if isinstance(v, str) else json.dumps(v) for v in each) for each in values)
    return DataFile(path, columns, rows) if records else None


def _parquet(path: Path) -> DataFile | None:
    import pyarrow as pa  # noqa: PLC0415 - many folders have none
    import pyarrow.parquet as pq  # noqa: PLC0415

    try:
        file = pq.ParquetFile(path)
        batch = next(file.iter_batches(batch_size=_MOST_ROWS), None)
    except pa.ArrowException:
        return None
    if batch is None:
        return None
    rows = [tuple(str(value) for value in row.values()) for row in batch.to_pylist()]
    return DataFile(path, tuple(batch.schema.names), tuple(rows))
