"""The process that sends alerts: `python -m antelog.watch.alerts`, which `process.py` beside it starts.

Its first line on standard input says what to do, in JSON. When standard input ends, so does the stream:
whoever started it has stopped, or has died.
"""

from __future__ import annotations

import asyncio
import signal
import sqlite3
import sys
import threading

import msgspec

from antelog.errors import AntelogError
from antelog.watch.alerts.running import run
from antelog.watch.alerts.work import Work, say


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
    told = sys.stdin.buffer.readline()
    if not told:
        return 0  # whoever started it has died since
    status = 0
    try:
        asyncio.run(_main(msgspec.json.decode(told, type=Work)))
    except* (AntelogError, sqlite3.Error) as errors:
        status = 1
        for error in errors.exceptions:
            say(str(error))
    return status


if __name__ == "__main__":
    sys.exit(main())
