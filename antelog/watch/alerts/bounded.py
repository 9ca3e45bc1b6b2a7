"""Bounds the bytes read for each letter: to parse an endless answer would take the time of all receivers."""

from __future__ import annotations

from typing import Any

import httpcore
import httpx

_MOST = 1 << 17  # bytes that are read since the last write, at most


def bound(client: httpx.AsyncClient) -> None:
    """Bounds what a client reads from its connections, also through proxies."""
    # The library takes no backend, so it is set where it keeps it.
    for each in (client._transport, *client._mounts.values()):
        if isinstance(each, httpx.AsyncHTTPTransport):
            pool: Any = each._pool
            pool._network_backend = _BoundedBackend(pool._network_backend)


class _BoundedBackend(httpcore.AsyncNetworkBackend):
    def __init__(self, inner: httpcore.AsyncNetworkBackend) -> None:
        self._inner = inner

    async def connect_tcp(self, *given: Any, **named: Any) -> httpcore.AsyncNetworkStream:
        return _BoundedStream(await self._inner.connect_tcp(*given, **named))

    async def sleep(self, seconds: float) -> None:
        await self._inner.sleep(seconds)


class _BoundedStream(httpcore.AsyncNetworkStream):
    """A connection that fails once too much was read."""

    def __init__(self, inner: httpcore.AsyncNetworkStream) -> None:
        self._inner, self._left = inner, _MOST

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        found = await self._inner.read(max_bytes, timeout)
        self._left -= len(found)
        if self._left < 0:
            raise httpcore.ReadError
        return found

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._left = _MOST
        await self._inner.write(buffer, timeout)

    async def aclose(self) -> None:
        await self._inner.aclose()

    async def start_tls(self, *given: Any, **named: Any) -> httpcore.AsyncNetworkStream:
        return _BoundedStream(await self._inner.start_tls(*given, **named))

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)
