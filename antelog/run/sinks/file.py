"""A file of changes, each written once: lines after the last mark are cut off when a run goes on.

Devices and pipes cannot be cut, and have no mark. It is locked: two writers would cut off each other's lines.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from antelog.errors import InUseError, OutputError, StateError
from antelog.run.sinks.result import StepResult
from antelog.writing import Output, claimed, is_at


class OutputFile:
    """Appends the lines of changes; without a mark, to an empty file."""

    def __init__(
        self,
        path: Path,
        mark: Mapping[str, Any] | None,
        lines: Callable[[StepResult], str],
        *,
        kept: bool = False,
        wait: bool = False,
    ) -> None:
        """`kept`: refuse unknown lines, not cut them. Raises InUseError, unless it is to `wait`."""
        self._lines, self.path = lines, path
        self._file = _locked(path, wait)
        self._safe = -1
        self.size = 0 if mark is None else int(mark["size"])
        descriptor = self._file.fileno()
        found = os.fstat(descriptor)
        self._is_plain, there = stat.S_ISREG(found.st_mode), found.st_size
        if not self._is_plain:
            return
        if kept and mark is None and there:
            self._file.close()
            raise OutputError(
                f"{path}: is there already, and the state knows nothing of it; "
                "move it away, or give another --output"
            )
        if there < self.size:
            self._file.close()
            raise StateError(
                f"{path} has {there:,} bytes, but {self.size:,} had been written when the state was saved; "
                "put the file back, or start anew with another state and another output"
            )
        os.ftruncate(descriptor, self.size)
        os.lseek(descriptor, self.size, os.SEEK_SET)

    def write(self, step: StepResult) -> None:
        self.size += self._file.write_all(self._lines(step).encode())

    def mark(self) -> Mapping[str, Any] | None:
        if not self._is_plain:
            return None
        if self._safe != self.size:
            os.fsync(self._file.fileno())
            self._safe = self.size
        return {"size": self.size}

    def close(self) -> None:
        self._file.close()


def _locked(path: Path, wait: bool) -> Output:
    """Opens and locks the file, without making it empty."""
    while True:
        try:
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o666)
        except OSError as error:
            raise OutputError(f"{path}: cannot be written: {error.strerror}") from error
        file = Output(descriptor, str(path))
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return file
        with suppress(OSError):  # a file system without locks
            if not claimed(descriptor, wait=wait):
                file.close()
                raise InUseError(
                    f"{path}: another process writes to it; stop that one first, give another --output, "
                    "or wait for its end with --wait"
                )
        if is_at(descriptor, path):
            return file
        file.close()  # it was replaced while this process waited
