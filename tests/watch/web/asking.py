"""Requests to the page's app, put to it as a server would, header by header."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import msgspec
from starlette.types import ASGIApp, Message

from antelog.watch.board.board import Board
from antelog.watch.web.address import PageAddress, Tokens
from antelog.watch.web.app import Entry, page_app
from antelog.watch.web.live_board import LiveBoard, Reader
from tests.watch.lines import Record, head

TOKEN = "the-token"
FACTS = "the-token-for-facts"
ACTS = "the-token-to-act"
ADDRESS = PageAddress(port=8080, tokens=Tokens(TOKEN, ACTS, FACTS))


class NoFeed(Reader):
    """A reader of a feed that has nothing more to say."""

    def read(self, limit: int) -> list[Record]:
        assert limit > 0
        return []


def sight(*records: Record) -> LiveBoard:
    found = LiveBoard(NoFeed(), Board(), caught_up=True)
    found.board.take([head(), *records])
    return found


def guarded(found: LiveBoard, folder: Any = None) -> ASGIApp:
    return page_app(found, Entry(ADDRESS.hosts, ADDRESS.origins, ADDRESS.tokens, folder))


@dataclass(frozen=True)
class Answered:
    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()

    @property
    def json(self) -> Any:
        return msgspec.json.decode(self.body)


def ask(
    app: ASGIApp,
    path: str,
    *,
    method: str = "GET",
    body: bytes = b"",
    token: str | None = TOKEN,
    root: str = "",
    **headers: Any,
) -> Answered:
    """What the app answers. A header that is None is left out; `host` is this server's own unless given."""
    given: dict[str, str | None] = {"host": "127.0.0.1:8080"}
    if token is not None:
        given["authorization"] = f"Bearer {token}"
    given |= {name.replace("_", "-"): value for name, value in headers.items()}
    if method == "POST" and "content-length" not in given:
        given["content-length"] = str(len(body))
    route, _, query = path.partition("?")
    scope = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": method, "scheme": "http",
        "path": root + route, "raw_path": (root + route).encode(), "root_path": root,
        "query_string": query.encode(),
        "headers": [(name.encode(), value.encode()) for name, value in given.items() if value is not None],
        "client": ("127.0.0.1", 5000), "server": ("127.0.0.1", 8080),
    }  # fmt: skip
    return asyncio.run(_asked(app, scope, body))


async def _asked(app: ASGIApp, scope: dict[str, Any], body: bytes) -> Answered:
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: Message) -> None:
        sent.append(message)

    await app(scope, receive, send)
    start = sent[0]
    headers = {name.decode().lower(): value.decode() for name, value in start["headers"]}
    return Answered(start["status"], headers, b"".join(message.get("body", b"") for message in sent[1:]))
