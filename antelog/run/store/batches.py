"""A feed in a folder, written batch by batch by the driver of a pipeline on Spark, with all that is open.

The folder has numbered files of JSON lines, each with a head; a position is the number of a file and how
many of its bytes were read, in one number. Links in the folder are neither read nor written.
"""

from __future__ import annotations

import errno
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from antelog.answers import OPEN, state_after
from antelog.errors import OutputError
from antelog.run.store.feed import KEPT, LARGEST, FeedReader, head_line, status_line
from antelog.writing import PLAIN, Output

_DIGITS = 8
_ROOM = 1 << 40  # more bytes than a segment has

_APPEND = os.O_WRONLY | os.O_APPEND | PLAIN
_READ = os.O_RDONLY | PLAIN

_NOT_THERE = (errno.ENOENT, errno.ELOOP)  # errors of a missing file, and of a link in its place


class FolderFeed:
    """Reads a folder, and writes it from the first head on; there is one writer at a time.

    The first head begins a file with a number that no reader has seen, and removes the files before.
    """

    def __init__(self, folder: Path, *, largest: int = LARGEST, kept: int = KEPT) -> None:
        self.folder = folder
        self._largest, self._kept = largest, kept
        self._segment: int | None = None
        self._size = 0

    @property
    def full(self) -> bool:
        return self._segment is None or self._size >= self._largest

    def begin(self, about: Mapping[str, object], open_lines: Iterable[str] = ()) -> None:
        try:
            # What facts say is not for everybody on this machine.
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise OutputError(f"{self.folder}: cannot be written: {error.strerror}") from error
        before, first = self.sizes(), self._segment is None
        self._segment, self._size = max(before, default=-1) + 1, 0
        self._write([head_line(about, open_lines)], os.O_CREAT | os.O_EXCL)
        room = -1 if first else self._kept - self._size
        for segment, size in reversed(before.items()):
            room -= size
            if room < 0:
                self._path(segment).unlink()

    def resume(self) -> int | None:
        """Goes on in the newest file: the position before it, or None if no file is there and whole."""
        segment, size = max(self.sizes().items(), default=(0, 0))
        if not size or self._read_segment(segment, 0, [], size) < size:
            return None
        self._segment, self._size = segment, size
        return segment * _ROOM

    def append(self, lines: Sequence[str]) -> None:
        if self._segment is None:
            raise ValueError("a feed begins with a head")
        if lines:
            self._write(lines)

    def read(self, after: int, limit: int) -> tuple[Sequence[bytes], int]:
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
        return found, segment * _ROOM + offset

    def share(self, position: int) -> float:
        segment, offset = divmod(position, _ROOM)
        sizes = self.sizes()
        read = sum(size for each, size in sizes.items() if each < segment) + offset
        return min(1.0, read / sum(sizes.values())) if any(sizes.values()) else 1.0

    def sizes(self) -> dict[int, int]:
        """The bytes of each file by its number, the oldest first; empty without the folder."""
        return {each: self._path(each).lstat().st_size for each in self._segments()}

    def _segments(self) -> list[int]:
        names = [path.stem for path in self.folder.glob("*.jsonl")]
        return sorted(int(name) for name in names if name.isdecimal() and len(name) >= _DIGITS)

    def _path(self, segment: int) -> Path:
        return self.folder / f"{segment:0{_DIGITS}}.jsonl"

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
    return any(FolderFeed(folder).sizes().values())


_DECODER = msgspec.json.Decoder(dict[str, Any])

_OpenLines = dict[tuple[str, bytes], str]  # the last line of each open answer, by its query and values


class BatchFeed:
    """Writes a feed batch by batch, after what is there from the head at `since`.

    If it is `about` a `run`, it goes on only with what was written for that one.
    """

    def __init__(self, feed: FolderFeed, about: Mapping[str, object], since: int = 0) -> None:
        self.feed, self._about = feed, about
        self._open: _OpenLines = {}
        self._tick, self._number = -1, -1
        self._run: object = None
        partial = self._read(since)
        other = self._run != about.get("run")
        if other:
            self._open, self._tick, self._number = {}, -1, -1
        if partial or other or feed.full:
            self._begin()

    def write(self, number: int | None, lines: Sequence[str], status: Mapping[str, Any]) -> None:
        """Writes the lines of a batch and the status after it, unless they are there already.

        A batch without a number is the only one.
        """
        if number is not None and number <= self._number:
            return
        for line in lines:
            _fold(self._open, _DECODER.decode(line), line)
        self._tick = max(self._tick, status.get("tick") or -1)
        self._number = self._number if number is None else number
        if self.feed.full:
            self._begin()
        counted = {"holding": None, **status, "open": Counter(query for query, _ in self._open)}
        self.feed.append([*lines, status_line({**counted, "batch": self._number})])

    def _begin(self) -> None:
        known = {**self._about, "tick": self._tick, "batch": self._number}
        self.feed.begin(known, list(self._open.values()))

    def _read(self, since: int) -> bool:
        """Reads the whole batches that were written before; True if the last one is not whole."""
        reader = FeedReader(self.feed, since)
        batch: list[dict[str, Any]] = []
        while records := reader.read():
            for record in records:
                if "head" in record:
                    batch, head = [], record["head"]
                    self._open = {}
                    self._fold_all(head["open"])
                    self._tick, self._number = head["tick"], head.get("batch", -1)
                    self._run = head.get("run")
                elif "status" in record:
                    self._fold_all(batch)
                    batch, status = [], record["status"]
                    self._tick, self._number = status["tick"], status.get("batch", -1)
                else:
                    batch.append(record)
        return bool(batch)

    def _fold_all(self, records: Sequence[Mapping[str, Any]]) -> None:
        for each in records:
            _fold(self._open, each, msgspec.json.encode(each).decode())


def _fold(open_: _OpenLines, record: Mapping[str, Any], line: str) -> None:
    if "change" not in record:
        return
    key = record["query"], msgspec.json.encode([record["answer"], record.get("others")])
    if state_after(record) == OPEN:
        open_[key] = line
    else:
        open_.pop(key, None)
