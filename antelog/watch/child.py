"""Processes beside the one that follows the stream: the page and the alerts.

    child = Child("antelog.watch.alerts", b'{"store": …}')
    child.alive, child.pid
    child.end(30)        its standard input ends; it is killed if it takes longer than this

Its standard input is a leash: a child ends when this process does, however that ends. What it has to know is
the first line there, so that no list of processes shows a token or an address.
"""

from __future__ import annotations

import subprocess
import sys
import time
from contextlib import suppress

LONGEST = 300.0
"""Seconds from one start to the next, at most."""


class Child:
    """A Python module that runs in a process of its own. With `answers` its output is read here."""

    def __init__(self, module: str, order: bytes, *, answers: bool = False) -> None:
        # A session of its own: an interrupt of the terminal is for this process, which ends its children.
        self.process = subprocess.Popen(
            [sys.executable, "-m", module],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE if answers else subprocess.DEVNULL,
            stderr=subprocess.PIPE if answers else None,
            start_new_session=True,
        )
        assert self.process.stdin is not None
        with suppress(OSError):  # it has ended already, and has said why
            self.process.stdin.write(order + b"\n")
            self.process.stdin.flush()

    @property
    def pid(self) -> int:
        return self.process.pid

    @property
    def alive(self) -> bool:
        return self.process.poll() is None

    def end(self, seconds: float) -> None:
        """Let it end."""
        self._close_input()
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        for pipe in (self.process.stdout, self.process.stderr):
            if pipe is not None:
                pipe.close()

    def _close_input(self) -> None:
        assert self.process.stdin is not None
        with suppress(OSError):
            self.process.stdin.close()


class Restarts:
    """When a child that has ended by itself is started again: soon at first, then more and more slowly.

    `between` are the seconds to the first start that is due, from when this is made.
    """

    def __init__(self, between: float) -> None:
        self._since, self._between = time.monotonic(), between

    def due(self) -> bool:
        """Whether it may be started again. If so, the next start is due after twice as long."""
        now = time.monotonic()
        if now < self._since + self._between:
            return False
        self._since, self._between = now, min(2 * self._between, LONGEST)
        return True
