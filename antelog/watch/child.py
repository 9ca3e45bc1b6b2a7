"""Child processes of the one that follows the stream: they end when their standard input does."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress

_TAIL = 4_000  # bytes of a child's standard error that are kept, the latest
BETWEEN_STARTS = 5.0  # seconds from the start to the next, if a child dies; then twice as many, and so on
LONGEST = 300.0  # seconds from one start to the next, at most


class Child:
    """A Python module that runs in a process of its own. With `answers` its output is read here."""

    def __init__(self, module: str, order: bytes, *, answers: bool = False) -> None:
        # A session of its own: an interrupt of the terminal is for this process, which ends its children.
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-m", module],  # not from the working folder, where a user's files are
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE if answers else subprocess.DEVNULL,
            stderr=subprocess.PIPE if answers else None,
            start_new_session=True,
            env={"MALLOC_ARENA_MAX": "1", **os.environ},  # with a heap for each thread a page grows for ever
        )
        self._errors = b""
        self._reading = threading.Thread(target=self._read_errors, daemon=True)
        self._reading.start()
        assert self.process.stdin is not None
        # Settings come by its input, so that no list of processes shows a token or an address.
        with suppress(OSError):  # it has ended already, and has printed why
            self.process.stdin.write(order + b"\n")
            self.process.stdin.flush()

    def printed(self) -> bytes:
        """Returns its output since the last call, where that is read here."""
        pipe = self.process.stdout
        if pipe is None or pipe.closed:
            return b""
        os.set_blocking(pipe.fileno(), False)
        return pipe.read() or b""

    @property
    def errors(self) -> bytes:
        """The last bytes of its standard error, where that is read here."""
        if not self.alive:
            self._reading.join(1)
        return self._errors

    def _read_errors(self) -> None:
        """Reads at once: a child that writes to a full pipe would wait."""
        pipe = self.process.stderr
        while pipe is not None and (more := os.read(pipe.fileno(), _TAIL)):
            self._errors = (self._errors + more)[-_TAIL:]

    @property
    def how_it_ended(self) -> str:
        status = self.process.returncode
        return signal.Signals(-status).name if status is not None and status < 0 else f"status {status}"

    @property
    def alive(self) -> bool:
        return self.process.poll() is None

    def end(self, seconds: float) -> None:
        """Closes its input and waits; kills it after some seconds."""
        assert self.process.stdin is not None
        with suppress(OSError):
            self.process.stdin.close()
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self._reading.join(1)
        for pipe in (self.process.stdout, self.process.stderr):
            if pipe is not None:
                pipe.close()


class Restarts:
    """The times at which a child that has ended is restarted: soon at first, then less and less often."""

    def __init__(self) -> None:
        self._since, self._between = time.monotonic(), BETWEEN_STARTS
        self.deaths = 0

    def due(self) -> bool:
        """Whether a restart is due. If so, the next one is due after twice the time."""
        now = time.monotonic()
        if now < self._since + self._between:
            return False
        self._since, self._between = now, min(2 * self._between, LONGEST)
        return True
