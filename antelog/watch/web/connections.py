"""Bounds on connections to the page, so that those who send nothing keep nobody out.

    uvicorn.Config(app, http=Connection)

A connection is looked at every few seconds. One that began no request since the last look, and is not
being answered, is ended, however many bytes of a header have come; so is one whose reader takes nothing. Of
more than `most()` connections the oldest that waits for its client is ended, or else the new one.

uvicorn bounds only the pause between two requests. Its `limit_concurrency` counts connections that send
nothing, and then refuses all others.
"""

from __future__ import annotations

import asyncio
import resource
from functools import cache
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

LOOK = 10.0
"""Seconds between two looks at a connection."""
MOST = 500
"""Connections at once, at most."""
_OTHER_FILES = 64
"""Files that this process needs besides."""


@cache
def most() -> int:
    """The connections at once, at most: fewer where a process may open few files."""
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return MOST if files == resource.RLIM_INFINITY else max(1, min(MOST, files - _OTHER_FILES))


class Connection(H11Protocol):
    """A connection that is ended if its client lets it wait."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # as uvicorn's
        super().connection_made(transport)
        self._since = self.loop.time()
        self._last: RequestResponseCycle | None = None
        self._last_unsent = 0
        self._timer = self.loop.call_later(LOOK, self._look)
        there = [each for each in self.connections if isinstance(each, Connection) and each.there]
        if len(there) > most():
            waiting = [each for each in there if each.waits and each is not self]
            min(waiting, key=lambda each: each.since, default=self).transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        self._timer.cancel()
        super().connection_lost(exc)

    @property
    def since(self) -> float:
        """The time at which it was made."""
        return self._since

    @property
    def there(self) -> bool:
        """Whether it has not been ended yet."""
        return not self.transport.is_closing()

    @property
    def waits(self) -> bool:
        """Whether it waits for its client: to begin a request, to end it, or to take the answer."""
        return self._unsent > 0 or not self._answering or self.cycle.more_body

    @property
    def _answering(self) -> bool:
        cycle: RequestResponseCycle | None = self.cycle  # None before the first request
        return cycle is not None and not cycle.response_complete

    @property
    def _unsent(self) -> int:
        return self.transport.get_write_buffer_size()

    def _look(self) -> None:
        unsent = self._unsent
        stuck = 0 < self._last_unsent <= unsent
        silent = not unsent and not self._answering and self.cycle is self._last
        if stuck or silent:
            self.transport.abort()
            return
        self._last, self._last_unsent = self.cycle, unsent
        self._timer = self.loop.call_later(LOOK, self._look)


class PageLoop(asyncio.SelectorEventLoop):
    """A loop in which a connection has little time to agree on its encryption: it is not yet counted."""

    async def create_server(self, *given: Any, **named: Any) -> asyncio.Server:
        if named.get("ssl") is not None:
            named["ssl_handshake_timeout"] = LOOK
        return await super().create_server(*given, **named)
