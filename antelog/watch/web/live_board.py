"""A board that follows a feed, with updates for those who wait.

    live = LiveBoard(reader)
    await live.follow()           for as long as the page is served
    await live.news(version)      waits for a newer version

A slow reader delays nobody: it only learns that there is a newer version, and then gets the latest. With a
path the board is kept there now and then, and a page that is started again goes on from it.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Protocol

from antelog.errors import AntelogError
from antelog.forecast.reports.words import count
from antelog.run.store import FeedReader, Record
from antelog.watch.board.board import Board
from antelog.watch.board.saved_board import KeptBoard
from antelog.watch.board.tracked_answer import LINES, TrackedAnswer

_AT_ONCE = 1_000  # records that are taken between two answers to browsers, at most
_PAUSE = 0.1  # seconds between two reads of a feed that has nothing new
_LISTED = 50  # silent slots of an input in a summary, at most
EVERY = 0.25  # seconds between two pieces of news at least


class Reader(Protocol):
    """Reads the next records of a feed, and old ones again if it has a `position`.

    `damaged` is the number of lines that were no records.
    """

    @property
    def position(self) -> int | None:
        return None

    @property
    def damaged(self) -> int:
        return 0

    def read(self, limit: int) -> list[Record]: ...

    def read_again(self, _position: int, _limit: int) -> list[Record]:
        """Records behind an earlier position."""
        return []

    def share(self) -> float:
        """The share of what there is that was read."""
        return 1.0


@dataclass(eq=False)
class LiveBoard:
    """A board that follows a feed.

    `caught_up`: all records so far have been read; `failure`: the reason why the feed cannot be read now.
    `catching_up`: it has not yet read what was there at its start, and so shows nothing.
    """

    reader: Reader
    board: Board = field(default_factory=Board)
    caught_up: bool = False
    path: Path | None = None
    say: Callable[[str], None] = lambda _: None
    _changed: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        self._kept: KeptBoard | None = None
        if self.path is not None and isinstance(self.reader, FeedReader):
            self._kept = KeptBoard(self.path, self.reader)
            self.board = self._kept.board() or self.board
        self.failure: str | None = None
        self.catching_up, self._damaged_then = False, 0

    async def follow(self) -> None:
        """Reads the feed for ever, in pieces, and serves requests between them.

        What cannot be read now may be read later. After any other error it ends, and says so.
        """
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
                await kept.keep(self.board)

    def _fail(self, reason: str) -> None:
        self.caught_up = True
        if self.failure != reason:
            self.failure = reason
            self.say(f"the page cannot read on: {reason}")
            self.refresh()

    def find(self, name: str) -> TrackedAnswer | None:
        """An answer; one that the board holds no more is read from the feed."""
        if self.board.find(name) is None:
            pieces = self.board.pieces.of(name)
            records = (
                record
                for piece in [*pieces[:1], *pieces[1:][-LINES:]]
                for record in self.reader.read_again(piece.position, piece.records)
            )
            self.board.recall(name, records)
        return self.board.find(name)

    def take_some(self) -> None:
        began, before = time.process_time(), self.reader.position
        if before is not None:
            self.board.pieces.begin(before)
        records = self.reader.read(_AT_ONCE)
        self.caught_up = len(records) < _AT_ONCE
        if records:
            self.take(records)
        if self._kept is not None:
            self._kept.read(before or 0, len(records), time.process_time() - began)

    @property
    def share(self) -> float:
        """The share of what there is that was read."""
        return self.reader.share()

    @property
    def damaged(self) -> int:
        """The lines that were skipped, as they are not records."""
        return self.board.damaged + self.reader.damaged

    def take(self, records: Iterable[Mapping[str, Any]]) -> None:
        """Folds records into the board, and wakes those who wait for news."""
        self.board.take(records)
        self._wake()

    def show(self, board: Board) -> None:
        """Takes another board in place of this one."""
        board.version = self.board.version + 1
        self.board = board
        self._wake()

    def refresh(self) -> None:
        """Makes a new version of the board, for something beside it has changed."""
        self.board.version += 1
        self._wake()

    def _wake(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()

    async def news(self, version: int) -> int:
        """Waits for a version newer than this one, and for a pause, and returns the latest."""
        while self.board.version == version:
            await self._changed.wait()
        await asyncio.sleep(EVERY)
        return self.board.version


def skipped(number: int) -> str:
    """A sentence about lines that were skipped."""
    are, they = ("is not a record", "was") if number == 1 else ("are not records", "were")
    return f"{count(number, 'line')} {are} that antelog writes, and {they} skipped"


def summary(board: Board) -> dict[str, Any]:
    """The summary of a board: its version, tick, numbers of open answers, and freshness of inputs.

    Of each input when facts came last and how soon more should come, in seconds, and what rests on it.
    """
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
        "fresh": fresh,
    }
