"""News for readers who wait, written once for all of them.

A page that is seen hears what has changed of what it shows (`page`), and one that is hidden only how much is
due (`due`). Programs hear the whole state each time.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import suppress
from typing import Any

import msgspec

from antelog.watch.web.live_board import LiveBoard

_BEAT, _LOOK = 10.0, 2.0  # seconds between two signs of life, and two looks at what time changes
_LATER = frozenset({"version", "heard"})  # what each fact changes: readers hear it at a look

State = Mapping[str, Any]


class News:
    """Looks at the state of a page while somebody reads, and tells what is new of it."""

    def __init__(self, live: LiveBoard, shown: Callable[[], State], whole: Callable[[], State]) -> None:
        self._live, self._shown, self._whole = live, shown, whole
        self._readers = Counter[str]()
        self._number, self._state, self._texts = 0, dict[str, Any](), dict[str, str]()
        self._more = asyncio.Event()
        self._telling: asyncio.Task[None] | None = None

    async def told(self, only: str) -> AsyncGenerator[str, None]:
        """Yields the state as it is, then news: of a page, of what is due, or else whole states."""
        self._readers[only] += 1
        try:
            if self._telling is None or self._telling.done():
                self._say(self._shown())
                self._telling = asyncio.create_task(self._tell())
            number, sent = self._number, time.monotonic()
            yield self._all(only)
            while not self._telling.done():
                if number == self._number:
                    with suppress(TimeoutError):
                        async with asyncio.timeout(_BEAT):
                            await self._more.wait()
                text = ""
                if number != self._number:  # a slow reader has missed some
                    text = self._texts.get(only, "") if number + 1 == self._number else self._all(only)
                elif time.monotonic() >= sent + _BEAT:
                    text = ": still there\n\n"
                number = self._number
                if text:
                    sent = time.monotonic()
                    yield text
        finally:
            self._readers[only] -= 1

    async def _tell(self) -> None:
        version, said = self._state["version"], time.monotonic()
        while self._readers.total():
            with suppress(TimeoutError):
                async with asyncio.timeout(_LOOK):
                    await self._live.news(version)
            state = self._shown()
            version = state["version"]
            new = {name for name, value in state.items() if self._state[name] != value}
            if new - _LATER or (new and time.monotonic() >= said + _LOOK):
                said = time.monotonic()
                self._say(state)

    def _say(self, state: State) -> None:
        new = {name: value for name, value in state.items() if self._state.get(name, self) != value}
        self._number, self._state = self._number + 1, dict(state)
        due = {"due": state["due"]} if "due" in new else {}
        self._texts = {"page": _event(new), "due": _event(due) if due else ""}
        if self._readers[""]:
            self._texts[""] = self._all("")
        self._more.set()
        self._more = asyncio.Event()

    def _all(self, only: str) -> str:
        known = {"page": self._state, "due": {"due": self._state["due"]}}
        return _event(known[only] if only in known else self._whole())


def _event(state: State) -> str:
    return f"event: state\ndata: {msgspec.json.encode(state).decode()}\n\n"
