"""A file for the lines of a run that goes on, each written once.

It is locked, and cut off behind the last mark when a run is resumed; devices and pipes have no mark.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from antelog.errors import InUseError, OutputError, StateError
from antelog.run.sinks.result import LinesOfStep, StepResult
from antelog.writing import Output, claimed, errors_at, is_at


class OutputFile:
    """Appends the lines of changes; without a mark, to an empty file."""

    def __init__(
        self,
        path: Path,
        mark: Mapping[str, Any] | None,
        lines: LinesOfStep,
        *,
        kept: bool = False,
        wait: bool = False,
    ) -> None:
        """With `kept`, refuses lines that no mark knows of. Raises InUseError, unless it is to `wait`."""
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
            raise OutputError.of("outputs.unknown-file", path=path)
        if there < self.size:
            self._file.close()
            raise StateError.of("outputs.shorter", path=path, there=there, size=self.size)
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
    while True:
        with errors_at(path):
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o666)
        file = Output(descriptor, str(path))
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return file
        with suppress(OSError):  # a file system without locks
            if not claimed(descriptor, wait=wait):
                file.close()
                raise InUseError.of("outputs.in-use", path=path)
        if is_at(descriptor, path):
            return file
        file.close()  # it was replaced while this process waited
