"""A feed in a folder, for the page of a pipeline on Spark: numbered files of JSON lines, each with a head.

A position is the number of a file and how many of its bytes were read, in one number. Links in the folder
are neither read nor written.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from antelog.errors import OutputError
from antelog.run.store.feed import KEPT, LARGEST, Extent, Portion, head_line
from antelog.writing import PLAIN, Output

_DIGITS = 8
_ROOM = 1 << 40
"""More bytes than a segment has."""

_APPEND = os.O_WRONLY | os.O_APPEND | PLAIN
_READ = os.O_RDONLY | PLAIN

_NOT_THERE = (errno.ENOENT, errno.ELOOP)
"""Errors of a missing file, and of a link in its place."""


class FolderFeed:
    """Reads a folder, and writes it from the first head on; there is one writer at a time.

    The first head begins a file with a number that no reader has seen, and removes the files before.
    """

    def __init__(self, folder: Path, *, largest: int = LARGEST, kept: int = KEPT) -> None:
        self.folder = folder
        self._largest, self._kept = largest, kept
        self._segment: int | None = None
        self._size = 0

    # ---- for the writer ----

    @property
    def full(self) -> bool:
        return self._segment is None or self._size >= self._largest

    def begin(self, about: Mapping[str, object], open_lines: Iterable[str] = ()) -> None:
        try:
            # What facts say is not for everybody on this machine.
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise OutputError(f"{self.folder}: cannot be written: {error.strerror}") from error
        before, first = self._segments(), self._segment is None
        self._segment, self._size = (before[-1] + 1 if before else 0), 0
        self._write([head_line(about, open_lines)], os.O_CREAT | os.O_EXCL)
        room = -1 if first else self._kept - self._size
        for segment in reversed(before):
            room -= self._path(segment).lstat().st_size
            if room < 0:
                self._path(segment).unlink()

    def resume(self) -> int | None:
        """Goes on in the newest file: the position before it, or None if no file is there and whole."""
        there = self._segments()
        if not there:
            return None
        position = there[-1] * _ROOM
        size = self._path(there[-1]).lstat().st_size
        found: list[bytes] = []
        if not size or self._read_segment(there[-1], 0, found, size) < size:
            return None
        self._segment, self._size = there[-1], size
        return position

    def append(self, lines: Sequence[str]) -> None:
        if self._segment is None:
            raise ValueError("a feed begins with a head")
        if lines:
            self._write(lines)

    # ---- for readers ----

    def read(self, after: int, limit: int) -> Portion:
        segment, offset = divmod(after, _ROOM)
        found: list[bytes] = []
        while len(found) < limit:
            # Looked for first: what is written to a segment is complete once there is one after it.
            newer = self._after(segment, offset)
            offset += self._read_segment(segment, offset, found, limit)
            if len(found) < limit:
                if newer is None:
                    break
                segment, offset = newer, 0
        return Portion(found, segment * _ROOM + offset)

    def summary(self) -> Extent:
        there = self._segments()
        sizes = [self._path(each).lstat().st_size for each in there]
        if not there:
            return Extent(0, 0, 0)
        return Extent(there[0] * _ROOM, there[-1] * _ROOM + sizes[-1], sum(sizes))

    def share(self, position: int) -> float:
        segment, offset = divmod(position, _ROOM)
        sizes = {each: self._path(each).lstat().st_size for each in self._segments()}
        read = sum(size for each, size in sizes.items() if each < segment) + offset
        return min(1.0, read / sum(sizes.values())) if any(sizes.values()) else 1.0

    # ---- segments ----

    def _path(self, segment: int) -> Path:
        return self.folder / f"{segment:0{_DIGITS}}.jsonl"

    def _segments(self) -> list[int]:
        """The numbers of the files, the oldest first; empty without the folder."""
        names = [path.stem for path in self.folder.glob("*.jsonl")]
        return sorted(int(name) for name in names if name.isdecimal() and len(name) >= _DIGITS)

    def _after(self, segment: int, offset: int) -> int | None:
        """The file to go on with when this one is read."""
        there = self._segments()
        newer = [each for each in there if each > segment]
        if newer:
            return newer[0]
        # A folder was removed and begun anew: then numbers are small again.
        return there[0] if there and segment not in there and (segment or offset) else None

    def _read_segment(self, segment: int, offset: int, found: list[bytes], limit: int) -> int:
        """Adds whole lines of a file from an offset on; returns their bytes."""
        size = 0
        try:
            with os.fdopen(os.open(self._path(segment), _READ), "rb") as file:
                file.seek(offset)
                while len(found) < limit and (line := file.readline()).endswith(b"\n"):
                    size += len(line)
                    found.append(line)
        except OSError as error:
            if error.errno not in _NOT_THERE:
                raise
        return size

    def _write(self, lines: Sequence[str], flags: int = 0) -> None:
        assert self._segment is not None
        path = self._path(self._segment)
        try:
            file = Output(os.open(path, _APPEND | flags, 0o600), str(path))
        except OSError as error:
            raise OutputError(f"{path}: cannot be written: {error.strerror}") from error
        with file:
            self._size += file.write_all(("\n".join(lines) + "\n").encode())


def is_folder_feed(folder: Path) -> bool:
    """Whether a folder has segments of a feed."""
    return bool(FolderFeed(folder).summary().last)
