"""The process that sends alerts, `python -m antelog.watch.alerts.running`, and its start by the stream's."""

from __future__ import annotations

import asyncio
import signal
import sqlite3
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import msgspec

from antelog.errors import AntelogError
from antelog.run.store.database import StoreLock
from antelog.run.store.feed import FeedReader, StoredFeedAt
from antelog.watch.alerts.alert import AlertSetup
from antelog.watch.alerts.groups import AlertGroups, SilentInputs
from antelog.watch.alerts.letters import routes_of
from antelog.watch.alerts.outbox import Outbox, opened
from antelog.watch.alerts.sending import AT_ONCE, POLL, Sender, client_for, say
from antelog.watch.child import Child, Restarts

_AT_ONCE = 100  # lines that are read at a time, for letters to be sent meanwhile
_REST = 1.0  # seconds between two notes of how far the feed is read without an alert
_GONE = "some changes are not looked at: the feed had no room for them any more when they were to be read"
GRACE = 10.0  # seconds for letters that wait once the stream has ended


async def run(setup: AlertSetup, ending: asyncio.Event) -> None:
    """Sends until `ending` is set, and then tries each waiting letter once more. Raises AlertError."""
    routes = routes_of(setup)
    with opened(Path(setup.store)) as outbox:
        receivers = [route.receiver for route in routes]
        # Names are looked up in threads; one whose servers are silent takes none from the others.
        threads = 4 * AT_ONCE * len(receivers) + 1  # one is for telemetry
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(threads))
        outbox.receive(each.name for each in receivers)
        if outbox.begin is None and setup.begin is not None:
            outbox.begin_at(setup.begin)
        known = {each.name for each in receivers}
        for name, count in outbox.waiting().items():
            if name in known:
                say(f"{name}: {count} from before are sent now")
            else:
                say(f"note: {count} wait for {name}, which no --alert names any more")
        read = asyncio.Event()
        async with client_for(receivers) as client, asyncio.TaskGroup() as tasks:
            feed = StoredFeedAt(Path(setup.store))
            tasks.create_task(_read(feed, AlertGroups(outbox, routes), outbox, ending, read))
            senders = [Sender(each, outbox, client, ending, read) for each in receivers]
            sending = [tasks.create_task(each.run()) for each in senders]
            tasks.create_task(_end(ending, sending))
            if setup.otlp:
                from antelog.watch.alerts.telemetry import export  # noqa: PLC0415 - an extra

                tasks.create_task(asyncio.to_thread(export, setup, ending.is_set))
        waiting = outbox.waiting()
        for receiver in receivers:
            if left := waiting.get(receiver.name):
                say(f"{receiver.name}: {left} still to be sent; they are kept for the next start")


async def _read(
    feed: StoredFeedAt, groups: AlertGroups, outbox: Outbox, ending: asyncio.Event, read: asyncio.Event
) -> None:
    position = outbox.position or 0
    reader = FeedReader(feed, position)
    silent = SilentInputs(groups.silent(), time.time())
    saved, clock = 0.0, asyncio.get_running_loop().time
    while True:
        was_ending = ending.is_set()
        lines = []
        if outbox.begin is not None:  # else it is not known yet which changes are over
            if reader.position and feed.extent()[0] > reader.position:
                say(_GONE)
            lines = reader.read(_AT_ONCE)
        here = reader.position
        if lines and groups.take(here, lines):
            saved, position = clock(), here
        elif here != position and (clock() > saved + _REST or (was_ending and not lines)):
            outbox.read_to(here)
            saved, position = clock(), here
        if changes := [*silent.changes(lines, time.time(), more=len(lines) == _AT_ONCE)]:
            groups.add(changes)
        if not lines and outbox.begin is not None:
            groups.send_past()
        groups.send_due(at_the_end=was_ending and not lines)
        if was_ending and not lines:
            read.set()
            return
        await asyncio.sleep(0 if lines else POLL)


async def _end(ending: asyncio.Event, sending: list[asyncio.Task[None]]) -> None:
    """Cancels tasks that still run some seconds after the end of the stream."""
    await ending.wait()
    _, late = await asyncio.wait(sending, timeout=GRACE) if sending else ((), ())
    for task in late:
        task.cancel()


# ---- the process ----

_STARTING = 20.0  # seconds that a process may need to start and to end, on a machine that is busy


class AlertProcess:
    """The process that sends the alerts of a store. Raises AlertError if the store cannot be used."""

    def __init__(
        self, store: Path, setup: AlertSetup, newest: Callable[[], int | None] = lambda: None
    ) -> None:
        self._store, self._newest = store, newest
        self.trouble, self.failed = "", False  # it keeps dying, or could not end well
        with opened(store) as outbox:
            if outbox.position is None:
                # Where alerts begin at the newest time, open answers are looked for in all of the past.
                outbox.read_to(0 if setup.begin is None else StoredFeedAt(store).extent()[1])
            if setup.otlp and outbox.exported is None:
                outbox.export_to(StoredFeedAt(store).extent()[1])
            self._knows_begin = outbox.begin is not None or setup.begin is not None
        self._order = msgspec.json.encode(replace(setup, store=str(store)))
        self.child = self._started()
        self._restarts = Restarts()

    def tend(self) -> None:
        """Restarts it if it has ended by itself, less and less often; stores where alerts begin."""
        if not self._knows_begin and (tick := self._newest()) is not None:
            with opened(self._store) as outbox:
                outbox.begin_at(tick)
            self._knows_begin = True
        if not self.child.alive and self._restarts.due():
            self._restart()

    def stop(self) -> None:
        """Lets it send waiting letters, and end; one that has died is started once more for that."""
        if not self.child.alive:
            self._restart()
        self.child.end(GRACE + _STARTING)
        self.failed = self.child.process.returncode != 0

    def _restart(self) -> None:
        how = self.child.how_it_ended
        self._restarts.deaths += 1
        say(f"the process that sends them has ended with {how}; it is started again")
        if self._restarts.deaths > 1:
            self.trouble = (
                f"The process that sends alerts has ended {self._restarts.deaths} times, at last with {how}: "
                "alerts may be late or missing. The reason is on standard error of antelog watch."
            )
        self.child.end(0)
        self.child = self._started()

    def _started(self) -> Child:
        return Child("antelog.watch.alerts.running", self._order)


async def _run_until_input_ends(setup: AlertSetup) -> None:
    ending = asyncio.Event()
    loop = asyncio.get_running_loop()
    signal.signal(signal.SIGTERM, lambda *_: loop.call_soon_threadsafe(ending.set))

    def wait_for_the_end() -> None:
        sys.stdin.buffer.read()
        loop.call_soon_threadsafe(ending.set)

    threading.Thread(target=wait_for_the_end, daemon=True).start()
    await run(setup, ending)


def main() -> int:
    """Sends by the setup on standard input until that ends; returns 1 if alerts cannot be sent at all."""
    order = sys.stdin.buffer.readline()
    if not order:
        return 0  # the stream has ended already
    status = 0
    try:
        setup = msgspec.json.decode(order, type=AlertSetup)
        # The process of a run that was killed may still send: two would send each letter that waits.
        with closing(StoreLock(Path(setup.store), "-alerts-lock", wait=True)):
            asyncio.run(_run_until_input_ends(setup))
    except* (AntelogError, sqlite3.Error) as errors:
        status, waiting = 1, [*errors.exceptions]
        while waiting:
            error = waiting.pop(0)
            if isinstance(error, ExceptionGroup):
                waiting = [*error.exceptions, *waiting]
            else:
                say(str(error))
    return status


if __name__ == "__main__":
    sys.exit(main())
