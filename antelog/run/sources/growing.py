"""A file that lines are appended to. It may be rotated: renamed, or copied and cut, and begun anew.

Another file of its name is noticed by a digest of how it begins, also after a restart; the old one is looked
for beside it and read to its end first:

    temp.csv ─▶ temp.csv.1 ─▶ temp.csv.2        renamed: the same inode
    temp.csv ═▶ temp.csv.1                      copied, and cut: another file that begins as this one did
"""

from __future__ import annotations

import os
import time
import zlib
from contextlib import suppress
from pathlib import Path

import msgspec

from antelog.files.columns import WantedColumns
from antelog.files.naming import Form, unreadable
from antelog.run.sources.source import AT_ONCE, FactSource, LinesOf, Mark, SourceExtent, SourcePiece

_KNOWN = 1 << 10  # the first bytes, which tell a file from another
_DATE = 6  # this many digits at the end of a name are a date, which grows; fewer are a number, which falls
_LAST = 1 << 8  # the last bytes that were read: if others are there, the file was cut and written anew
_KEPT = 60.0  # seconds for which a renamed file is read on after the last was written to it


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


class GrowingFile(FactSource):
    """Reads a file as it grows, once it is there."""

    def __init__(self, path: Path, form: Form, wanted: WantedColumns, *, mark: Mark | None = None) -> None:
        super().__init__()
        self._path, self._form, self._wanted = path, form, wanted
        self._mark: Mark = dict(mark or {})
        self._now: _OpenFile | None = None
        self._before: _OpenFile | None = None
        self._next: list[Path] = []
        self._waiting, self._count = False, 0

    @property
    def mark(self) -> Mark:
        mark = self._now.mark if self._now is not None else self._mark
        return mark if self._before is None else {**mark, "before": self._before.mark}

    @property
    def extent(self) -> SourceExtent:
        left = sum(each.unread for each in (self._before, self._now) if each is not None)
        with suppress(OSError):
            left += sum(path.stat().st_size for path in self._next)
        return SourceExtent(self._count, self._count + left)

    def poll(self) -> list[SourcePiece]:
        found = self._rest_before()
        if self._now is None and not self._open():
            return found
        assert self._now is not None
        if (data := self._now.read()) is None:
            return found + self._cut()
        self._count += len(data)
        found += self._now.lines.feed(data)
        self.behind = len(data) == AT_ONCE
        if not self.behind and (self._next or self._now.is_another(self._path)):
            found += self._replaced()
        return found

    def finish(self) -> list[SourcePiece]:
        files = (self._before, self._now)
        return [piece for each in files if each is not None for piece in each.lines.finish()]

    def close(self) -> None:
        for each in (self._now, self._before):
            if each is not None:
                each.file.close()
        self._now = self._before = None

    def _open(self) -> bool:
        if self._next:
            return self._opened(self._next.pop(0))
        if "before" in self._mark:  # it may still be written to
            before: Mark = self._mark["before"]
            self._mark = {name: value for name, value in self._mark.items() if name != "before"}
            for path in remains(self._path, _read(before))[:1]:
                with suppress(OSError):
                    self._before = _OpenFile(path, self._lines(path, before), before)
        if not self._mark or _read(self._mark).is_at(self._path):
            return self._opened(self._path)
        return self._read_first()

    def _opened(self, path: Path) -> bool:
        try:
            self._now = _OpenFile(path, self._lines(path, self._mark), self._mark)
        except FileNotFoundError:
            if not self._waiting:
                self.notes.append(f"{path} is not there yet; it is read once it is")
            self._waiting, self.behind, self.there = True, False, False
            return False
        except OSError as error:
            raise unreadable(path, error) from None
        self.there = True
        return True

    def _lines(self, path: Path, mark: Mark) -> LinesOf:
        return LinesOf(self._form, str(path), self._wanted, self.notes, mark)

    def _read_first(self) -> bool:
        """Begins with the rest of the file that was read, which has another name now, if it is there."""
        files = remains(self._path, _read(self._mark))
        if files:
            self.notes.append(f"{files[0]} is what {self._path} was; it is read to its end first")
            self._next = files[1:]
            return self._opened(files[0])
        if self._path.exists():
            if self._mark.get("offset"):
                said = f"{self._path} is not the file that was read before; it is read from its start"
                self.notes.append(said + _lost(self._mark))
            self._mark = _header(self._mark)
        return self._opened(self._path)

    def _replaced(self) -> list[SourcePiece]:
        """Goes on with the next file; returns the rest of the old one, which is kept for more."""
        assert self._now is not None
        left = self._now.lines.finish()
        if self._now.path == self._path:
            self.notes.append(f"{self._path} was replaced or cut; it is read from its start")
            old = next((each for each in _beside(self._path) if _inode(each) == self._now.inode), None)
            self._next = [] if old is None else rotated_after(self._path, old)
        if self._before is not None:
            left = self._before.lines.finish() + left
            self._before.file.close()
        self._before, self._mark = self._now, _header(self._now.mark)
        self._now, self.behind = None, True
        self._open()
        return left

    def _cut(self) -> list[SourcePiece]:
        """Goes on after the file was cut: with the rest of its copy if there is one, else at the start."""
        assert self._now is not None
        mark, left = self._now.mark, self._now.lines.finish()
        self._now.file.close()
        self._now, self.behind = None, True
        copies = remains(self._path, _read(mark))
        if copies:
            self.notes.append(f"{self._path} was cut; {copies[0]} is its copy, and read to its end first")
            self._mark, self._next, left = mark, copies, []
        else:
            self.notes.append(f"{self._path} was replaced or cut; it is read from its start{_lost(mark)}")
            self._mark = _header(mark)
        self._open()
        return left

    def _rest_before(self) -> list[SourcePiece]:
        """Rows that are still written to the file before."""
        before = self._before
        if before is None:
            return []
        data = before.read()
        if data:
            self._count += len(data)
            return before.lines.feed(data)
        if data is not None and time.monotonic() < before.heard + _KEPT:
            return []
        before.file.close()
        self._before = None
        return before.lines.finish()


class _OpenFile:
    """An open file, from a mark on. As long as it is open, no other has its inode."""

    def __init__(self, path: Path, lines: LinesOf, mark: Mark) -> None:
        self.path, self.lines = path, lines
        self.file = path.open("rb")
        offset = int(mark.get("offset", 0))
        self.file.seek(offset)
        self._begins = _read_at(self.file.fileno(), min(offset, _KNOWN), 0)
        self._last = _read_at(self.file.fileno(), min(offset, _LAST), max(0, offset - _LAST))
        self.inode = os.fstat(self.file.fileno()).st_ino
        self.heard = time.monotonic()

    @property
    def mark(self) -> Mark:
        mark = self.lines.mark
        known = self._begins[: mark["offset"]]
        return {**mark, "known": len(known), "digest": zlib.crc32(known), "inode": self.inode}

    @property
    def unread(self) -> int:
        """The bytes that were written since."""
        return max(0, os.fstat(self.file.fileno()).st_size - self.file.tell())

    def read(self) -> bytes | None:
        """The bytes that were written since; None if the file was cut, and others precede them."""
        try:
            at, data = self.file.tell(), self.file.read(AT_ONCE)
        except OSError as error:
            raise unreadable(self.path, error) from None
        number = self.file.fileno()
        begins = _read_at(number, len(self._begins), 0)
        if begins != self._begins or _read_at(number, len(self._last), at - len(self._last)) != self._last:
            return None
        if data:
            self._begins = (self._begins + data[:_KNOWN])[:_KNOWN]
            self._last = (self._last + data[-_LAST:])[-_LAST:]
            self.heard = time.monotonic()
        return data

    def is_another(self, path: Path) -> bool:
        """Whether another file has a path by now; an empty one has not been begun."""
        with suppress(OSError):  # between two files
            there = path.stat()
            return there.st_size > 0 and not os.path.samestat(os.fstat(self.file.fileno()), there)
        return False


def _read_at(descriptor: int, count: int, offset: int) -> bytes:
    """Bytes of an open file, whose position stays."""
    if hasattr(os, "pread"):
        return os.pread(descriptor, count, offset)
    here = os.lseek(descriptor, 0, os.SEEK_CUR)  # Windows has no such call
    try:
        os.lseek(descriptor, offset, os.SEEK_SET)
        return os.read(descriptor, count)
    finally:
        os.lseek(descriptor, here, os.SEEK_SET)


def _read(mark: Mark) -> ReadFile:
    return msgspec.convert(mark, ReadFile)


def _header(mark: Mark) -> Mark:
    """The mark of another file that goes on with the header of this one."""
    return {"header": mark["header"]} if "header" in mark else {}


def _lost(mark: Mark) -> str:
    lines = int(mark.get("line", 1)) - 1
    return f". Of the one before {lines:,} lines were read; no file beside it has those behind them"


def remains(path: Path, read: ReadFile) -> list[Path]:
    """The renamed or copied file that was read, and those rotated after it; the oldest first."""
    others = _beside(path)
    renamed = [each for each in others if _inode(each) == read.inode and read.is_at(each)]
    copied = [each for each in others if read.known and each.name.startswith(path.name) and read.is_at(each)]
    found = [*renamed, *copied][:1]
    return [each for old in found for each in (old, *rotated_after(path, old))]


def rotated_after(path: Path, old: Path) -> list[Path]:
    """The files rotated after another: lower numbers, or later dates, at the end of their names."""
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
    with suppress(OSError):
        return path.stat().st_ino
    return None
