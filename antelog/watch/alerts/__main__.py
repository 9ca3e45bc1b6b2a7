"""The process that sends alerts: `python -m antelog.watch.alerts`, which `process.py` beside it starts.

The first line on standard input is a `Work` in JSON. When standard input ends, the stream has ended.
"""

from __future__ import annotations

import asyncio
import signal
import sqlite3
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import msgspec

from antelog.errors import AntelogError
from antelog.run.store.database import StoreLock
from antelog.watch.alerts.running import Work, run, say


async def _main(work: Work) -> None:
    ending = asyncio.Event()
    loop = asyncio.get_running_loop()
    signal.signal(signal.SIGTERM, lambda *_: loop.call_soon_threadsafe(ending.set))

    def wait_for_the_end() -> None:
        sys.stdin.buffer.read()
        loop.call_soon_threadsafe(ending.set)

    threading.Thread(target=wait_for_the_end, daemon=True).start()
    await run(work, ending)


def main() -> int:
    """The exit status: 0 if all went well, 1 if the alerts cannot be sent at all."""
    order = sys.stdin.buffer.readline()
    if not order:
        return 0  # the stream has ended already
    status = 0
    try:
        work = msgspec.json.decode(order, type=Work)
        # The process of a run that was killed may still send: two would send each letter that waits.
        with closing(StoreLock(Path(work.store), "-alerts-lock", wait=True)):
            asyncio.run(_main(work))
    except* (AntelogError, sqlite3.Error) as errors:
        status = 1
        for error in _each(errors):
            say(str(error))
    return status


def _each(errors: ExceptionGroup[Exception]) -> Iterator[Exception]:
    for error in errors.exceptions:
        if isinstance(error, ExceptionGroup):
            yield from _each(error)
        else:
            yield error


if __name__ == "__main__":
    sys.exit(main())
