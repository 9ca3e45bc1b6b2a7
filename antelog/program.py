"""Programs as users have them: rules that were read, checked and compiled."""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike
from pathlib import Path

from antelog.compile import PATTERN_LIMIT, Plan, compile_program
from antelog.diagnostics import Diagnostic, Source, warnings_of
from antelog.errors import ProgramError, ProgramFileError
from antelog.language import read
from antelog.language.syntax import Document


@dataclass(frozen=True)
class Program:
    """A program that can be run: its rules, the plan they compile to, and what is odd about it."""

    document: Document
    plan: Plan
    warnings: tuple[Diagnostic, ...]

    @property
    def source(self) -> Source:
        return self.document.source


def parse(text: str, *, name: str = "<text>", pattern_limit: int = PATTERN_LIMIT) -> Program:
    """The program a text contains.

    `name` is what messages call it. A program that needs more than `pattern_limit` patterns
    for one predicate is refused. Raises ProgramError with everything that is wrong.
    """
    source = Source(text, name)
    checked = read(source)
    compiled = compile_program(checked, pattern_limit)
    if compiled.plan is None:
        raise ProgramError(compiled.diagnostics, source)
    return Program(checked.document, compiled.plan, warnings_of(compiled.diagnostics))


def load(path: str | PathLike[str], *, pattern_limit: int = PATTERN_LIMIT) -> Program:
    """The program in a file. Raises ProgramFileError if it cannot be read, ProgramError as `parse`."""
    return parse(read_text(path), name=str(path), pattern_limit=pattern_limit)


def read_text(path: str | PathLike[str]) -> str:
    """The text of a program's file."""
    try:
        return Path(path).read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise ProgramFileError(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise ProgramFileError(
            f"{path}: is not UTF-8 text, see byte {error.start}; save it as UTF-8"
        ) from None
