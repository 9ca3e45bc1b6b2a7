"""What a page's process knows: the board of a feed, followed as it grows, and who waits for news.

    sight = Sight(reader)
    await sight.follow()           for as long as the page is served
    await sight.news(version)      until there is something newer than that

In comes a feed, out go versions. A slow reader of the page waits on its own: it is told only that
something is new, and so never more than the latest.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from antelog.errors import AntelogError
from antelog.watch.board.board import Board
from antelog.watch.board.look import Looking

_AT_ONCE = 1_000
"""So many records are taken between two answers to browsers."""
_PAUSE = 0.1
"""Seconds between two looks at a feed that has nothing new."""
EVERY = 0.25
"""Seconds between two pieces of news at least."""


class Reader(Protocol):
    """What a feed is read with."""

    def read(self, limit: int) -> list[dict[str, Any]]: ...


@dataclass(eq=False)
class Sight:
    """A board that follows a feed.

    `caught_up` is when all that there was has been read once; `failure` says why it cannot be read just now.
    """

    reader: Reader
    board: Board = field(default_factory=Board)
    caught_up: bool = False
    _changed: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        self.looking = Looking(self.board)
        self.failure: str | None = None

    async def follow(self) -> None:
        """Take what the feed has, for ever; between two pieces browsers get their turn."""
        while True:
            try:
                self.take_some()
                self.failure = None
            except (OSError, AntelogError) as error:
                self.caught_up, self.failure = True, str(error)
            await asyncio.sleep(0 if not self.caught_up else _PAUSE)

    def take_some(self) -> None:
        records = self.reader.read(_AT_ONCE)
        self.caught_up = len(records) < _AT_ONCE
        if records:
            self.take(records)

    def take(self, records: Iterable[Mapping[str, Any]]) -> None:
        """Some records more; whoever waits for news is told."""
        self.board.take(records)
        self._changed.set()
        self._changed = asyncio.Event()

    async def news(self, version: int) -> int:
        """The version that is newer than this one, once there is one, and not too often."""
        while self.board.version == version:
            await self._changed.wait()
        await asyncio.sleep(EVERY)
        return self.board.version


def summary(board: Board) -> dict[str, Any]:
    """The board in a few numbers."""
    open_by_query = dict.fromkeys(board.head.times, 0)
    for answer in board.open.values():
        open_by_query[answer.query] = open_by_query.get(answer.query, 0) + 1
    return {
        "version": board.version,
        "tick": board.tick,
        "at": board.inputs.status.get("at"),
        "open": open_by_query,
        "holding": board.inputs.holding,
    }
