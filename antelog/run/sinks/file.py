"""A file of changes, each written once: what was written after the last mark is cut off.

OutputFile(Path("changes.jsonl"), {"size": 1200}, lines)    its first 1,200 bytes are kept

One process writes to it at a time.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from antelog.errors import OutputError, StateError
from antelog.run.sinks.result import StepResult
from antelog.writing import Output, claimed


class OutputFile:
    """Appends the lines of changes; without a mark, to an empty file."""

    def __init__(
        self,
        path: Path,
        mark: Mapping[str, Any] | None,
        lines: Callable[[StepResult], str],
        *,
        wait: bool = False,
    ) -> None:
        self._lines, self.path = lines, path
        try:
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o666)
        except OSError as error:
            raise OutputError(f"{path}: cannot be written: {error.strerror}") from error
        self._file = Output(descriptor, str(path))
        self._claim(wait)
        self._safe = -1
        there = os.fstat(descriptor).st_size
        self.size = 0 if mark is None else int(mark["size"])
        if there < self.size:
            self._file.close()
            raise StateError(
                f"{path} has {there:,} bytes, but {self.size:,} had been written when the state was saved; "
                "put the file back, or start anew with another state and another output"
            )
        os.ftruncate(descriptor, self.size)
        os.lseek(descriptor, self.size, os.SEEK_SET)

    def _claim(self, wait: bool) -> None:
        """Locks the file: two processes that write to it would cut off each other's lines."""
        if not stat.S_ISREG(os.fstat(self._file.fileno()).st_mode):
            return
        with suppress(OSError):  # a file system without locks
            if not claimed(self._file.fileno(), wait=wait):
                self._file.close()
                raise OutputError(
                    f"{self.path}: another process writes to it; stop that one first, give another --output, "
                    "or wait for its end with --wait"
                )

    def write(self, step: StepResult) -> None:
        self.size += self._file.write_all(self._lines(step).encode())

    def mark(self) -> Mapping[str, Any]:
        if self._safe != self.size:
            os.fsync(self._file.fileno())
            self._safe = self.size
        return {"size": self.size}

    def close(self) -> None:
        self._file.close()
