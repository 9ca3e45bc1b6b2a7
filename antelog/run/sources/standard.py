"""Standard input: CSV with a header, or JSON lines if it begins with `{`.

Nobody can read a pipe twice. What was read after the last state was saved is lost if the command is killed.
So the number of lines is kept in a small file beside the state, with each read, and the next start says how
many are lost.
"""

from __future__ import annotations

import os
import select
from contextlib import suppress
from pathlib import Path

from antelog.files.columns import Wanted
from antelog.files.naming import Form
from antelog.run.sources.lines import LinesOf
from antelog.run.sources.source import AT_ONCE, Mark, Piece

_NAME = "<stdin>"
_PIPE = 1 << 16


class StandardInput:
    """Reads what is there, and never waits. `counter` is the file with the number of lines."""

    def __init__(
        self, wanted: Wanted, *, mark: Mark | None = None, counter: Path | None = None, descriptor: int = 0
    ) -> None:
        self._wanted, self._descriptor, self._counter = wanted, descriptor, counter
        self.notes: list[str] = []
        self._before = int((mark or {}).get("lines", 0))
        self._lines: LinesOf | None = None
        self._ended = self._behind = False
        lost = _counted(counter) - self._before if mark else 0
        if lost > 0:
            self.notes.append(
                f"{lost:,} {'line' if lost == 1 else 'lines'} of standard input were read after the last "
                "state was saved, and are lost"
            )

    @property
    def behind(self) -> bool:
        return self._behind

    @property
    def ended(self) -> bool:
        return self._ended

    @property
    def mark(self) -> Mark:
        """How many lines were read, of this input and of those before it."""
        return {"lines": self._before + (self._lines.mark["line"] - 1 if self._lines else 0)}

    def poll(self) -> list[Piece]:
        data = self._read()
        if not data:
            return []
        if self._lines is None:
            form = Form.JSON if data.lstrip().startswith(b"{") else Form.CSV
            self._lines = LinesOf(form, _NAME, self._wanted, self.notes)
        found = self._lines.feed(data)
        self._count()
        return found

    def finish(self) -> list[Piece]:
        found = self._lines.finish() if self._lines else []
        self._count()
        return found

    def close(self) -> None:
        """Standard input stays open; it is not ours."""

    def _read(self) -> bytes:
        data = b""
        while not self._ended and len(data) < AT_ONCE and select.select([self._descriptor], [], [], 0)[0]:
            more = os.read(self._descriptor, _PIPE)
            data += more
            self._ended = not more
        self._behind = len(data) >= AT_ONCE
        return data

    def _count(self) -> None:
        if self._counter is not None:
            with suppress(OSError):  # only the number of what is lost is lost
                self._counter.write_text(f"{self.mark['lines']:020}")


def _counted(counter: Path | None) -> int:
    try:
        return int(counter.read_text()) if counter else 0
    except (OSError, ValueError):
        return 0
