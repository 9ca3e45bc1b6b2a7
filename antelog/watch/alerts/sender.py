"""Sends the letters of one receiver, several at a time.

    await Sender(receiver, outbox, client, stream, say).run()

A letter that fails while the receiver answers rests, and those about other answers go on. A receiver that
cannot be reached, or fails many times in a row, is down: it gets one letter after a while, the oldest, until
it takes one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from antelog.watch.alerts.outbox import REFUSED, SENT, Outbox, WaitingLetter
from antelog.watch.alerts.receivers import Receiver
from antelog.watch.alerts.sending import Attempt, send, wait_after

if TYPE_CHECKING:
    import httpx

POLL = 0.1
"""Seconds between two looks for letters."""
AT_ONCE = 8
"""Letters on their way to a receiver, at most. A command gets them one after the other."""
IN_A_ROW = 8
"""Failures in a row after which a receiver that answers is down."""
MOST_RESTING = 1_000
"""Letters that rest, at most; then others wait for them. To look past more would take the time of others."""


@dataclass(frozen=True)
class Stream:
    """`ending`: the stream has ended; `read`: and all letters are in the outbox."""

    ending: asyncio.Event
    read: asyncio.Event


class Sender:
    """The letters of one receiver that are on their way, or rest."""

    def __init__(
        self,
        receiver: Receiver,
        outbox: Outbox,
        client: httpx.AsyncClient | None,
        stream: Stream,
        say: Callable[[str], None],
    ) -> None:
        self._receiver, self._outbox, self._client = receiver, outbox, client
        self._stream, self._say = stream, say
        self._clock = asyncio.get_running_loop().time
        self._busy: set[int] = set()
        self._rests: dict[int, tuple[int, float]] = {}
        """The failures of letters of their own, and until when they rest, on the loop's clock."""
        self._in_a_row = self._failures = 0
        self._paused_until = self._down_since = 0.0
        self._last_time, self._given_up = False, False
        self._said = ""
        self._done = asyncio.Event()

    async def run(self) -> None:
        """Sends until the stream has ended, and each letter has been tried once more."""
        async with asyncio.TaskGroup() as tasks:
            while not self._given_up:
                all_there = self._stream.read.is_set()
                self._done.clear()
                if self._stream.ending.is_set() and not self._last_time:
                    self._last_time, self._rests = True, {}
                while len(self._busy) < self._room() and (waiting := self._next()) is not None:
                    self._busy.add(waiting.number)
                    tasks.create_task(self._try(waiting))
                if all_there and not self._busy:
                    return
                with suppress(TimeoutError):
                    async with asyncio.timeout(POLL):  # `wait_for` may swallow that the task is to end
                        await self._done.wait()

    def _room(self) -> int:
        """The letters that may be on their way now."""
        paused = self._clock() < self._paused_until or len(self._resting) >= MOST_RESTING
        if paused and not self._stream.ending.is_set():
            return 0
        return 1 if self._failures or self._receiver.words else AT_ONCE

    def _next(self) -> WaitingLetter | None:
        return self._outbox.first(self._receiver.name, [*self._busy, *self._resting])

    @property
    def _resting(self) -> list[int]:
        now = self._clock()
        return [number for number, (_, until) in self._rests.items() if until > now]

    async def _try(self, waiting: WaitingLetter) -> None:
        began = self._clock()
        attempt = await send(self._receiver, waiting.letter, self._client)
        self._busy.discard(waiting.number)
        self._done.set()
        if attempt.what in (SENT, REFUSED):
            self._outbox.settle(waiting, attempt.what)
            self._rests.pop(waiting.number, None)
            self._in_a_row = self._failures = 0
            self._tell(attempt)
            return
        self._tell(attempt)
        # A letter is to blame only if the receiver is there: while it is down, the order stays.
        self._outbox.fail(waiting, itself=attempt.there)
        if attempt.there:
            failures = self._rests.get(waiting.number, (0, 0.0))[0] + 1
            until = float("inf") if self._last_time else self._clock() + wait_after(failures)
            self._rests[waiting.number] = failures, until
        self._pause(attempt, began)

    def _pause(self, attempt: Attempt, began: float) -> None:
        """Gives a receiver that is down some time; it is down once, however many were on their way to it."""
        self._in_a_row += 1
        now = self._clock()
        if attempt.asked is not None:
            self._paused_until = max(self._paused_until, now + wait_after(1, attempt.asked))
        down = not attempt.there or self._in_a_row > IN_A_ROW
        if down and (not self._failures or began >= self._down_since):
            self._failures += 1
            self._down_since = now
            self._paused_until = max(self._paused_until, now + wait_after(self._failures, attempt.asked))
        self._given_up = self._given_up or (down and self._last_time)

    def _tell(self, attempt: Attempt) -> None:
        """Prints the outcome of an attempt if its reason is new, or if no letter rests any more."""
        if attempt.reason == self._said or (attempt.what == SENT and self._rests):
            return
        self._said = attempt.reason
        name = self._receiver.name
        if attempt.what == SENT:
            self._say(f"{name}: receives again")
        elif attempt.what == REFUSED:
            self._say(f"{name}: {attempt.reason}, and it is not sent again")
        else:
            self._say(f"{name}: {attempt.reason}; it is tried again, and what comes meanwhile is kept")
