"""The server of a page, in a process of its own or in a thread of this one, with bounds on connections.

uvicorn bounds only the pause between two requests, and its `limit_concurrency` refuses all others once many
connections send nothing.
"""

from __future__ import annotations

import asyncio
import socket
import threading
from functools import cache, partial
from typing import Any

import msgspec
import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

from antelog.errors import UnsupportedError
from antelog.watch.web.address import PageAddress, Tokens, new_token
from antelog.watch.web.app import Bench, Entry, page_app
from antelog.watch.web.live_board import LiveBoard
from antelog.writing import given_by_system


def listen(address: PageAddress) -> socket.socket:
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    found = socket.socket(family, socket.SOCK_STREAM)
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    found.bind((address.host.strip("[]"), address.port))
    found.listen(2048)
    return found


def server_of(app: ASGIApp, address: PageAddress) -> uvicorn.Server:
    config = uvicorn.Config(
        app,
        http=Connection,
        log_level="critical",
        access_log=False,
        server_header=False,
        date_header=False,
        proxy_headers=False,
        ssl_certfile=address.certificate,
        ssl_keyfile=address.key,
        timeout_graceful_shutdown=1,
        ws="none",
    )
    return uvicorn.Server(config)


def serve(server: uvicorn.Server, listening: socket.socket) -> None:
    with asyncio.Runner(loop_factory=PageLoop) as runner:
        runner.run(server.serve([listening]))


def served_here(live: LiveBoard, bench: Bench | None = None, port: int = 0) -> str:
    """Serves a page to this machine, and returns its link. Raises UnsupportedError if the port is taken."""
    given = PageAddress(port=port, tokens=Tokens(new_token(), None if bench is None else new_token()))
    try:
        listening = listen(given)
    except OSError as error:
        raise UnsupportedError(f"{given.host}:{port}: {error.strerror or error}") from None
    address = msgspec.structs.replace(given, port=listening.getsockname()[1])
    app = page_app(live, Entry(address.hosts, address.origins, address.tokens, bench=bench))
    threading.Thread(target=partial(serve, server_of(app, address), listening), daemon=True).start()
    return address.link_to_act or address.link


# ---- connections ----

LOOK = 10.0  # seconds between two looks at a connection
MOST = 500  # connections at once, at most
_OTHER_FILES = 64  # further files that this process needs


@cache
def most() -> int:
    resource: Any = given_by_system("resource")
    if resource is None:
        return MOST
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return MOST if files == resource.RLIM_INFINITY else max(1, min(MOST, files - _OTHER_FILES))


class Connection(H11Protocol):
    """A connection that is ended if its client lets it wait."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # as uvicorn's
        super().connection_made(transport)
        self.since = self.loop.time()
        self._last: RequestResponseCycle | None = None
        self._last_unsent = 0
        self._timer = self.loop.call_later(LOOK, self._look)
        known = (each for each in self.connections if isinstance(each, Connection))
        there = [each for each in known if not each.transport.is_closing()]
        if len(there) > most():
            waiting = [each for each in there if each.waits and each is not self]
            min(waiting, key=lambda each: each.since, default=self).transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        self._timer.cancel()
        super().connection_lost(exc)

    @property
    def waits(self) -> bool:
        """Whether it waits for its client: to begin a request, to end it, or to take the answer."""
        unsent = self.transport.get_write_buffer_size()
        return unsent > 0 or not self._answering or self.cycle.more_body

    @property
    def _answering(self) -> bool:
        cycle: RequestResponseCycle | None = self.cycle  # None before the first request
        return cycle is not None and not cycle.response_complete

    def _look(self) -> None:
        unsent = self.transport.get_write_buffer_size()
        stuck = 0 < self._last_unsent <= unsent
        silent = not unsent and not self._answering and self.cycle is self._last
        if stuck or silent:
            self.transport.abort()
            return
        self._last, self._last_unsent = self.cycle, unsent
        self._timer = self.loop.call_later(LOOK, self._look)


class PageLoop(asyncio.SelectorEventLoop):
    """A loop that gives TLS handshakes little time, as such connections are not yet counted."""

    async def create_server(self, *given: Any, **named: Any) -> asyncio.Server:
        if named.get("ssl") is not None:
            named["ssl_handshake_timeout"] = LOOK
        return await super().create_server(*given, **named)
