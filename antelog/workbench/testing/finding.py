"""Finds the files of tests in folders, and the programs that have none."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from antelog.errors import AntelogError, DataError
from antelog.language.checks.suggestions import did_you_mean
from antelog.language.parser import includes_of
from antelog.language.program_files import read_text
from antelog.workbench.testing.suite import ENDING

PROGRAM = ".alog"


@dataclass(frozen=True)
class FoundFiles:
    """Files of tests and programs, each once and in the order of their names."""

    tests: tuple[Path, ...]
    programs: tuple[Path, ...]


def found(paths: Iterable[Path]) -> FoundFiles:
    """The files of tests that paths name: files themselves, and all that folders have in them.

    A program stands for the file of tests beside it. Raises DataError for a path that is none of these.
    """
    tests: dict[Path, None] = {}
    programs: dict[Path, None] = {}
    for path in paths:
        try:
            is_folder = path.is_dir()
        except (OSError, ValueError):
            is_folder = False
        if is_folder:
            for each in _files(path):
                (tests if each.name.endswith(ENDING) else programs)[each] = None
        else:
            tests[_test_file(path)] = None
    return FoundFiles(tuple(tests), tuple(programs))


def _files(folder: Path) -> Iterator[Path]:
    """The files of tests and the programs in a folder and those in it, hidden ones left out."""
    for where, folders, names in os.walk(folder):
        folders[:] = sorted(each for each in folders if not each.startswith("."))
        for name in sorted(names):
            if not name.startswith(".") and name.endswith((ENDING, PROGRAM)):
                yield Path(where, name)


def _test_file(path: Path) -> Path:
    if path.suffix == PROGRAM:
        beside = path.with_suffix(ENDING)
        if not beside.is_file():
            raise DataError(f"{path} has no tests: there is no file {beside.name} beside it. Write one")
        return beside
    try:
        there = path.is_file()
        names = [each.name for each in path.parent.iterdir()] if path.parent.is_dir() else []
    except (OSError, ValueError):
        there, names = False, []
    if not there:
        hint = did_you_mean(path.name, names) or "Name a file of tests, or a folder."
        raise DataError(f"there is no file or folder {path}. {hint}")
    if not path.name.endswith(ENDING):
        raise DataError(f"{path} is no file of tests: their names end in {ENDING}")
    return path


def without_tests(programs: Collection[Path], tested: Collection[Path]) -> list[Path]:
    """The programs that no file of tests is about, and no other program includes."""
    known = {each.resolve() for each in tested}
    for each in programs:
        known |= {(each.parent / name).resolve() for name in _included(each)}
    return [each for each in programs if each.resolve() not in known]


def _included(path: Path) -> list[str]:
    try:
        return [each.path for each in includes_of(read_text(path))]
    except AntelogError:
        return []
