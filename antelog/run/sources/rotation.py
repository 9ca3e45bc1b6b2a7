"""Finds what became of a file that is rotated: the one that was read, under another name, and those after it.

    temp.csv ─▶ temp.csv.1 ─▶ temp.csv.2        renamed: the same inode
    temp.csv ═▶ temp.csv.1                      copied, and cut: another file that begins as this one did

A file is known by a digest of how it begins.
"""

from __future__ import annotations

import os
import zlib
from contextlib import suppress
from pathlib import Path

import msgspec

KNOWN = 1 << 10
"""The first bytes that tell a file from another."""

_DATE = 6
"""So many digits at the end of a name are a date, and grow; fewer are a number, and fall."""


class ReadFile(msgspec.Struct, frozen=True):
    """A file of which `offset` bytes were read: its inode, and a digest of its first `known` bytes."""

    offset: int = 0
    known: int = 0
    digest: int = 0
    inode: int = 0

    def is_at(self, path: Path) -> bool:
        """Whether a path has that file, or a copy of it, with all that was read."""
        try:
            with path.open("rb") as file:
                begins, there = file.read(self.known), os.fstat(file.fileno())
        except OSError:
            return False
        is_own = self.known > 0 or not self.inode or there.st_ino == self.inode
        return is_own and there.st_size >= self.offset and zlib.crc32(begins) == self.digest


def remains(path: Path, read: ReadFile) -> list[Path]:
    """The file that was read, under another name, and those that were rotated after it; the oldest first."""
    others = _beside(path)
    renamed = [each for each in others if _inode(each) == read.inode and read.is_at(each)]
    copied = [each for each in others if read.known and each.name.startswith(path.name) and read.is_at(each)]
    found = [*renamed, *copied][:1]
    return [each for old in found for each in (old, *rotated_after(path, old))]


def renamed_from(path: Path, inode: int) -> list[Path]:
    """The files that were rotated after one that is open, by its inode."""
    old = next((each for each in _beside(path) if _inode(each) == inode), None)
    return [] if old is None else rotated_after(path, old)


def rotated_after(path: Path, old: Path) -> list[Path]:
    """The files that were rotated after another: lower numbers, or later dates, at the end of their names."""
    before, end = old.name[: len(path.name) + 1], old.name[len(path.name) + 1 :]
    if before[:-1] != path.name or not end.isdecimal():
        return []
    if len(end) < _DATE:
        found = [path.with_name(f"{before}{number}") for number in range(int(end) - 1, 0, -1)]
        return [each for each in found if each.is_file()]
    later = (each for each in _beside(path) if each.name.startswith(before) and each.name > old.name)
    return sorted(each for each in later if each.name[len(before) :].isdecimal())


def _beside(path: Path) -> list[Path]:
    """The other files in its folder, and in that of the file it is a link to."""
    folders = dict.fromkeys((path.parent, path.resolve().parent))
    found: list[Path] = []
    for folder in folders:
        with suppress(OSError):
            found += [each for each in folder.iterdir() if each.name != path.name and each.is_file()]
    return found


def _inode(path: Path) -> int | None:
    try:
        return path.stat().st_ino
    except OSError:
        return None
