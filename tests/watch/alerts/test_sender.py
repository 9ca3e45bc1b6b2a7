"""antelog/watch/alerts/sender.py: one receiver; `test_running.py` beside it has whole streams."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from antelog.run.store import Store
from antelog.watch.alerts.outbox import opened
from antelog.watch.alerts.receivers import receiver_of
from antelog.watch.alerts.sender import Sender, Stream

pytestmark = pytest.mark.usefixtures("here")


@pytest.mark.parametrize("turns", range(4))
def test_it_ends_when_told_to_even_if_a_letter_is_through_just_then(turns: int) -> None:
    Store.open(Path("p.state")).close()

    async def cancelled() -> None:
        with opened(Path("p.state")) as outbox:
            stream = Stream(asyncio.Event(), asyncio.Event())
            sender = Sender(receiver_of("command:true"), outbox, None, stream, print)
            task = asyncio.create_task(sender.run())
            for _ in range(5):  # it waits by then
                await asyncio.sleep(0)  # noqa: TID251 - a turn of the loop
            sender._done.set()
            for _ in range(turns):
                await asyncio.sleep(0)  # noqa: TID251 - a turn of the loop
            task.cancel()
            _, pending = await asyncio.wait([task], timeout=20)
            assert not pending

    asyncio.run(cancelled())
