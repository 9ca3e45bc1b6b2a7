"""Ctrl-C and SIGTERM ask the follower to stop, so that it keeps its state; a second one stops it at once."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

import pyarrow as pa

from antelog.cli.stopping import interrupt

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def stoppable() -> Iterator[Callable[[], bool]]:
    """A function that says whether it is time to stop."""
    asked: list[int] = []

    def ask(number: int, _frame: FrameType | None) -> None:
        asked.append(number)
        for each in _SIGNALS:
            signal.signal(each, interrupt)

    before = {each: signal.signal(each, ask) for each in _SIGNALS}
    pa.enable_signal_handlers(False)  # Arrow would break off reading a file, which nobody asked for
    try:
        yield lambda: bool(asked)
    finally:
        pa.enable_signal_handlers(True)
        for each, handler in before.items():
            signal.signal(each, handler)
