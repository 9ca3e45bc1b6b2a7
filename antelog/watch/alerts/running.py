"""The process that sends alerts: reads the feed, stores letters in the outbox, sends them.

Each receiver has its own loop, so a slow one does not delay others. When the stream ends, the feed is read to
its end and each waiting letter is tried once more; one that fails stays in the outbox for the next run.
"""

from __future__ import annotations

import asyncio
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from antelog.escaping import shown
from antelog.run.store import FeedReader, StoredFeedAt
from antelog.watch.alerts.alert import AlertSetup
from antelog.watch.alerts.outbox import REFUSED, SENT, Outbox, opened
from antelog.watch.alerts.receivers import Receiver
from antelog.watch.alerts.routes import letters, routes_of
from antelog.watch.alerts.sending import Attempt, send, wait_after

_AT_ONCE = 2_000
_POLL = 0.1
_REST = 1.0
"""Seconds between two notes of how far the feed is read without a letter."""

GRACE = 10.0
"""Seconds for letters that wait once the stream has ended."""


@dataclass(frozen=True)
class Work:
    """The path of the store, which has the feed and the outbox, and the alerts."""

    store: str
    setup: AlertSetup


def say(message: str) -> None:
    """Prints a message to stderr."""
    sys.stderr.write(f"alerts: {shown(message)}\n")
    sys.stderr.flush()


async def run(work: Work, ending: asyncio.Event) -> None:
    """Sends until `ending` is set, and for a short while after. Raises AlertError."""
    routes = routes_of(work.setup)
    with opened(Path(work.store)) as outbox:
        receivers = [route.receiver for route in routes]
        outbox.receive(each.name for each in receivers)
        _say_what_is_left(outbox, receivers)
        read = asyncio.Event()  # once all of the feed is
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(_read(work, outbox, ending, read))
            sending = [tasks.create_task(_Sender(each, outbox, ending, read).run()) for each in receivers]
            tasks.create_task(_end(ending, sending))
        waiting = outbox.waiting()
        for receiver in receivers:
            if count := waiting.get(receiver.name):
                say(f"{receiver.name}: {count} still to be sent; they are kept for the next start")


async def _read(work: Work, outbox: Outbox, ending: asyncio.Event, read: asyncio.Event) -> None:
    """Follows the feed, and stores letters in the outbox."""
    routes = routes_of(work.setup)
    position = outbox.position or 0
    reader = FeedReader(StoredFeedAt(Path(work.store)), position)
    saved, clock = 0.0, asyncio.get_running_loop().time
    while True:
        was_ending = ending.is_set()
        _say_what_is_gone(reader)
        lines = reader.read(_AT_ONCE)
        found = [letter for line in lines for letter in letters(routes, line)]
        here = reader.position
        if found or (here != position and (clock() > saved + _REST or (was_ending and not lines))):
            outbox.take(here, found)
            saved, position = clock(), here
        if was_ending and not lines:
            read.set()
            return
        await asyncio.sleep(0 if lines else _POLL)


class _Sender:
    """Sends the waiting letters of one receiver, one after the other."""

    def __init__(
        self, receiver: Receiver, outbox: Outbox, ending: asyncio.Event, read: asyncio.Event
    ) -> None:
        self._receiver, self._outbox, self._ending, self._read = receiver, outbox, ending, read
        self._failures = 0
        self._said = ""

    async def run(self) -> None:
        while True:
            all_there = self._read.is_set()
            waiting = self._outbox.first(self._receiver.name)
            if waiting is None:
                if all_there:
                    return
                await asyncio.sleep(_POLL)
                continue
            attempt = await send(self._receiver, waiting.letter)
            self._tell(attempt)
            if attempt.what in (SENT, REFUSED):
                self._outbox.settle(waiting, attempt.what)
                self._failures = 0
                continue
            # A letter is to blame only if the receiver is there: while it is down, the order stays.
            self._outbox.fail(waiting, itself=attempt.there)
            self._failures += 1
            if self._ending.is_set():
                return
            with suppress(TimeoutError):
                await asyncio.wait_for(self._ending.wait(), wait_after(self._failures, attempt.asked))

    def _tell(self, attempt: Attempt) -> None:
        """Prints the outcome of an attempt if its reason differs from the one before."""
        if attempt.reason == self._said:
            return
        self._said = attempt.reason
        name = self._receiver.name
        if attempt.what == SENT:
            say(f"{name}: receives again")
        elif attempt.what == REFUSED:
            say(f"{name}: {attempt.reason}, and it is not sent again")
        else:
            say(f"{name}: {attempt.reason}; it is tried again, and what comes meanwhile is kept")


async def _end(ending: asyncio.Event, sending: list[asyncio.Task[None]]) -> None:
    """Cancels tasks that still run some seconds after the end of the stream."""
    await ending.wait()
    _, late = await asyncio.wait(sending, timeout=GRACE)
    for task in late:
        task.cancel()


def _say_what_is_gone(reader: FeedReader) -> None:
    """Prints a note if the feed dropped lines before they were read."""
    if reader.position and reader.feed.summary().first > reader.position:
        say(
            "some changes are not looked at: the feed had no room for them any more when they were to be read"
        )


def _say_what_is_left(outbox: Outbox, receivers: list[Receiver]) -> None:
    """Prints notes of letters that wait from before."""
    known = {each.name for each in receivers}
    for name, count in outbox.waiting().items():
        if name in known:
            say(f"{name}: {count} from before are sent now")
        else:
            say(f"note: {count} wait for {name}, which no --alert names any more")
