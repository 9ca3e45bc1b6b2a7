"""The file that changes are written to, each once: what was written after the last state is cut off.

OutputFile(Path("changes.jsonl"), begun=1200)    its first 1,200 bytes are known; the rest is told again
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from antelog.errors import OutputError, StateError
from antelog.telling.shown import Shown
from antelog.writing import Output


class OutputFile:
    """Appends the lines of changes; `size` is what belongs into the state."""

    def __init__(self, path: Path, begun: int | None, lines: Callable[[Shown], str]) -> None:
        self._lines, self.path = lines, path
        try:
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o666)
        except OSError as error:
            raise OutputError(f"{path}: cannot be written: {error.strerror}") from error
        self._file = Output(descriptor, str(path))
        there = os.fstat(descriptor).st_size
        if begun is not None and there < begun:
            self._file.close()
            raise StateError(
                f"{path} has {there:,} bytes, but {begun:,} had been written when the state was saved; "
                "put the file back, or start anew with another state and another output"
            )
        self.size = begun or 0
        os.ftruncate(descriptor, self.size)
        os.lseek(descriptor, self.size, os.SEEK_SET)

    def show(self, shown: Shown) -> None:
        data = memoryview(self._lines(shown).encode())
        while data:
            written = self._file.write(data)
            self.size += written
            data = data[written:]

    def sync(self) -> None:
        os.fsync(self._file.fileno())

    def close(self) -> None:
        self._file.close()
