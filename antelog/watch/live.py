"""The page as an ASGI app, to be mounted in an app of yours; a notebook shows a link to it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from antelog.errors import DataError, UnsupportedError
from antelog.escaping import tag
from antelog.given import NAMED, PATH, TEXT, TEXTS, checked, of, optional, wrong
from antelog.lazily import libraries
from antelog.process import Engine
from antelog.program import Program

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

    from antelog.watch.web.live_board import EngineReader, LiveBoard

LOCAL = frozenset({"localhost", "127.0.0.1", "[::1]"})  # this machine's names for itself


class Live:
    """An ASGI app that shows what is open. It begins to follow its source with the first request."""

    def __init__(self, live: LiveBoard, app: ASGIApp, reader: EngineReader | None) -> None:
        self._live, self._app, self._reader = live, app, reader
        self._following: asyncio.Task[None] | None = None
        self._link = ""

    @checked(changes=NAMED)
    def tell(self, changes: Mapping[str, pa.Table]) -> None:
        """Shows the changes that `engine.advance` returned."""
        if self._reader is None:
            raise DataError("only a page of an engine takes changes; a store and a folder are followed")
        for query in self._reader.engine.plan.queries:
            table = changes.get(query.name)
            if not isinstance(table, pa.Table):
                raise wrong(f"the changes of {query.name}", table, "what `engine.advance` returned")
        self._reader.tell(self._reader.engine.now, changes)

    @checked(program=of(Program, "an antelog.Program"))
    def change_rules(self, program: Program) -> None:
        """Shows the rules of a program, after `engine.change_rules`."""
        change = None if self._reader is None else self._reader.engine.rule_change
        if self._reader is None or change is None:
            raise DataError("the rules of this engine have not been changed: call its `change_rules` first")
        self._reader.change_rules(change, program)

    def _repr_html_(self) -> str:
        """Returns a link for a notebook, and begins to serve the page to this machine, with a token."""
        if self._following is not None:
            return tag("p", "This page is served by the app that it is mounted in.")
        if not self._link:
            from antelog.watch.web.listening import served_here  # noqa: PLC0415 - needs uvicorn

            self._link = served_here(self._live)
        link = tag("a", "What is open now", href=self._link, target="_blank", rel="noopener")
        return tag("p", link, ": a page that is served to this machine while the notebook runs")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._link:
            raise UnsupportedError("this page is served to a notebook; make another one with `antelog.live`")
        # An app that is mounted in another gets no event when that starts.
        if scope["type"] == "http" and (self._following is None or self._following.done()):
            self._following = asyncio.create_task(self._live.follow())
            await asyncio.sleep(0)
        await self._app(scope, receive, send)


@checked(
    program=optional(of(Program, "an antelog.Program")), hosts=TEXTS, token=optional(TEXT), embed_from=TEXTS
)
def live(
    source: Any,
    *,
    program: Program | None = None,
    hosts: Iterable[str] = (),
    token: str | None = None,
    embed_from: Iterable[str] = (),
) -> Live:
    """An ASGI app that shows what is open now, why, and how far it can be trusted.

    source      an engine (see `Live.tell`), or the path of a store or a folder of changes
    program     the engine's program, whose text the page shows
    hosts       what requests may call this server, such as "plant.example"; if none is given, the names of
                this machine: any other page could make its own name lead here
    token       the token of readers; without one, the outer app alone says who may look
    embed_from  the origins of pages that may show the brief and the map in frames: "https://wall.example"
    """
    with libraries():
        from antelog.watch.web import address, app, live_board  # noqa: PLC0415 - needs Starlette
    path = reader = None
    if isinstance(source, Engine):
        if program is None:
            raise DataError("an engine does not know the text of its rules; add program=…")
        reader = live_board.EngineReader(source, program)
        board = live_board.LiveBoard(reader)
    elif not isinstance(source, str | PathLike):
        raise DataError.of("page.source", kind=type(source).__name__)
    elif not PATH.fits(source):
        raise wrong("the source", source, PATH.words)
    else:
        path = Path(source)
        board = live_board.LiveBoard(live_board.reader_of(path))
    names = frozenset(each.casefold() for each in hosts) or LOCAL
    origins = frozenset(f"{scheme}://{name}" for scheme in ("http", "https") for name in names)
    framed = address.origins_of(embed_from, "embed_from")
    entry = app.Entry(names, origins, address.Tokens(token), path, embed_from=framed)
    return Live(board, app.page_app(board, entry), reader)
