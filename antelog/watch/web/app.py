"""The page as an ASGI app behind its guard: routes for the page, its parts, its updates, and the JSON API."""

from __future__ import annotations

import asyncio
import gzip
import sqlite3
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Hashable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
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

from antelog.errors import AntelogError, DataError, StateError
from antelog.process import Engine
from antelog.run.answer_details import AnswerDetail, detail_of
from antelog.run.store.feed import StoredFeedAt
from antelog.run.store.inbox import ask
from antelog.watch.alerts.outbox import counts_in
from antelog.watch.board.judged_feed import JudgedFeed
from antelog.watch.board.selection import Given
from antelog.watch.board.tracked_answer import TrackedAnswer
from antelog.watch.web.address import ACTS, EDITS, EMBEDS, INCIDENTS, PAGES, Tokens
from antelog.watch.web.api import API, ActList, PostError, as_json, incident_of, metrics, of_answer, posted
from antelog.watch.web.export import of_view
from antelog.watch.web.freshness import Freshness, freshness
from antelog.watch.web.guard import KEPT, Guard, bearer, may_look, session
from antelog.watch.web.live_board import LiveBoard, summary
from antelog.watch.web.news import News
from antelog.watch.web.rendered import Rendering, Renderings
from antelog.watch.web.templating import ASSETS, asset, packed_asset, render, share, shell, version, warm
from antelog.watch.web.views import PARTS
from antelog.watch.web.views.context import ViewContext
from antelog.watch.web.views.now import embedded

Endpoint = Callable[[Request], Awaitable[Response]]
_USER = "x-forwarded-user"  # the header in which a proxy says who somebody is
_TRIES, _PAUSE = 10, 0.2  # how often details that were just asked for are looked for, and the seconds between
_WITH_FACTS = ("inputs", "plan")  # views that each fact changes; others change with answers and ticks
_NOT_OF_VIEW = ("token", "have")  # parameters of an address that do not choose what a view shows
_SEEN, _BACK = 5_000, 1_000  # details that are remembered, and ticks by which they may be older
_DIGITS = 19  # of a tick in an address, fewer


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
        self._at = None if self.store is None else StoredFeedAt(self.store)

    def of(self, answers: Iterable[TrackedAnswer], then: int | None = None) -> dict[str, AnswerDetail]:
        """Returns the details of answers, or of some in the past those seen then; asks for missing ones."""
        known = {each.id: each for each in answers}
        if then is not None:
            return {name: detail for name, each in known.items() if (detail := self._seen_at(then, each))}
        engine: Engine | None = getattr(self.live.reader, "engine", None)
        if engine is not None:
            return {name: detail_of(engine, each.line) for name, each in known.items()}
        if self._at is None or self._at.database() is None:
            return {}
        found = self._asked(known)
        self.seen |= {(name, each.tick): each for name, each in found.items()}
        while len(self.seen) > _SEEN:
            del self.seen[next(iter(self.seen))]
        self._missing |= {name: each for name, each in known.items() if name not in found}
        if self._missing and (self._waiting is None or self._waiting.done()):
            self._waiting = asyncio.ensure_future(self._wait())
        return found

    def _seen_at(self, then: int, answer: TrackedAnswer) -> AnswerDetail | None:
        ticks = range(then, answer.now.tick - 1, -1)[:_BACK]
        return next((self.seen[answer.id, at] for at in ticks if (answer.id, at) in self.seen), None)

    def _asked(self, answers: Mapping[str, TrackedAnswer]) -> dict[str, AnswerDetail]:
        database = None if self._at is None else self._at.database()
        if database is None:
            return {}
        try:
            found = ask(database, {name: each.lines[-1] for name, each in answers.items()}, time.time())
            return {name: msgspec.json.decode(each, type=AnswerDetail) for name, each in found.items()}
        except (StateError, sqlite3.Error, msgspec.DecodeError):
            return {}  # of an earlier make, or busy

    async def _wait(self) -> None:
        """Waits for all that is missing, so that what asks for several answers is shown anew once."""
        asked = len(self._missing)
        for _ in range(_TRIES):
            await asyncio.sleep(_PAUSE)
            name, first = next(iter(self._missing.items()))
            # The run adds them in the order in which they were asked for.
            if self._asked({name: first}):
                for each in self._asked(self._missing):
                    del self._missing[each]
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
    judged: JudgedFeed | None = None  # the answers, judged by a list of incidents


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
            Route(INCIDENTS, routes.once_read(routes.incidents), methods=["GET", "POST"]),
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

    def __post_init__(self) -> None:
        self.act_list = ActList(self.entry.store, self.live.board)
        self.details = DetailReader(self.entry.store, self.live)
        self.live.board.tables.acts = self.act_list.by_group
        self.views, self.news = Renderings(), News(self.live, self._told, self._state)
        self._known: Mapping[str, Any] = {}

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
        guarded, state, view = tokens.look is not None, None, None
        path = request.url.path.removeprefix(_root(request)).strip("/") or "now"
        if not edits and (not guarded or may_look(given, tokens.of_readers)):
            await self._judge(path)
            state, found = self._told(), self._view(request, path, await self._shown(request))
            view = None if found is None else Markup(found.text)
        name, root = path.partition("/")[0], _root(request)
        return HTMLResponse(shell(edits, name, root=root, guarded=guarded, state=state, view=view))

    async def static(self, request: Request) -> Response:
        of, _, name = request.path_params["name"].rpartition("/")
        if name not in ASSETS:
            return _missing()
        kept = {"cache-control": KEPT} if of == version() else {}
        if name.endswith(".woff2"):
            return Response(asset(name), media_type=ASSETS[name], headers=kept)
        return _unpacked(request, packed_asset(name), ASSETS[name], kept)

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
        """A view, or rows of its list; where the reader has an earlier one, which it names, what is new."""
        path, rows = request.path_params["view"], request.path_params["view"].endswith("/rows")
        if rows and self.live.catching_up:
            return self._later()
        await self._judge(path)
        found = self._view(request, path, await self._shown(request))
        have = request.query_params.get("have")
        if found is None:
            return _missing()
        if have is None and not rows:
            return HTMLResponse(render("fresh.html", fresh=self._fresh()) + Markup(found.text))
        named = {"x-view": found.tag}
        if found.tag == have:
            return Response(status_code=204, headers=named)
        earlier = self.views.known(_address(request, path), have or "")
        if earlier is None:
            return _unpacked(request, found.packed, "text/html", named)
        return _unpacked(request, found.since(earlier), "application/json", named)

    async def _judge(self, path: str) -> None:
        """Brings what is judged up to date, for the view that shows it and for those who add to it."""
        if self.entry.judged is not None and path in ("trust", INCIDENTS) and not self.live.catching_up:
            await asyncio.to_thread(self.entry.judged.update, self.live.board.head.program)

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
        covers, then = freshness(live, live.present).covers, live.moment
        scene = ViewContext(live.board, _root(request), _given(request), stale=covers, then=then)
        details = partial(self.details.of, then=live.then)
        judged = self.entry.judged if live.then is None else None
        return replace(scene, acts=self.act_list.by_group(live), details=details, judged=judged)

    def _view(self, request: Request, path: str, live: LiveBoard) -> Rendering | None:
        """Returns a view, or why there is none yet; None if there is none of that name."""
        view, _, rest = path.partition("/")
        make = PARTS.get(view)
        if make is None:
            return None

        def rendered() -> str | None:
            if self.live.catching_up:
                return render("catching_up.html", done=self.live.reader.share())
            scene = self._scene(request, live)
            if view == "answer" and (answer := live.find(rest)) is not None:
                scene = replace(scene, detail=scene.details([answer]).get(answer.id))
            found = make(scene, rest)
            if found is None or live.then is None or path.endswith("/rows"):
                return found
            ago, band = (self.live.board.tick or 0) - live.then, freshness(live, live.present).band
            return render("past.html", scene=scene, at=live.then, ago=ago, band=band) + found

        stamp = self.live.board.version if view in _WITH_FACTS else self._seen()
        if self.entry.judged is not None:
            stamp = stamp, self.entry.judged.version
        return self.views.latest(_address(request, path), stamp, rendered)

    def _fresh(self) -> Freshness:
        return freshness(self.live, time.time())

    def _seen(self) -> Hashable:
        """Says what views of answers are made of; where it changes, they are rendered anew."""
        live, fresh = self.live, self._fresh()
        rests = None if fresh.rests is None else frozenset(fresh.rests)
        return live.board.version if live.catching_up else live.board.seen, live.failure, rests

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
        live = await self._shown(request)
        if (found := live.find(request.path_params["id"])) is None:
            return _missing()
        detail = self.details.of([found], live.then).get(found.id)
        return _json(of_answer(live, found) | ({} if detail is None else {"details": detail}))

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
        found = await asyncio.to_thread(self.act_list.post, await request.body(), self._user(request))
        self.live.refresh()
        return as_json(found)

    async def incidents(self, request: Request) -> Response:
        judged = self.entry.judged
        if judged is None:
            return _missing()
        await self._judge(INCIDENTS)
        if request.method == "POST":
            return await _answered("it could not be kept: ", self._add_incident(request, judged))
        return _json(judged.to_dict())

    async def _add_incident(self, request: Request, judged: JudgedFeed) -> object:
        told = incident_of(await request.body(), judged, self.live, self._user(request))
        await asyncio.to_thread(judged.add, told)
        self.live.refresh()
        return {"added": told}

    def _user(self, request: Request) -> str:
        return (request.headers.get(_USER, "") if self.entry.proxied else "")[:100]

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

    async def events(self, request: Request) -> Response:
        told = self.news.told(request.query_params.get("only", ""))
        return StreamingResponse(told, media_type="text/event-stream")

    def _state(self) -> Mapping[str, Any]:
        """Returns the summary of the board, and what a page shows of it."""
        return {**summary(self.live.board), **self._told()}

    def _told(self) -> Mapping[str, Any]:
        """Returns what a page shows beside its view, and what tells that there is another view."""
        board, fresh, seen = self.live.board, self._fresh(), self._seen()
        if self._known.get("seen") != seen:
            clock = ViewContext(board).clock
            self._known = {
                "seen": seen,
                "view": self._known.get("view", 0) + 1,
                "reached": "" if board.tick is None else clock.at(board.tick),
                "program": Path(board.head.source.name).name,
                "wall": board.tick is not None and clock.wall is not None,
                "due": board.tables.groups_due(),
            }
        known = {name: value for name, value in self._known.items() if name != "seen"}
        more = {"catching_up": round(self.live.reader.share(), 3)} if self.live.catching_up else {}
        return {"version": board.version, **known, **more, **fresh.state}


def _root(request: Request) -> str:
    return str(request.scope.get("root_path", "")).rstrip("/")


def _given(request: Request) -> Given:
    names = (name for name in request.query_params if name not in _NOT_OF_VIEW)
    return {name: request.query_params.getlist(name) for name in names}


def _address(request: Request, path: str) -> str:
    return f"{_root(request)}/{path}?{sorted(_given(request).items())}"


def _unpacked(request: Request, packed: bytes, kind: str, headers: Mapping[str, str]) -> Response:
    """Sends what is packed; unpacked to those who do not say that they take it."""
    if "gzip" not in request.headers.get("accept-encoding", ""):
        return Response(gzip.decompress(packed), media_type=kind, headers=headers)
    return Response(packed, media_type=kind, headers={**headers, "content-encoding": "gzip"})


def _saved_as(name: str) -> dict[str, str]:
    return {"content-disposition": f'attachment; filename="{name}"'}


def _json(found: object) -> Response:
    return Response(msgspec.json.encode(found), media_type="application/json")


async def _answered(trouble: str, answer: Awaitable[object]) -> Response:
    """Responds to a post with its answer, or the reason why it was refused."""
    try:
        return _json(await answer)
    except (PostError, DataError) as error:
        return JSONResponse({"error": str(error)}, 400)
    except (OSError, AntelogError, sqlite3.Error) as error:
        return JSONResponse({"error": f"{trouble}{error}"}, 507)


def _missing() -> Response:
    return JSONResponse({"error": "there is nothing of that name"}, 404)
