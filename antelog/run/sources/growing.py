"""A file that lines are appended to. It may be replaced, as logs are that are rotated.

What was read of it is known by place, and by a digest of how it begins: so it is noticed, also after a
restart, that another file has its name. Then the new one is read from its beginning.
"""

from __future__ import annotations

import os
import zlib
from pathlib import Path
from typing import BinaryIO

from antelog.errors import DataError
from antelog.files.columns import WantedColumns
from antelog.files.naming import Form
from antelog.run.sources.lines import LinesOf
from antelog.run.sources.source import AT_ONCE, FactSource, Mark, SourcePiece

_KNOWN = 1 << 10
"""The first bytes that tell a file from another."""


class GrowingFile(FactSource):
    """Reads a file as it grows; one that is not there yet is waited for."""

    def __init__(self, path: Path, form: Form, wanted: WantedColumns, *, mark: Mark | None = None) -> None:
        super().__init__()
        self._path, self._form, self._wanted = path, form, wanted
        self._file: BinaryIO | None = None
        self._mark: Mark = dict(mark or {})
        self._begins = b""
        self._lines: LinesOf | None = None
        self._waiting = False

    @property
    def mark(self) -> Mark:
        if self._lines is None or self._file is None:
            return self._mark
        mark = self._lines.mark
        known = self._begins[: mark["offset"]]
        return {**mark, "known": len(known), "digest": zlib.crc32(known)}

    def poll(self) -> list[SourcePiece]:
        if self._file is None and not self._open():
            return []
        assert self._file is not None
        assert self._lines is not None
        try:
            data = self._file.read(AT_ONCE)
        except OSError as error:
            raise _unreadable(self._path, error) from None
        self.behind = len(data) == AT_ONCE
        if len(self._begins) < _KNOWN:
            self._begins = (self._begins + data)[:_KNOWN]
        found = self._lines.feed(data) if data else []
        return found if self.behind or not self._is_another() else found + self._replaced()

    def finish(self) -> list[SourcePiece]:
        return self._lines.finish() if self._lines else []

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    def _open(self) -> bool:
        try:
            file = self._path.open("rb")
        except FileNotFoundError:
            if not self._waiting:
                self.notes.append(f"{self._path} is not there yet; it is read once it is")
            self._waiting, self.behind = True, False
            return False
        except OSError as error:
            raise _unreadable(self._path, error) from None
        head = _head_of(file)
        if self._mark and not _is_same(head, self._mark, os.fstat(file.fileno()).st_size):
            self.notes.append(f"{self._path} is not the file that was read before; it is read from its start")
            self._mark = {name: self._mark[name] for name in ("header",) if name in self._mark}
        offset = int(self._mark.get("offset", 0))
        file.seek(offset)
        self._begins = head[: min(offset, _KNOWN)]
        self._file = file
        self._lines = LinesOf(self._form, str(self._path), self._wanted, self.notes, self._mark)
        return True

    def _is_another(self) -> bool:
        """Whether another file has the name by now, or this one was cut."""
        assert self._file is not None
        own = os.fstat(self._file.fileno())
        try:
            there = self._path.stat()
        except OSError:
            return False  # between two files
        return (own.st_dev, own.st_ino) != (there.st_dev, there.st_ino) or own.st_size < self._file.tell()

    def _replaced(self) -> list[SourcePiece]:
        """The remaining rows of the old file; the next poll reads the new one."""
        assert self._lines is not None
        left = self._lines.finish()
        self.notes.append(f"{self._path} was replaced or cut; it is read from its start")
        self.close()
        self._mark = self._lines.beginning
        self._lines, self.behind = None, True
        return left


def _head_of(file: BinaryIO) -> bytes:
    return os.pread(file.fileno(), _KNOWN, 0)


def _is_same(head: bytes, mark: Mark, size: int) -> bool:
    known = int(mark.get("known", 0))
    return size >= int(mark.get("offset", 0)) and zlib.crc32(head[:known]) == mark.get("digest", 0)


def _unreadable(name: Path, error: OSError) -> DataError:
    return DataError(f"{name}: cannot be read: {error.strerror or error}")
