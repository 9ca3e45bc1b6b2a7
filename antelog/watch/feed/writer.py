"""What the follower writes: lines come in, and go to the end of the newest segment of a feed.

    writer = FeedWriter(folder)
    writer.head({"program": text, "tick": 7}, open_lines)   a new segment, which begins with what is open
    writer.write(['{"tick": 8, "change": …}'])              lines in it, at once there for readers

A segment that is `full` should be followed by a new one; the oldest ones are removed. After a crash, `resume`
cuts off what was written after the last state that was saved.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Self

from antelog.errors import OutputError
from antelog.watch.feed.segments import Position, segment_path, segments_in
from antelog.writing import Output

LARGEST = 64 << 20
"""A segment with so many bytes is full."""

KEPT = 8
"""The oldest segments go when all have more bytes than so many full ones."""

_APPEND = os.O_WRONLY | os.O_APPEND | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)


class FeedWriter:
    """Appends to a feed; there is one writer of a feed at a time.

    A new writer begins a segment of its own, with a number that no reader has seen. Segments of a writer
    before it are removed then, unless it resumes what that one did.
    """

    def __init__(self, folder: Path, *, largest: int = LARGEST, kept: int = KEPT) -> None:
        self.folder = folder
        self._largest, self._kept = largest, kept
        self._begun = False
        self._size = 0
        try:
            # What facts say is not for everybody on this machine.
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise OutputError(f"{folder}: cannot be written: {error.strerror}") from error
        self._old = segments_in(folder)
        self._segment = self._old[-1] if self._old else -1
        self._stale = list(self._old)

    @classmethod
    def resume(cls, folder: Path, position: Position, *, largest: int = LARGEST, kept: int = KEPT) -> Self:
        """A writer that goes on at a position; what lies behind it is cut off, for it will be told again.

        The files stay until there is a new one, for readers have to find one with a higher number.
        """
        writer = cls(folder, largest=largest, kept=kept)
        writer._stale = [segment for segment in writer._old if segment > position.segment]
        for segment in writer._old:
            path = segment_path(folder, segment)
            wanted = position.offset if segment == position.segment else 0
            if segment >= position.segment and path.stat().st_size > wanted:
                os.truncate(path, wanted)
        return writer

    @property
    def full(self) -> bool:
        """Whether the next lines belong into a new segment, or there is none yet."""
        return not self._begun or self._size >= self._largest

    @property
    def position(self) -> Position:
        """Behind all that was written."""
        return Position(max(0, self._segment), self._size)

    def head(self, fields: Mapping[str, object], open_lines: Iterable[str] = ()) -> None:
        """Begin a new segment with what a reader has to know; `open_lines` are what is open, as JSON."""
        self._segment, self._size, self._begun = self._segment + 1, 0, True
        known = json.dumps({"segment": self._segment, **fields}, ensure_ascii=False)
        head = f'{{"head": {known[:-1]}, "open": [{", ".join(open_lines)}]}}}}'
        self._append([head], os.O_CREAT | os.O_EXCL)
        self._remove_old()

    def write(self, lines: Sequence[str]) -> None:
        """Append lines, JSON objects without line breaks. Readers see them when this returns."""
        if not self._begun:
            raise ValueError("a segment begins with its head")
        if lines:
            self._append(lines)

    def sync(self) -> None:
        """Wait until everything is on the disk."""
        if self._begun:
            with self._opened() as file:
                os.fsync(file.fileno())

    def _append(self, lines: Sequence[str], flags: int = 0) -> None:
        data = memoryview(("\n".join(lines) + "\n").encode())
        with self._opened(flags) as file:
            while data:
                written = file.write(data)
                self._size += written
                data = data[written:]

    def _opened(self, flags: int = 0) -> Output:
        path = segment_path(self.folder, self._segment)
        try:
            return Output(os.open(path, _APPEND | flags, 0o600), str(path))
        except OSError as error:
            raise OutputError(f"{path}: cannot be written: {error.strerror}") from error

    def _remove_old(self) -> None:
        for segment in self._stale:
            segment_path(self.folder, segment).unlink(missing_ok=True)
        self._stale = []
        room = self._kept * self._largest
        for segment in reversed(segments_in(self.folder)):
            path = segment_path(self.folder, segment)
            room -= path.stat().st_size
            if room < 0 and segment != self._segment:
                path.unlink()
