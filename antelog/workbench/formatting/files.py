"""Files of programs, read to be laid out and written whole."""

from __future__ import annotations

import codecs
import difflib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from antelog.diagnostics import Source
from antelog.errors import ProgramFileError
from antelog.language.program_files import read_text
from antelog.workbench.formatting.programs import LaidOut, laid_out
from antelog.writing import write


@dataclass(frozen=True)
class LaidOutFile:
    """A file, its text as it is, and laid out."""

    path: Path
    before: str
    after: LaidOut

    @property
    def changes(self) -> bool:
        return self.after.text != self.before

    def diff(self) -> str:
        """The lines that change, as in `diff -u`."""
        lines = difflib.unified_diff(
            self.before.splitlines(keepends=True),
            self.after.text.splitlines(keepends=True),
            str(self.path),
            str(self.path),
        )
        return "".join(f"{line.rstrip()}\n" for line in lines)

    def write(self) -> None:
        """Puts the text laid out in place of the file; a mark of Unicode at its begin stays."""
        target = self.path.resolve()  # a link stays one
        mark = codecs.BOM_UTF8 if target.read_bytes().startswith(codecs.BOM_UTF8) else b""
        write(target, mark + self.after.text.encode())


def of_file(path: Path) -> LaidOutFile:
    """A file, laid out. Raises ProgramFileError if it cannot be read."""
    text = read_text(path)
    return LaidOutFile(path, text, laid_out(Source(text, str(path))))


def program_files(paths: Sequence[Path]) -> Iterator[Path]:
    """Files by their paths, and all programs in folders. Raises ProgramFileError for a folder without any."""
    for path in paths:
        if not path.is_dir():
            yield path
            continue
        found = sorted(path.rglob("*.alog"))
        if not found:
            raise ProgramFileError(f"{path}: there is no file NAME.alog in it")
        yield from found
