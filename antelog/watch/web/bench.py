"""A page on which rules are tried: an editor stands beside the views, and posts what its author changes.

    page_app(live, Entry(…, bench=bench))

The page is the same; the bench says what it edits, and gives the board of another draft or tick to `live`.
"""

from __future__ import annotations

from typing import Any, Protocol

from antelog.watch.web.live_board import LiveBoard


class NoEditError(ValueError):
    """A posted body is no edit, or it asks for something that is not there."""


class Bench(Protocol):
    """The draft of a page, and what comes of it."""

    live: LiveBoard

    def state(self) -> dict[str, Any]:
        """The draft, its problems, and the ticks to look at."""

    async def post(self, body: bytes) -> dict[str, Any]:
        """Takes an edit. Raises NoEditError."""

    def shared(self) -> str:
        """The draft and all its ticks as one file of HTML, without a script."""
