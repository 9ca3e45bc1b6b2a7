"""The process that sends alerts, seen from the one that follows the stream.

    alerts = start(feed, wanted, state)      before the first step: what is in the feed by then is old
    alerts.keep()                            now and then: starts it again if it has died
    alerts.stop()                            at the end: what waits is tried once more, for some seconds

It has its standard input as a leash: it ends when we do, however we end. No address is on its command line.
"""

from __future__ import annotations

import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import msgspec

from antelog.watch.alerts.alert import Wanted
from antelog.watch.alerts.outbox import opened
from antelog.watch.alerts.work import GRACE, Work, say
from antelog.watch.feed.segments import segment_path, segments_in
from antelog.watch.restarts import Restarts

_BETWEEN_STARTS = 5.0
"""Seconds from the start to the next, if it dies; then twice as many, and so on."""
_STARTING = 20.0
"""Seconds that a process may need to start and to end, on a machine that is busy."""


class Alerts:
    """The process that sends; `start` makes it."""

    def __init__(self, work: Work) -> None:
        self._work = work
        self._process = _started(work)
        self._restarts = Restarts(_BETWEEN_STARTS)

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self._process.pid

    def keep(self) -> None:
        """Start it again if it has ended by itself, but not time and again."""
        if self._process.poll() is None or not self._restarts.due():
            return
        say(f"the process that sends them has ended with {self._process.returncode}; it is started again")
        self._let_go()
        self._process = _started(self._work)

    def stop(self) -> None:
        """Let it send what waits, and end."""
        self._let_go()
        try:
            self._process.wait(GRACE + _STARTING)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _let_go(self) -> None:
        with suppress(OSError):
            assert self._process.stdin is not None
            self._process.stdin.close()


def start(feed: Path, wanted: Wanted, state: Path | None) -> Alerts:
    """Start to send the alerts of a feed. Raises AlertError.

    What waits is kept beside the `state`, if there is one, else in the feed.
    """
    outbox = feed / "alerts.db" if state is None else state.with_name(f"{state.name}.alerts")
    feed.mkdir(mode=0o700, parents=True, exist_ok=True)
    with opened(outbox) as kept:
        if kept.position is None:
            kept.take(_end_of(feed), [])
    return Alerts(Work(str(feed), str(outbox), wanted))


def _end_of(feed: Path) -> tuple[int, int]:
    """Where the feed ends now: what is before has been told without alerts."""
    segments = segments_in(feed)
    return (segments[-1], segment_path(feed, segments[-1]).stat().st_size) if segments else (0, 0)


def _started(work: Work) -> subprocess.Popen[bytes]:
    # A session of its own: what the terminal interrupts is the stream, which then stops the alerts.
    process = subprocess.Popen(
        [sys.executable, "-m", "antelog.watch.alerts"],
        stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    assert process.stdin is not None
    with suppress(OSError):  # it has ended already, and has said why
        process.stdin.write(msgspec.json.encode(work) + b"\n")
        process.stdin.flush()
    return process
