"""A board that follows its source, with updates for those who wait; and the sources of a page."""

from __future__ import annotations

import asyncio
import os
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Protocol

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from antelog.engine.transition import RuleChange
from antelog.errors import AntelogError, DataError
from antelog.forecast.reports.words import count
from antelog.lines import line_of
from antelog.process import Engine
from antelog.program import Program
from antelog.run.sinks.json_lines import Style, change_lines
from antelog.run.sinks.result import StepResult, remark, steps_of
from antelog.run.store import feed as feeds
from antelog.run.store.database import is_store
from antelog.run.store.feed import FeedReader, FolderFeed, Record
from antelog.watch.board.board import Board
from antelog.watch.board.input_status import seconds_of
from antelog.watch.board.judged_feed import IncidentFile, JudgedFeed
from antelog.watch.board.past import Past, reached
from antelog.watch.board.saved_board import KeptBoard
from antelog.watch.board.tracked_answer import LINES, TrackedAnswer

_AT_ONCE = 1_000  # records that are read between two responses to browsers, at most
_PAUSE = 0.1  # seconds between two reads of a feed that has nothing new
_LISTED = 50  # silent slots of an input in a summary, at most
_LINES, _TABLES = (".jsonl", ".ndjson", ".json"), (".parquet",)
_LINES_AT_ONCE = 5_000  # lines that are read of a file of changes at once, at most
EVERY = 0.25  # seconds between two pieces of news, at least


class Reader(Protocol):
    """Reads the next records of a source, and old ones again if it has a `position`."""

    @property
    def position(self) -> int | None:
        return None

    @property
    def damaged(self) -> int:
        """The number of lines that are not records."""
        return 0

    def read(self, limit: int) -> list[Record]: ...

    def read_again(self, _position: int, _limit: int) -> list[Record]:
        return []

    def share(self) -> float:
        """Returns the share of the source that was read."""
        return 1.0


@dataclass(eq=False)
class LiveBoard:
    """A board that follows a source. With a `path` it is kept there, and a restarted page goes on from it."""

    reader: Reader
    board: Board = field(default_factory=Board)
    caught_up: bool = False  # all records so far have been read
    path: Path | None = None
    say: Callable[[str], None] = lambda _: None
    then: int | None = None  # the tick in the past at which it is
    _changed: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        self._kept: KeptBoard | None = None
        if self.path is not None and isinstance(self.reader, FeedReader):
            self._kept = KeptBoard(self.path, self.reader)
            self.board = self._kept.board() or self.board
        feed = self.reader.feed if isinstance(self.reader, FeedReader) else None
        kept = () if self._kept is None else self._kept.snapshots
        self.past = None if feed is None or self.then is not None else Past(self.board, feed, kept)
        self.failure: str | None = None  # the reason why the source cannot be read now
        self.catching_up = False  # records of before its start are not yet read, so it shows nothing
        self._damaged_then = 0

    async def follow(self) -> None:
        """Reads the source for ever, in pieces; one that cannot be read now is tried again."""
        try:
            await self._follow()
        except Exception as error:
            self._fail(f"{type(error).__name__}: {error}. It does not follow any more: start it again")
            raise

    async def _follow(self) -> None:
        kept, self.catching_up = self._kept, True
        while True:
            try:
                self.take_some()
                if self.caught_up and self.catching_up:
                    self.board.tables.open.fill_words()  # before the first reader asks
                    self.catching_up = False
                if self.failure is not None:
                    self.failure = None
                    self.refresh()
            except (OSError, AntelogError) as error:
                self._fail(str(error))
            if self.caught_up and self.damaged >= max(1, 2 * self._damaged_then):  # and then twice as many
                self._damaged_then = self.damaged
                self.say(f"the page: {skipped(self.damaged)}")
            await asyncio.sleep(0 if not self.caught_up else _PAUSE)
            if kept is not None and kept.due:
                await kept.keep(self.board, self.past.snapshots if self.past else ())

    def _fail(self, reason: str) -> None:
        self.caught_up = True
        if self.failure != reason:
            self.failure = reason
            self.say(f"the page cannot read on: {reason}")
            self.refresh()

    def find(self, name: str) -> TrackedAnswer | None:
        """Finds an answer; one that the board no longer holds is read from the feed."""
        if self.board.find(name) is None:
            pieces = self.board.pieces.of(name)
            records = (
                record
                for piece in [*pieces[:1], *pieces[1:][-LINES:]]
                for record in self.reader.read_again(piece.position, piece.records)
                if self.then is None or reached(record) <= self.then
            )
            self.board.recall(name, records)
        return self.board.find(name)

    @property
    def present(self) -> float:
        """The time in seconds since 1970; of a board in the past, that of its last status."""
        at = None if self.then is None else seconds_of(self.board.inputs.status.get("at"))
        return time.time() if at is None else at

    @property
    def moment(self) -> float | None:
        """The time of a board in the past; None if it is of now."""
        return None if self.then is None else self.present

    async def at(self, tick: int) -> LiveBoard:
        """Returns this board as it was at a tick; itself if that is now, or its past is not kept."""
        if self.past is None or self.board.tick is None or tick >= self.board.tick:
            return self
        board = await asyncio.to_thread(self.past.at, tick)
        return LiveBoard(self.reader, board, caught_up=True, then=max(tick, board.tick or 0))

    def take_some(self) -> None:
        if isinstance(self.reader, ChangesReader):
            self.reader = self.reader.or_of_feed()
        began, before = time.process_time(), self.reader.position
        if before is not None:
            self.board.pieces.begin(before)
        records = self.reader.read(_AT_ONCE)
        self.caught_up = len(records) < _AT_ONCE
        if records:
            if self.past is not None:
                self.past.take(self.board, records, before or 0)
            self.take(() if self.past is not None else records)
        if self._kept is not None:
            self._kept.read(before or 0, len(records), time.process_time() - began)

    @property
    def damaged(self) -> int:
        return self.board.damaged + self.reader.damaged

    def take(self, records: Iterable[Mapping[str, Any]]) -> None:
        """Folds records into the board, and wakes those who wait for news."""
        self.board.take(records)
        self._wake()

    def show(self, board: Board) -> None:
        board.version, board.seen = self.board.version + 1, self.board.seen + 1
        self.board = board
        self._wake()

    def refresh(self) -> None:
        """Makes a new version of the board, as something beside it has changed."""
        self.board.version += 1
        self.board.seen += 1
        self._wake()

    def _wake(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()

    async def news(self, version: int) -> int:
        """Waits for a version newer than this one, and for a pause; returns the latest."""
        while self.board.version == version:
            await self._changed.wait()
        await asyncio.sleep(EVERY)
        return self.board.version


def skipped(number: int) -> str:
    are, they = ("is not a record", "was") if number == 1 else ("are not records", "were")
    return f"{count(number, 'line')} {are} that antelog writes, and {they} skipped"


def summary(board: Board) -> dict[str, Any]:
    """Sums up a board: its version, tick, open answers, and of each input its pulse and what rests on it."""
    counts = board.open_by_query
    fresh: dict[str, dict[str, Any]] = {}
    for each in board.inputs.each():
        queries = [query for query, inputs in board.head.rests_on.items() if each.name in inputs]
        answers = sum(counts.get(query, 0) for query in queries)
        fresh[each.name] = {**asdict(each.pulse), "queries": queries, "open": answers}
        if (slots := board.inputs.slots(each.name)) is not None:
            listed = dict([*slots.listed.items()][:_LISTED])
            shown = {name: getattr(slots, name) for name in ("of", "noun", "known", "silent")}
            fresh[each.name]["slots"] = {**shown, "listed": listed}
    return {
        "version": board.version,
        "tick": board.tick,
        "at": board.inputs.status.get("at"),
        "open": counts,
        "holding": board.inputs.holding,
        "held": board.inputs.status.get("held"),
        "fresh": fresh,
    }


# ---- sources ----


def reader_of(path: Path) -> Reader:
    """Makes a reader of a feed or of changes. Raises DataError if there is no such file or folder."""
    if is_store(path):
        return FeedReader(feeds.StoredFeedAt(path))
    if not os.path.exists(path):  # noqa: PTH110 - of a name that no file can have, too
        raise DataError(f"{path}: there is no such file or folder; give a store, or a folder of changes")
    return ChangesReader(path)


def judged_feed(reader: Reader, file: IncidentFile | None) -> JudgedFeed | None:
    """The answers of a feed, judged by a list; None without a list, and for what is not a feed."""
    return JudgedFeed(reader.feed, file) if file is not None and isinstance(reader, FeedReader) else None


class ChangesReader(Reader):
    """Reads a file of changes as it grows, or the files of a folder: each once, by age, then name."""

    damaged = 0

    def __init__(self, path: Path) -> None:
        self.path = path
        self._done: set[Path] = set()
        self._offsets: dict[Path, int] = {}
        self._waiting: deque[Record] = deque()

    def or_of_feed(self) -> Reader:
        """The reader of a feed if the folder has become one, which may be empty at first."""
        fresh = not self._done and not self._offsets and self.path.is_dir()
        return FeedReader(FolderFeed(self.path)) if fresh and feeds.is_folder_feed(self.path) else self

    def read(self, limit: int) -> list[Record]:
        for path in self._files() if len(self._waiting) < limit else ():
            self._waiting += self._grown(path) if path.suffix.lower() in _LINES else self._table(path)
            if len(self._waiting) >= limit:
                break
        return [self._waiting.popleft() for _ in range(min(limit, len(self._waiting)))]

    def share(self) -> float:
        """Returns the share of the bytes of all files that was read."""
        sizes = {path: path.stat().st_size for path in self._files()}
        read = sum(size if path in self._done else self._offsets.get(path, 0) for path, size in sizes.items())
        return min(1.0, read / sum(sizes.values())) if any(sizes.values()) else 1.0

    def _files(self) -> list[Path]:
        if self.path.is_file():
            return [self.path]
        # Files that begin with a dot or an underscore are Spark's own.
        found = (
            path
            for path in self.path.rglob("*")
            if path.suffix.lower() in (*_LINES, *_TABLES)
            and not any(part.startswith((".", "_")) for part in path.relative_to(self.path).parts)
        )
        return sorted(found, key=lambda path: (path.stat().st_mtime_ns, path.name))

    def _grown(self, path: Path) -> Iterator[Record]:
        with path.open("rb") as file:
            file.seek(self._offsets.get(path, 0))
            for _ in range(_LINES_AT_ONCE):
                line = file.readline()
                if not line.endswith(b"\n"):
                    break
                self._offsets[path] = self._offsets.get(path, 0) + len(line)
                if (record := feeds.record_of(line)) is not None:
                    yield record
                else:
                    self.damaged += 1

    def _table(self, path: Path) -> Iterator[Record]:
        if path in self._done:
            return
        try:
            rows = pq.read_table(path).to_pylist()
        except (OSError, pa.ArrowException):
            return  # not written to its end yet
        self._done.add(path)
        found = [line_of(row) for row in rows]
        self.damaged += found.count(None)
        yield from (dict(each) for each in found if each is not None)


class EngineReader(Reader):
    """The records of an engine: the open answers at the start, then the changes given to `tell`."""

    def __init__(self, engine: Engine, program: Program) -> None:
        self.engine = engine
        self._waiting: deque[Record] = deque()
        self._begin(program, {})

    def _begin(self, program: Program, more: Mapping[str, Any]) -> None:
        engine = self.engine
        self._relations = list(engine.plan.queries)
        tables = {query.name: engine.answers(query.name) for query in self._relations}
        known = {**feeds.about(program.source, engine.plan.tick), "tick": engine.now, **more}
        self._waiting.append({"head": {**known, "open": self._lines(StepResult(engine.now, tables))}})

    def change_rules(self, change: RuleChange, program: Program) -> None:
        closed, changes = steps_of(change, self.engine.plan)
        self._waiting.extend(self._lines(closed))
        self._begin(program, {"rules_changed": remark(change, self.engine.plan)})
        self._waiting.extend(self._lines(changes))

    def tell(self, tick: int, changes: Mapping[str, pa.Table]) -> None:
        """Adds the changes that `advance` has returned; may be called from any thread."""
        self._waiting.extend(self._lines(StepResult(tick, changes)))
        self._waiting.append({"status": {"tick": tick}})

    def read(self, limit: int) -> list[Record]:
        return [self._waiting.popleft() for _ in range(min(limit, len(self._waiting)))]

    def _lines(self, step: StepResult) -> list[Record]:
        text = change_lines(self._relations, step, Style())
        return [msgspec.json.decode(line) for line in text.splitlines()]
