"""The files of a program: a `Source` gets the texts of all files that it includes, each once."""

from __future__ import annotations

import os.path
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from os import PathLike
from pathlib import Path

from antelog.diagnostics import Diagnostic, Source, Span, problem
from antelog.errors import ProgramFileError
from antelog.language.checks.suggestions import did_you_mean
from antelog.language.parser import includes_of
from antelog.language.syntax import Include

MOST_FILES = 200  # the most files of a program
_MOST_CIRCLES = 20  # the most circles of includes that are reported


def read_text(path: str | PathLike[str]) -> str:
    """Reads a program's file. Raises ProgramFileError."""
    try:
        return Path(path).read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise ProgramFileError(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        message = f"{path}: is not UTF-8 text, see byte {error.start}; save it as UTF-8"
        raise ProgramFileError(message) from None


Reader = Callable[[str], str]  # reads an included file. Raises OSError or ValueError.


def gathered(source: Source, reader: Reader | None = None) -> tuple[Source, tuple[Diagnostic, ...]]:
    """Adds the files that a source includes, by paths from its folder; returns the problems, too."""
    files, problems, circles = [source], list[Diagnostic](), list[str]()
    real = cache(_real)
    names = {real(source.name): source.name}

    def follow(file: Source, start: int, around: tuple[str, ...]) -> None:
        """Adds the files that a file includes, and those that they include; `around` is the path to it."""
        for include in includes_of(file.text):
            span = Span(include.path_span.start + start, include.path_span.end + start)
            name = os.path.normpath(Path(file.name).parent / include.path)
            try:
                path = real(name)
                if path in around:
                    circles.append(name)
                    if len(circles) <= _MOST_CIRCLES:
                        chain = " → ".join(names[each] for each in (*around[around.index(path) :], path))
                        problems.append(problem("E115.itself", span, name=name, chain=chain))
                elif path not in names:
                    add(Source((reader or text_of)(name), name), (*around, path), span)
            except (OSError, ValueError) as error:
                problems.append(_unread(name, include, error, span))

    def add(file: Source, around: tuple[str, ...], span: Span) -> None:
        if len(files) >= MOST_FILES:
            problems.append(problem("E003.files", span, most=MOST_FILES))
            return
        start = sum(len(each.text) + 1 for each in files)
        files.append(file)
        names[around[-1]] = file.name
        follow(file, start, around)

    follow(source, 0, tuple(names))
    return replace(source, included=tuple(files[1:])), tuple(problems)


def _real(name: str) -> str:
    """The path of a file without links; a name that no file can have stays."""
    try:
        return os.path.realpath(name)
    except ValueError:
        return name


def text_of(name: str) -> str:
    """Reads an included file on disk. Raises OSError or ValueError."""
    path = Path(name)
    if path.exists() and not path.is_file():
        raise ValueError("is not a file")
    return path.read_bytes().decode("utf-8-sig")


def _unread(name: str, include: Include, error: OSError | ValueError, span: Span) -> Diagnostic:
    if isinstance(error, UnicodeDecodeError):
        return problem("E115.encoding", span, name=name, byte=error.start)
    if not isinstance(error, FileNotFoundError):
        why = error.strerror if isinstance(error, OSError) else error
        return problem("E115.unreadable", span, name=name, why=why)
    folder = Path(name).parent
    near = [each.name for each in folder.glob("*.alog")] if folder.is_dir() else []
    meant = did_you_mean(Path(include.path).name, near)
    return problem("E115.missing", span, name=name, near=f"{meant} " if meant else "")
