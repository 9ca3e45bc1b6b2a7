"""Standard input: JSON lines, or CSV from a header on.

A pipe cannot be read twice; the journal of a run records rows as soon as they were read.
"""

from __future__ import annotations

import os
import select
import sys
from contextlib import suppress

from antelog.files.columns import WantedColumns
from antelog.run.sources.lines import LinesOf
from antelog.run.sources.source import AT_ONCE, FactSource, Mark, SourceExtent, SourcePiece

_NAME = "<stdin>"
_PIPE = 1 << 16


class StandardInput(FactSource):
    """Reads what is there, and never waits. If it is `complete` it is behind until it has ended."""

    tells_end = False

    def __init__(
        self, wanted: WantedColumns, *, mark: Mark | None = None, complete: bool = False, descriptor: int = 0
    ) -> None:
        super().__init__()
        self._wanted, self._descriptor, self._complete = wanted, descriptor, complete
        self._before = int((mark or {}).get("lines", 0))
        self._lines: LinesOf | None = None
        self.behind, self._count = complete, 0

    @property
    def mark(self) -> Mark:
        """The number of lines read, of this input and of those before it."""
        return {"lines": self._before + (self._lines.mark["line"] - 1 if self._lines else 0)}

    @property
    def extent(self) -> SourceExtent:
        """Only the bytes in the pipe count as there: how many wait before it is not known."""
        left = b"\0\0\0\0"
        with suppress(OSError, ImportError):
            import fcntl  # noqa: PLC0415 - not on Windows
            import termios  # noqa: PLC0415

            left = fcntl.ioctl(self._descriptor, termios.FIONREAD, left)
        return SourceExtent(self._count, self._count + int.from_bytes(left, sys.byteorder))

    def poll(self) -> list[SourcePiece]:
        data = self._read()
        self._count += len(data)
        if not data:
            return []
        if self._lines is None:
            self._lines = LinesOf(None, _NAME, self._wanted, self.notes)
        return self._lines.feed(data)

    def finish(self) -> list[SourcePiece]:
        return self._lines.finish() if self._lines else []

    def _read(self) -> bytes:
        data = b""
        while not self.ended and len(data) < AT_ONCE and select.select([self._descriptor], [], [], 0)[0]:
            more = os.read(self._descriptor, _PIPE)
            data += more
            self.ended = not more
        self.behind = len(data) >= AT_ONCE or (self._complete and not self.ended)
        return data
