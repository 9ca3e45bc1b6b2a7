"""The form of a file, by its ending, and access to its bytes."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path, PurePath
from typing import BinaryIO, cast

from antelog.errors import DataError
from antelog.files.remote import FilePath, RemotePath

ENDINGS = ".csv, .jsonl, .ndjson and .json (each also with .gz) and .parquet, which is packed already"


class Form(StrEnum):
    CSV = "csv"
    JSON = "json"
    PARQUET = "parquet"


_FORMS = {
    ".csv": Form.CSV,
    ".parquet": Form.PARQUET,
    **dict.fromkeys((".jsonl", ".ndjson", ".json"), Form.JSON),
}


def form_of(path: PurePath | FilePath) -> Form | None:
    """The form of a file; None if its ending names none."""
    *_, before, last = ["", "", *(suffix.lower() for suffix in PurePath(path.name).suffixes)]
    form = _FORMS.get(before if last == ".gz" else last)
    return None if last == ".gz" and form is Form.PARQUET else form


@contextmanager
def opened(path: FilePath) -> Iterator[tuple[BinaryIO, BinaryIO]]:
    """The unpacked bytes of a file, and the file itself. Raises DataError also if a later read fails."""
    try:
        with path.open("rb") as file:
            if not path.name.lower().endswith(".gz"):
                yield file, file
                return
            with gzip.open(file) as data:
                yield cast("BinaryIO", data), file
    except EOFError:
        raise DataError.of("files.ends-early", path=path) from None
    except (gzip.BadGzipFile, zlib.error) as error:
        raise DataError(f"{path}: cannot be unpacked: {error}") from None
    except IsADirectoryError:
        raise DataError(f"{path}: is a folder; give a file") from None
    except OSError as error:
        raise unreadable(path, error) from None


def unreadable(path: FilePath, error: OSError) -> DataError:
    return DataError(f"{path}: cannot be read: {error.strerror or error}")


def size_of(path: FilePath) -> int:
    """The bytes of a file; 0 if unknown, as those of a store are until it has listed them."""
    try:
        return path.stat().st_size if isinstance(path, Path) else max(0, path.size)
    except OSError:
        return 0


def files_at(path: FilePath) -> list[FilePath]:
    """The files of a folder, or of a pattern, in the order in which they are read. Raises OSError."""
    is_folder, found = path.is_dir(), list[FilePath]()
    if isinstance(path, RemotePath):
        found += path.found()
    else:
        found += path.iterdir() if is_folder else path.parent.glob(path.name)
    if is_folder:
        found = [each for each in found if each.name[0] not in "._" and form_of(each) and each.is_file()]
    return sorted(found, key=lambda each: (getattr(each, "changed", 0.0), each.name))
