"""antelog/watch/web/listening.py: those who send nothing, or read nothing, keep nobody out."""

import asyncio
import http.client
import resource
import socket
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import pytest
import uvicorn
from starlette.types import Receive, Scope, Send

from antelog.watch.web import listening
from antelog.watch.web.address import PageAddress, Tokens
from antelog.watch.web.guard import LARGEST
from antelog.watch.web.listening import Connection, most
from antelog.watch.web.serving import Page
from tests.processes import until_async
from tests.watch.lines import possible, served


@contextmanager
def few_files(count: int) -> Iterator[None]:
    """Processes that are started here may open so many files."""
    before, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (count, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (before, hard))


LINES = [possible("wt2", 7)]
ADDRESS = PageAddress(tokens=Tokens("to-look", facts="for-facts"))


def test_connections_that_send_nothing_keep_nobody_out(tmp_path: Path) -> None:
    with few_files(256), served(tmp_path, LINES, address=ADDRESS) as (page, _):
        resource.setrlimit(resource.RLIMIT_NOFILE, (2048, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
        with ExitStack() as stack:
            for number in range(400):
                idle = stack.enter_context(socket.create_connection(("127.0.0.1", page.address.port), 20))
                with suppress(ConnectionError):  # it may have been ended already
                    idle.sendall(b"GET /healthz HTTP/1.1\r\nHost: " if number % 2 else b"")
            assert _healthy(page)


def _healthy(page: Page) -> bool:
    connection = http.client.HTTPConnection("127.0.0.1", page.address.port, timeout=20)
    try:
        connection.request("GET", "/healthz")
        return connection.getresponse().status == 200
    finally:
        connection.close()


@pytest.mark.parametrize("token", ["for-facts", "wrong"])
def test_a_post_that_is_too_large_is_answered_before_its_connection_is_closed(
    tmp_path: Path, token: str
) -> None:
    with served(tmp_path, LINES, address=ADDRESS) as (page, _):
        connection = http.client.HTTPConnection("127.0.0.1", page.address.port, timeout=20)
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        headers |= {"Connection": "close"}
        for _ in range(3):
            connection.request("POST", "/facts/Temp", b" " * (LARGEST + 1_000_000), headers)
            answer = connection.getresponse()
            assert answer.status == (413 if token == "for-facts" else 401)
            assert b"error" in answer.read()
            connection.close()


# ---- in this process, with little patience ----


async def _app(scope: Scope, _receive: Receive, send: Send) -> None:
    if scope["type"] != "http":
        return
    await send({"type": "http.response.start", "status": 200, "headers": []})
    for _ in range(1_000 if scope["path"] == "/much" else 0):
        await send({"type": "http.response.body", "body": b"x" * 65_536, "more_body": True})
    for _ in range(60 if scope["path"] == "/news" else 0):
        await send({"type": "http.response.body", "body": b".", "more_body": True})
        await asyncio.sleep(listening.LOOK / 4)  # noqa: TID251 - news come now and then
    await send({"type": "http.response.body", "body": b"done"})


Client = Callable[[int, uvicorn.Server], Awaitable[None]]


def _run(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """Serves an app as long as a client has something to do with it."""
    monkeypatch.setattr(listening, "LOOK", 0.1)

    async def run() -> None:
        with socket.socket() as listening:
            listening.bind(("127.0.0.1", 0))
            listening.listen()
            config = uvicorn.Config(_app, http=Connection, log_level="critical", timeout_keep_alive=60)
            server = uvicorn.Server(config)
            serving = asyncio.create_task(server.serve([listening]))
            await asyncio.wait_for(client(listening.getsockname()[1], server), 60)
            server.should_exit = server.force_exit = True
            await serving

    asyncio.run(run())


@pytest.mark.parametrize(
    "begun",
    [b"", b"GET / HTTP/1.1\r\nX: ", b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"],
    ids=["silent", "half", "idle"],
)
def test_a_connection_that_asks_for_nothing_is_ended(begun: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    async def client(port: int, _server: uvicorn.Server) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(begun)
        await _end(reader)
        writer.close()

    _run(client, monkeypatch)


def test_a_header_that_comes_byte_by_byte_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    async def client(port: int, server: uvicorn.Server) -> None:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"GET / HTTP/1.1\r\nX: ")
        await until_async(lambda: len(server.server_state.connections) == 1)

        def ended() -> bool:
            writer.write(b"x")
            return not server.server_state.connections

        await until_async(ended)
        writer.close()

    _run(client, monkeypatch)


def test_a_reader_who_takes_nothing_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    async def client(port: int, server: uvicorn.Server) -> None:
        _, writer = await asyncio.open_connection("127.0.0.1", port, limit=1)
        writer.write(b"GET /much HTTP/1.1\r\nHost: x\r\n\r\n")
        await until_async(lambda: len(server.server_state.connections) == 1)
        await until_async(lambda: not server.server_state.connections)
        writer.close()

    _run(client, monkeypatch)


def test_a_stream_of_news_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    async def client(port: int, _server: uvicorn.Server) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"GET /news HTTP/1.1\r\nHost: x\r\n\r\n")
        for _ in range(40):  # ten looks
            assert await reader.readuntil(b".")
        writer.close()

    _run(client, monkeypatch)


def test_of_too_many_the_oldest_that_waits_for_its_client_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listening, "most", lambda: 3)

    async def client(port: int, server: uvicorn.Server) -> None:
        monkeypatch.setattr(listening, "LOOK", 60.0)
        opened = [await asyncio.open_connection("127.0.0.1", port) for _ in range(4)]
        await _end(opened[0][0])
        for _, writer in opened[1:]:
            writer.write(b"GET /news HTTP/1.1\r\nHost: x\r\n\r\n")
        for reader, _ in opened[1:]:
            await reader.readuntil(b".")
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        await _end(reader)  # all others are being answered
        assert len(server.server_state.connections) == 3
        for _, each in (*opened, (reader, writer)):
            each.close()

    _run(client, monkeypatch)


def test_few_files_allow_few_connections() -> None:
    most.cache_clear()
    with few_files(128):
        assert most() == 128 - 64
    most.cache_clear()
    assert 0 < most() <= 500


async def _end(reader: asyncio.StreamReader) -> None:
    with suppress(ConnectionError):
        while await reader.read(65_536):
            pass
