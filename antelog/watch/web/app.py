"""The page as an ASGI app behind its guard: routes for the page, its parts, its updates, and the JSON API."""

from __future__ import annotations

import asyncio
import sqlite3
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import msgspec
from markupsafe import Markup
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp

from antelog.errors import AntelogError, StateError
from antelog.escaping import json_text
from antelog.process import Engine
from antelog.run.answer_details import AnswerDetail, detail_of
from antelog.run.store.database import is_store
from antelog.run.store.inbox import ask
from antelog.watch.alerts.outbox import counts_in
from antelog.watch.board.selection import Given
from antelog.watch.board.tracked_answer import TrackedAnswer
from antelog.watch.web.address import Tokens
from antelog.watch.web.api import API, ActList, PostError, as_json, metrics, of_answer, posted
from antelog.watch.web.export import of_view
from antelog.watch.web.freshness import freshness
from antelog.watch.web.guard import ACTS, EDITS, EMBEDS, KEPT, PAGES, Guard, bearer, may_look, session
from antelog.watch.web.live_board import LiveBoard, summary
from antelog.watch.web.templating import ASSETS, asset, render, share, shell, version, warm
from antelog.watch.web.views import PARTS
from antelog.watch.web.views.context import ViewContext
from antelog.watch.web.views.now import embedded

Endpoint = Callable[[Request], Awaitable[Response]]
_USER = "x-forwarded-user"  # the header in which a proxy says who somebody is
_TRIES, _PAUSE = 20, 0.1  # how often details that were just asked for are looked for, and the seconds between
_SEEN, _BACK = 5_000, 1_000  # details that are remembered, and ticks by which they may be older
_DIGITS = 19  # of a tick in an address, fewer
_BEAT, _LOOK = 10.0, 2.0  # seconds between two signs of life of news, and between two looks at freshness


class Bench(Protocol):
    """The draft of a page on which rules are tried in an editor; it shows the board of a draft on `live`."""

    live: LiveBoard

    def state(self) -> dict[str, Any]:
        """Returns the draft, its problems, and the ticks to look at."""

    async def post(self, body: bytes) -> dict[str, Any]:
        """Applies an edit. Raises PostError."""

    def shared(self) -> str:
        """Writes the draft and all its ticks as one file of HTML, without a script."""


@dataclass(eq=False)
class DetailReader:
    """Asks an engine in this process, or the run, by its store, for the details of an answer."""

    store: Path | None
    live: LiveBoard
    seen: dict[tuple[str, int], AnswerDetail] = field(default_factory=dict)  # by answer and tick
    _waiting: asyncio.Task[None] | None = None

    def __post_init__(self) -> None:
        self._missing: dict[str, TrackedAnswer] = {}

    def of(self, answer: TrackedAnswer, then: int | None = None) -> AnswerDetail | None:
        """Returns the details of an answer, or of one in the past those seen then; asks for missing ones."""
        if then is not None:
            ticks = range(then, answer.now.tick - 1, -1)[:_BACK]
            return next((self.seen[answer.id, at] for at in ticks if (answer.id, at) in self.seen), None)
        engine: Engine | None = getattr(self.live.reader, "engine", None)
        if engine is not None:
            return detail_of(engine, answer.line)
        if self.store is None or not is_store(self.store):
            return None
        found = self._asked(self.store, answer)
        if found is not None:
            self.seen[answer.id, found.tick] = found
            while len(self.seen) > _SEEN:
                del self.seen[next(iter(self.seen))]
        else:
            self._missing[answer.id] = answer
            if self._waiting is None or self._waiting.done():
                self._waiting = asyncio.ensure_future(self._wait(self.store))
        return found

    def _asked(self, store: Path, answer: TrackedAnswer) -> AnswerDetail | None:
        try:
            found = ask(store, answer.id, answer.lines[-1], time.time())
            return None if found is None else msgspec.json.decode(found, type=AnswerDetail)
        except (StateError, sqlite3.Error, msgspec.DecodeError):
            return None  # of an earlier make, or busy

    async def _wait(self, store: Path) -> None:
        """Waits for all that is missing, so that what asks for several answers is shown anew once."""
        asked = len(self._missing)
        for _ in range(_TRIES):
            await asyncio.sleep(_PAUSE)
            for each in [*self._missing.values()]:
                if self._asked(store, each) is not None:
                    del self._missing[each.id]
            if not self._missing:
                break
        if len(self._missing) < asked:
            self.live.refresh()
        self._missing.clear()


@dataclass(frozen=True)
class Entry:
    """The hosts and tokens for `Guard`, and the store, which has the inbox, acts, and counts of alerts."""

    hosts: frozenset[str] | None = None
    origins: frozenset[str] | None = None
    tokens: Tokens = field(default_factory=Tokens)
    store: Path | None = None
    proxied: bool = False  # a proxy in front names the user
    bench: Bench | None = None  # with one, an editor is shown beside the views
    embed_from: Sequence[str] = ()  # the origins of pages that may have frames of this one


def page_app(live: LiveBoard, entry: Entry) -> ASGIApp:
    routes = _Routes(live, entry)
    app = Starlette(
        routes=[
            *(Route(path, routes.page) for path in PAGES),
            Route("/answer/{id}", routes.page),
            Route("/static/{name:path}", routes.static),
            Route("/healthz", routes.health),
            *(Route(f"{EMBEDS}{part}", routes.embed) for part in ("brief", "map") if entry.embed_from),
            Route("/api/session", routes.session),
            Route("/api/state", routes.state),
            Route("/part/{view:path}", routes.part),
            Route("/events", routes.events),
            Route("/api/answers/{id}", routes.once_read(routes.answer)),
            Route(ACTS, routes.acts, methods=["GET", "POST"]),
            Route(EDITS, routes.edits, methods=["GET", "POST"]),
            Route("/export/shared.html", routes.shared),
            Route("/api/{view}", routes.once_read(routes.api)),
            Route("/export/{view:path}", routes.once_read(routes.export)),
            Route("/metrics", routes.once_read(routes.metrics)),
            Route("/facts/{input}", routes.facts, methods=["POST"]),
        ],
        lifespan=routes.lifespan,
    )
    return Guard(app, entry.hosts, entry.origins, entry.tokens, entry.embed_from)


@dataclass(eq=False)
class _Routes:
    live: LiveBoard
    entry: Entry
    _known: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.act_list = ActList(self.entry.store, self.live.board)
        self.details = DetailReader(self.entry.store, self.live)
        self.live.board.tables.acts = self.act_list.by_group

    @asynccontextmanager
    async def lifespan(self, _app: Starlette) -> AsyncIterator[None]:
        following = asyncio.create_task(self.live.follow())
        warming = asyncio.create_task(asyncio.to_thread(warm))
        try:
            yield
        finally:
            following.cancel()
            warming.cancel()

    # ---- for everybody ----

    async def page(self, request: Request) -> Response:
        """The page; for those with a token, by its link or a header, with its first view."""
        edits, tokens = self.entry.bench is not None, self.entry.tokens
        given = bearer(request.headers) or request.query_params.get("token", "")
        guarded, fresh, view = tokens.look is not None, None, None
        if not edits and (not guarded or may_look(given, tokens.of_readers)):
            path = request.url.path.removeprefix(_root(request)).strip("/") or "now"
            fresh = freshness(self.live, time.time())
            view = self._view(request, path, await self._shown(request))
        return HTMLResponse(shell(edits, root=_root(request), guarded=guarded, fresh=fresh, view=view))

    async def static(self, request: Request) -> Response:
        of, _, name = request.path_params["name"].rpartition("/")
        if name not in ASSETS:
            return _missing()
        kept = {"cache-control": KEPT} if of == version() else {}
        return Response(asset(name), media_type=ASSETS[name], headers=kept)

    async def health(self, _request: Request) -> Response:
        caught_up = self.live.caught_up and not self.live.catching_up
        found = {"status": "failed" if self.live.failure else "ok", "caught_up": caught_up}
        return JSONResponse(found, 503 if self.live.failure else 200)

    # ---- for those with a token ----

    async def session(self, request: Request) -> Response:
        """Makes a session to look or, with the token for it, to act."""
        token, acting = self.entry.tokens.look, self.entry.tokens.act
        if acting is not None and may_look(bearer(request.headers), [acting]):
            return JSONResponse({"session": session(acting), "acts": self.act_list.possible})
        return JSONResponse({"session": session(token) if token else "", "acts": False})

    async def state(self, _request: Request) -> Response:
        return JSONResponse(self._state())

    async def part(self, request: Request) -> Response:
        """A view behind its freshness, or rows of its list alone."""
        path = request.path_params["view"]
        if path.endswith("/rows") and self.live.catching_up:
            return self._later()
        found = self._view(request, path, await self._shown(request))
        if found is None or path.endswith("/rows"):
            return _missing() if found is None else HTMLResponse(found)
        fresh = freshness(self.live, time.time())
        return HTMLResponse(render("fresh.html", fresh=fresh, state=json_text(self._state())) + found)

    async def _shown(self, request: Request) -> LiveBoard:
        """The board that a request is about: that of now, or with `at` as it was at a tick."""
        at = request.query_params.get("at", "")
        return await self.live.at(int(at)) if at.isdecimal() and len(at) < _DIGITS else self.live

    async def embed(self, request: Request) -> Response:
        """The brief or the map, for a frame in another page."""
        part, live = request.url.path.rpartition("/")[2], await self._shown(request)
        fresh = freshness(live, live.present)
        return HTMLResponse(embedded(self._scene(request, live), part, fresh=fresh, version=version()))

    def _scene(self, request: Request, live: LiveBoard) -> ViewContext:
        covers, then = freshness(live, live.present).covers, live.present if live.then else None
        scene = ViewContext(live.board, _root(request), _given(request), stale=covers, then=then)
        details = partial(self.details.of, then=live.then)
        return replace(scene, acts=self.act_list.by_group(live), details=details)

    def _view(self, request: Request, path: str, live: LiveBoard) -> Markup | None:
        """Renders a view, or why there is none yet; None if there is none of that name."""
        view, _, rest = path.partition("/")
        scene = self._scene(request, live)
        make = PARTS.get(view)
        if make is None or self.live.catching_up:
            return None if make is None else render("catching_up.html", done=self.live.reader.share())
        if view == "answer" and (answer := live.find(rest)) is not None:
            scene = replace(scene, detail=self.details.of(answer, live.then))
        found = make(scene, rest)
        if found is None or live.then is None or path.endswith("/rows"):
            return found
        ago, band = (self.live.board.tick or 0) - live.then, freshness(live, live.present).band
        return render("past.html", scene=scene, at=live.then, ago=ago, band=band) + found

    def once_read(self, endpoint: Endpoint) -> Endpoint:
        """Makes an endpoint answer only once all that was recorded before is read."""

        async def found(request: Request) -> Response:
            return self._later() if self.live.catching_up else await endpoint(request)

        return found

    def _later(self) -> Response:
        said = f"the page is catching up: {share(self.live.reader.share())} of what was recorded is read"
        return JSONResponse({"error": said}, 503, {"retry-after": "1"})

    async def api(self, request: Request) -> Response:
        make = API.get(request.path_params["view"])
        return _missing() if make is None else _json(make(await self._shown(request), _given(request)))

    async def answer(self, request: Request) -> Response:
        name, live = request.path_params["id"], await self._shown(request)
        found, answer = of_answer(live, name), live.find(name)
        if found is None or answer is None:
            return _missing()
        detail = self.details.of(answer, live.then)
        return _json(found if detail is None else {**found, "details": detail})

    async def export(self, request: Request) -> Response:
        view, _, form = request.path_params["view"].rpartition(".")
        found = of_view(await self._shown(request), view, form, _given(request))
        if found is None:
            return _missing()
        return Response(found, media_type=f"text/{form}", headers=_saved_as(f"antelog.{form}"))

    async def metrics(self, _request: Request) -> Response:
        found = metrics(self.live.board, counts_in(self.entry.store))
        return Response(found, media_type=CONTENT_TYPE_PLAIN_0_0_4)

    async def facts(self, request: Request) -> Response:
        name, body = request.path_params["input"], await request.body()
        program = self.live.board.head.program
        if self.entry.store is None or (program and name not in {each.name for each in program.plan.inputs}):
            return _missing()
        taking = asyncio.to_thread(posted, self.entry.store, name, body)
        return await _answered("the facts could not be kept: ", taking)

    async def acts(self, request: Request) -> Response:
        if not self.act_list.possible:
            return _missing()
        return await _answered("it could not be kept: ", self._acts(request))

    async def _acts(self, request: Request) -> object:
        if request.method == "GET":
            return as_json(self.act_list.current())
        body, user = await request.body(), request.headers.get(_USER, "") if self.entry.proxied else ""
        found = await asyncio.to_thread(self.act_list.post, body, user[:100])
        self.live.refresh()
        return as_json(found)

    async def edits(self, request: Request) -> Response:
        bench = self.entry.bench
        if bench is None:
            return _missing()
        if request.method == "GET":
            return _json(bench.state())
        return await _answered("", bench.post(await request.body()))

    async def shared(self, _request: Request) -> Response:
        bench = self.entry.bench
        if bench is None:
            return _missing()
        found = await asyncio.to_thread(bench.shared)
        return Response(found, media_type="text/html", headers=_saved_as("rules.html"))

    async def events(self, _request: Request) -> Response:
        return StreamingResponse(self._news(), media_type="text/event-stream")

    async def _news(self) -> AsyncIterator[str]:
        version, beat, known = -1, 0.0, None
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(_LOOK):
                    await self.live.news(version)
            state = self._state()
            fresh = state["kind"], state["band"]  # which may change as time passes
            if state["version"] != version or fresh != known:
                version, known, beat = state["version"], fresh, time.monotonic()
                yield f"event: state\ndata: {msgspec.json.encode(state).decode()}\n\n"
            elif time.monotonic() > beat + _BEAT:
                beat = time.monotonic()
                yield ": still there\n\n"

    def _state(self) -> Mapping[str, Any]:
        """Returns the summary of the board, computed once for each version, and its freshness."""
        board = self.live.board
        if self._known.get("version") != board.version:
            clock = ViewContext(board).clock
            reached = "" if board.tick is None else clock.at(board.tick)
            wall = board.tick is not None and clock.wall is not None
            program = Path(board.head.source.name).name
            self._known = {**summary(board), "reached": reached, "program": program, "wall": wall}
        more = {"catching_up": round(self.live.reader.share(), 3)} if self.live.catching_up else {}
        return {**self._known, **more, **freshness(self.live, time.time()).state}


def _root(request: Request) -> str:
    return str(request.scope.get("root_path", "")).rstrip("/")


def _given(request: Request) -> Given:
    return {name: request.query_params.getlist(name) for name in request.query_params}


def _saved_as(name: str) -> dict[str, str]:
    return {"content-disposition": f'attachment; filename="{name}"'}


def _json(found: object) -> Response:
    return Response(msgspec.json.encode(found), media_type="application/json")


async def _answered(trouble: str, answer: Awaitable[object]) -> Response:
    """Responds to a post with its answer, or the reason why it was refused."""
    try:
        return _json(await answer)
    except PostError as error:
        return JSONResponse({"error": str(error)}, 400)
    except (OSError, AntelogError, sqlite3.Error) as error:
        return JSONResponse({"error": f"{trouble}{error}"}, 507)


def _missing() -> Response:
    return JSONResponse({"error": "there is nothing of that name"}, 404)
