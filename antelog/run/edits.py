"""Sees that the files of a program were edited after a run began, which goes on with the rules of before.

edits = ProgramEdits(program.source, kept=True)
edits.look()         "turbines.alog has changed since this run began: …"; empty while nothing has
"""

from __future__ import annotations

import time
from pathlib import Path

from antelog.diagnostics import Source
from antelog.errors import AntelogError
from antelog.language.program_files import read_text

_BETWEEN = 1.0
"""Seconds from one look at the files to the next."""


class ProgramEdits:
    """The files of a program as they were read. With `kept` the run has a state to go on from."""

    def __init__(self, source: Source, *, kept: bool) -> None:
        self._texts = {each.name: each.text for _, each in source.files}
        self._kept, self._said, self._looked = kept, "", float("-inf")

    def look(self) -> str:
        """Which files have another text now, and what to do; empty if all are as they were."""
        if time.monotonic() >= self._looked + _BETWEEN:
            self._looked = time.monotonic()
            self._said = self._sentence([name for name, text in self._texts.items() if _differs(name, text)])
        return self._said

    def _sentence(self, names: list[str]) -> str:
        if not names:
            return ""
        has = "has" if len(names) == 1 else "have"
        more = " and add --accept-changes" if self._kept else ""
        return (
            f"{' and '.join(names)} {has} changed since this run began, which goes on with the rules of "
            f"before. To go on with the new ones, start it again{more}."
        )


def _differs(name: str, text: str) -> bool:
    try:
        return Path(name).is_file() and read_text(name) != text
    except (AntelogError, OSError, ValueError):
        return False  # it is being written
