"""Feeds: lines that one process appends, and others read from a position on; and the records in them.

A head has all that a reader needs to know, so that reading may begin at any; old lines go, up to a head.
A position is a number that grows, and 0 before all lines.

    driver ── Store ──▶ turbines.state ──▶ StoredFeedAt, FeedReader ── page, alerts
    Spark ── BatchFeed, FolderFeed ──▶ changes.feed/ ──▶ FolderFeed, FeedReader ── page
"""

from __future__ import annotations

import errno
import json
import os
import sqlite3
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol, TypeAlias, TypedDict, cast

import msgspec
from msgspec import Struct

from antelog.answers import OPEN, state_after
from antelog.diagnostics import Source
from antelog.lines import Tick, fits, is_line, line_of
from antelog.run.store.database import is_store, opened
from antelog.writing import PLAIN, Output, errors_at

LARGEST = 64 << 20  # bytes after which a new head is due
KEPT = 1 << 30  # bytes of a feed that are kept
KEPT_SECONDS = 7 * 24 * 3600  # seconds after which lines go, except for the last head and the lines after it
_HEADS = 8  # lines go up to a head, so there are at least this many in the time for which they are kept
_BLOCK = 1_000  # lines in a row of the table, at most
_DECODER = msgspec.json.Decoder(dict[str, Any])


class Feed(Protocol):
    """Lines by position; each line is a JSON object."""

    def read(self, after: int, limit: int) -> tuple[Sequence[bytes], int]:
        """At most `limit` lines behind a position, or the oldest ones, and the position after them."""

    def share(self, position: int) -> float:
        """The share of the kept lines that is before a position."""


class FeedReader:
    """Reads the records of a feed; `damaged` counts lines that are not JSON objects."""

    def __init__(self, feed: Feed, position: int = 0) -> None:
        self.feed, self.position = feed, position
        self.damaged = 0

    def read(self, limit: int = 10_000) -> list[dict[str, Any]]:
        """The next records; empty if there is nothing new."""
        lines, self.position = self.feed.read(self.position, limit)
        return self._records(lines)

    def read_again(self, position: int, limit: int) -> list[dict[str, Any]]:
        """Records behind an earlier position, as far as they are kept."""
        return self._records(self.feed.read(position, limit)[0])

    def share(self) -> float:
        return self.feed.share(self.position)

    def _records(self, lines: Sequence[bytes]) -> list[dict[str, Any]]:
        records = []
        for line in lines:
            try:
                records.append(_DECODER.decode(line))
            except (msgspec.DecodeError, UnicodeDecodeError):
                self.damaged += 1
        return records


def head_line(about: Mapping[str, object], open_lines: Iterable[str]) -> str:
    known = json.dumps(about, ensure_ascii=False)[:-1]
    return f'{{"head": {known}{", " if about else ""}"open": [{", ".join(open_lines)}]}}}}'


class StoredFeed:
    """The feed of a store, written by its writer; a position is the number of a line, from 1 on."""

    def __init__(self, database: sqlite3.Connection, *, largest: int = LARGEST, kept: int = KEPT) -> None:
        self._database, self._largest, self._kept = database, largest, kept
        self._size, self._begun = 0, 0.0
        self.kept_seconds: float = KEPT_SECONDS
        _, self.last = _extent(database)

    @property
    def full(self) -> bool:
        return (
            not self._begun
            or self._size >= self._largest
            or time.time() > self._begun + self.kept_seconds / _HEADS
        )

    def begin(self, about: Mapping[str, object], open_lines: Iterable[str] = ()) -> None:
        self._size, self._begun = 0, time.time()
        self._insert([head_line(about, open_lines)], head=True)
        self._remove_old()

    def append(self, lines: Sequence[str]) -> None:
        if not self.last:
            raise ValueError("a feed begins with a head")
        for start in range(0, len(lines), _BLOCK):
            self._insert(lines[start : start + _BLOCK])

    def _insert(self, lines: Sequence[str], *, head: bool = False) -> None:
        content = "\n".join(lines).encode()
        self.last += len(lines)
        self._size += len(content)
        self._database.execute(
            "INSERT INTO feed VALUES (?, ?, ?, ?, ?)",
            (self.last, len(lines), int(time.time()), head, content),
        )

    def _remove_old(self) -> None:
        """Removes all before the oldest head after which the feed is small and young enough."""
        heads = self._database.execute("SELECT last FROM feed WHERE head ORDER BY last DESC").fetchall()
        room, oldest = self._kept, time.time() - self.kept_seconds
        end, keep = self.last, heads[0][0]
        for (start,) in heads:
            size, newest = self._database.execute(
                "SELECT sum(length(lines)), max(at) FROM feed WHERE last BETWEEN ? AND ?", (start, end)
            ).fetchone()
            room -= size
            if start != heads[0][0] and (room < 0 or newest < oldest):
                break
            keep, end = start, start - 1
        self._database.execute("DELETE FROM feed WHERE last < ?", (keep,))


class StoredFeedAt:
    """The feed of a store that another process writes; its file may be missing at first, or replaced."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._database: sqlite3.Connection | None = None
        self._file: tuple[int, int] | None = None

    def read(self, after: int, limit: int) -> tuple[Sequence[bytes], int]:
        before, database = self._database, self.database()
        if before not in (None, database):
            after = 0
        return ((), after) if database is None else _portion(database, after, limit)

    def extent(self) -> tuple[int, int]:
        """The positions before the first line that is kept and after the last one, of the file last read."""
        database = self._opened()  # of a new file only `read` begins anew
        return (0, 0) if database is None else _extent(database)

    def share(self, position: int) -> float:
        first, last = self.extent()
        return min(1.0, max(0, position - first) / (last - first)) if last > first else 1.0

    def close(self) -> None:
        if self._database is not None:
            self._database.close()
            self._database = None

    def database(self) -> sqlite3.Connection | None:
        """The connection to the store, another one once its file was replaced; None while there is none."""
        if self._database is not None and _identity(self.path) != self._file:
            self.close()
        return self._opened()

    def _opened(self) -> sqlite3.Connection | None:
        if self._database is None and is_store(self.path):
            self._database, self._file = opened(self.path), _identity(self.path)
            # Readers wait for no writer, and not for the disk: see `inbox.ask`.
            for each in ("synchronous = NORMAL", "busy_timeout = 20", "wal_autocheckpoint = 0"):
                self._database.execute(f"PRAGMA {each}")
        return self._database


def _identity(path: Path) -> tuple[int, int] | None:
    with suppress(OSError):
        found = path.stat()
        return found.st_dev, found.st_ino
    return None


def _portion(database: sqlite3.Connection, after: int, limit: int) -> tuple[Sequence[bytes], int]:
    """Reads in one short transaction: a longer one would keep the writer's journal growing."""
    found: list[bytes] = []
    behind = "SELECT last, count, lines FROM feed WHERE last > ? ORDER BY last"
    with closing(database.execute(behind, (after,))) as rows:
        for last, count, content in rows:
            lines = content.split(b"\n")
            start = max(0, count - (last - after)) if last - count < after else 0
            wanted = lines[start : start + limit - len(found)]
            found += wanted
            after = last - count + start + len(wanted)
            if len(found) >= limit:
                break
    return found, after


def _extent(database: sqlite3.Connection) -> tuple[int, int]:
    last, first = database.execute(
        "SELECT max(last), (SELECT last - count FROM feed ORDER BY last LIMIT 1) FROM feed"
    ).fetchone()
    return first or 0, last or 0


Record: TypeAlias = dict[str, Any]


def about(program: Source, length: int | None) -> dict[str, object]:
    """The fields of a head about a program; `length` is that of a tick in microseconds."""
    time = {"origin": "1970-01-01T00:00:00Z", "length_seconds": (length or 0) / 1_000_000}
    included = [{"path": each.name, "program": each.text} for each in program.included]
    more = {"included": included, "limits": dict(program.values)}
    known = {"program": program.text, "path": program.name, **{name: v for name, v in more.items() if v}}
    return {**known, "time": None if length is None else time}


def source_of(head: Mapping[str, Any]) -> Source:
    """The source of the program in a head; its text is empty if unknown."""
    included = tuple(Source(each["program"], each["path"]) for each in head.get("included", ()))
    return Source(head.get("program", ""), head.get("path", ""), included, head.get("limits", {}))


def status_line(status: Mapping[str, Any]) -> str:
    """The line of a status, dated now."""
    return msgspec.json.encode({"status": {"at": wall_time(time.time_ns() // 1000), **status}}).decode()


def wall_time(microseconds: int) -> str:
    """Microseconds since 1970 as text."""
    at = datetime.fromtimestamp(microseconds / 1_000_000, UTC)
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def reject_line(reject: Mapping[str, Any]) -> str:
    """The line of a row that was set aside: `input`, `reason`, `row`, and details."""
    return msgspec.json.encode({"reject": reject}).decode()


def record_of(line: bytes) -> Record | None:
    """The record of a line of JSON; None if it is not one."""
    try:
        found = _DECODER.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
    return found if {"head", "status", "reject"} & found.keys() else cast(Record | None, line_of(found))


class _Slots(Struct):
    of: str
    known: int
    silent: int
    listed: dict[str, str] = {}


class _InputStatus(TypedDict, total=False):
    facts: int
    newest: Tick | None
    delay: int
    late: dict[int, int]
    rejects: dict[str, int]
    heard: str | None
    gap: float | None
    unread: int
    unit: str
    behind: float
    slots: _Slots | None


class HeldInput(Struct):
    """A source that holds time back: others are `ticks` ahead, unless it has no fact yet."""

    source: str
    ticks: int | None


class _Status(Struct):
    tick: Tick | None = None
    at: str | None = None
    inputs: dict[str, _InputStatus] = {}
    holding: str | None = None
    held: HeldInput | None = None
    notes: list[str] = []


class _Head(Struct):
    open: list[dict[str, Any]]
    tick: Tick | None = None
    program: str = ""
    path: str = ""


_KINDS: Mapping[str, Any] = {"status": _Status, "reject": dict[str, Any], "head": _Head}


def is_record(found: Mapping[str, Any]) -> bool:
    """Whether the fields that readers use have the right types; True for unknown kinds."""
    if "change" in found:
        return is_line(found)
    kind = next((each for each in _KINDS if each in found), None)
    return kind is None or fits(found[kind], _KINDS[kind])


# ---- feeds in folders, of pipelines on Spark ----

_DIGITS = 8
_ROOM = 1 << 40  # more bytes than a segment has

_APPEND = os.O_WRONLY | os.O_APPEND | PLAIN
_READ = os.O_RDONLY | PLAIN

_NOT_THERE = (errno.ENOENT, errno.ELOOP)  # errors of a missing file, and of a link in its place


class FolderFeed:
    """A feed in a folder of numbered files, each with a head; a position has file and bytes in one number."""

    def __init__(self, folder: Path, *, largest: int = LARGEST, kept: int = KEPT) -> None:
        self.folder = folder
        self._largest, self._kept = largest, kept
        self._segment: int | None = None
        self._size = 0

    @property
    def full(self) -> bool:
        return self._segment is None or self._size >= self._largest

    def begin(self, about: Mapping[str, object], open_lines: Iterable[str] = ()) -> None:
        with errors_at(self.folder):
            # What facts say is not for everybody on this machine.
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        before, first = self.sizes(), self._segment is None
        self._segment, self._size = max(before, default=-1) + 1, 0
        self._write([head_line(about, open_lines)], os.O_CREAT | os.O_EXCL)
        room = -1 if first else self._kept - self._size
        for segment, size in reversed(before.items()):
            room -= size
            if room < 0:
                self._path(segment).unlink()

    def resume(self) -> int | None:
        """Goes on in the newest file: the position before it, or None if no file is there and whole."""
        segment, size = max(self.sizes().items(), default=(0, 0))
        if not size or self._read_segment(segment, 0, [], size) < size:
            return None
        self._segment, self._size = segment, size
        return segment * _ROOM

    def append(self, lines: Sequence[str]) -> None:
        if self._segment is None:
            raise ValueError("a feed begins with a head")
        if lines:
            self._write(lines)

    def read(self, after: int, limit: int) -> tuple[Sequence[bytes], int]:
        segment, offset = divmod(after, _ROOM)
        found: list[bytes] = []
        while len(found) < limit:
            # Looked for first: what is written to a segment is complete once there is one after it.
            newer = self._after(segment, offset)
            offset += self._read_segment(segment, offset, found, limit)
            if len(found) < limit:
                if newer is None:
                    break
                segment, offset = newer, 0
        return found, segment * _ROOM + offset

    def share(self, position: int) -> float:
        segment, offset = divmod(position, _ROOM)
        sizes = self.sizes()
        read = sum(size for each, size in sizes.items() if each < segment) + offset
        return min(1.0, read / sum(sizes.values())) if any(sizes.values()) else 1.0

    def sizes(self) -> dict[int, int]:
        """The bytes of each file by its number, the oldest first; empty without the folder."""
        return {each: self._path(each).lstat().st_size for each in self._segments()}

    def _segments(self) -> list[int]:
        names = [path.stem for path in self.folder.glob("*.jsonl")]
        return sorted(int(name) for name in names if name.isdecimal() and len(name) >= _DIGITS)

    def _path(self, segment: int) -> Path:
        return self.folder / f"{segment:0{_DIGITS}}.jsonl"

    def _after(self, segment: int, offset: int) -> int | None:
        """The file to go on with when this one is read."""
        there = self._segments()
        newer = [each for each in there if each > segment]
        if newer:
            return newer[0]
        # A folder was removed and begun anew: then numbers are small again.
        return there[0] if there and segment not in there and (segment or offset) else None

    def _read_segment(self, segment: int, offset: int, found: list[bytes], limit: int) -> int:
        """Adds whole lines of a file from an offset on; returns their bytes."""
        size = 0
        try:
            with os.fdopen(os.open(self._path(segment), _READ), "rb") as file:
                file.seek(offset)
                while len(found) < limit and (line := file.readline()).endswith(b"\n"):
                    size += len(line)
                    found.append(line)
        except OSError as error:
            if error.errno not in _NOT_THERE:
                raise
        return size

    def _write(self, lines: Sequence[str], flags: int = 0) -> None:
        assert self._segment is not None
        path = self._path(self._segment)
        with errors_at(path):
            file = Output(os.open(path, _APPEND | flags, 0o600), str(path))
        with file:
            self._size += file.write_all(("\n".join(lines) + "\n").encode())


def is_folder_feed(folder: Path) -> bool:
    return any(FolderFeed(folder).sizes().values())


_OpenLines = dict[tuple[str, bytes], str]  # the last line of each open answer, by its query and values


class BatchFeed:
    """Writes a feed batch by batch, after what the same run has written from the head at `since` on."""

    def __init__(self, feed: FolderFeed, about: Mapping[str, object], since: int = 0) -> None:
        self.feed, self._about = feed, about
        self._open: _OpenLines = {}
        self._tick, self._number = -1, -1
        self._run: object = None
        partial = self._read(since)
        other = self._run != about.get("run")
        if other:
            self._open, self._tick, self._number = {}, -1, -1
        if partial or other or feed.full:
            self._begin()

    def write(self, number: int | None, lines: Sequence[str], status: Mapping[str, Any]) -> None:
        """Writes the lines of a batch and the status after it, unless a batch of its number is there."""
        if number is not None and number <= self._number:
            return
        if self.feed.full:  # a head has what is open before the lines behind it
            self._begin()
        for line in lines:
            _fold(self._open, _DECODER.decode(line), line)
        self._tick = max(self._tick, status.get("tick") or -1)
        self._number = self._number if number is None else number
        counted = {"holding": None, **status, "open": Counter(query for query, _ in self._open)}
        self.feed.append([*lines, status_line({**counted, "batch": self._number})])

    def _begin(self) -> None:
        known = {**self._about, "tick": self._tick, "batch": self._number}
        self.feed.begin(known, list(self._open.values()))

    def _read(self, since: int) -> bool:
        """Reads the whole batches that were written before; True if the last one is not whole."""
        reader = FeedReader(self.feed, since)
        batch: list[dict[str, Any]] = []
        while records := reader.read():
            for record in records:
                if "head" in record:
                    batch, head = [], record["head"]
                    self._open = {}
                    self._fold_all(head["open"])
                    self._tick, self._number = head["tick"], head.get("batch", -1)
                    self._run = head.get("run")
                elif "status" in record:
                    self._fold_all(batch)
                    batch, status = [], record["status"]
                    self._tick, self._number = status["tick"], status.get("batch", -1)
                else:
                    batch.append(record)
        return bool(batch)

    def _fold_all(self, records: Sequence[Mapping[str, Any]]) -> None:
        for each in records:
            _fold(self._open, each, msgspec.json.encode(each).decode())


def _fold(open_: _OpenLines, record: Mapping[str, Any], line: str) -> None:
    if "change" not in record:
        return
    key = record["query"], msgspec.json.encode([record["answer"], record.get("others")])
    if state_after(record) == OPEN:
        open_[key] = line
    else:
        open_.pop(key, None)
