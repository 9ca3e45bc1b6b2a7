"""The details of the answer that somebody looks at: asked of the run that follows the stream, by its store.

    details = DetailReader(store, live)
    details.of(answer)       AnswerDetail(8, 0.64, …); None if nothing is known yet

An engine in this process is asked itself. Other sources, such as files of changes, have no details.
"""

from __future__ import annotations

import asyncio
import sqlite3
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, runtime_checkable

import msgspec

from antelog.errors import StateError
from antelog.process import Engine
from antelog.run.answer_details import AnswerDetail, detail_of
from antelog.run.store import is_store
from antelog.run.store.inbox import ask
from antelog.watch.board.tracked_answer import TrackedAnswer
from antelog.watch.web.live_board import LiveBoard

_TRIES, _PAUSE = 20, 0.1
"""How often, and after how many seconds, it is looked whether details have come that were just asked for."""


@runtime_checkable
class HasEngine(Protocol):
    """A source in this process, with an engine at the tick that is shown; None before there is one."""

    @property
    def engine(self) -> Engine | None: ...


@dataclass(eq=False)
class DetailReader:
    """Asks for details, and wakes those who wait for news once there are some."""

    store: Path | None
    live: LiveBoard
    _waiting: set[asyncio.Task[None]] = field(default_factory=set)

    def of(self, answer: TrackedAnswer) -> AnswerDetail | None:
        """The details of an answer, as far as they are known."""
        if isinstance(self.live.reader, HasEngine):
            engine = self.live.reader.engine
            return None if engine is None else detail_of(engine, answer.line)
        if self.store is None or not is_store(self.store):
            return None
        found = self._asked(self.store, answer)
        if found is None and not self._waiting:
            waiting = asyncio.ensure_future(self._wait(self.store, answer))
            self._waiting.add(waiting)
            waiting.add_done_callback(self._waiting.discard)
        return found

    def _asked(self, store: Path, answer: TrackedAnswer) -> AnswerDetail | None:
        try:
            found = ask(store, answer.id, answer.lines[-1], time.time())
            return None if found is None else msgspec.json.decode(found, type=AnswerDetail)
        except (StateError, sqlite3.Error, msgspec.DecodeError):
            return None  # of an earlier make, or busy

    async def _wait(self, store: Path, answer: TrackedAnswer) -> None:
        for _ in range(_TRIES):
            await asyncio.sleep(_PAUSE)
            if self._asked(store, answer) is not None:
                self.live.refresh()
                return
