"""The guard in front of every route checks host, origin, token, size, rate and time.

Requests are not logged, as addresses may have secrets. Starlette's TrustedHostMiddleware is too lax: it
allows any port, and reads the first of two hosts.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import re
import secrets
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from starlette.datastructures import Headers, MutableHeaders, QueryParams
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from antelog.watch.web.address import ACTS, EDITS, EMBEDS, INCIDENTS, PAGES, Tokens

HEADERS = {
    "content-security-policy": "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; "
    "form-action 'none'",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
KEPT = "public, max-age=31536000, immutable"  # for files whose address has a hash of them
LARGEST = 8 << 20  # the largest POST, in bytes
_LARGEST_ACT = 64 << 10  # the largest act of a person, in bytes
PER_SECOND = 16 << 20  # bytes of facts that are accepted per second in the long run; four times that at once
BODY = 60.0  # seconds in which a body has to arrive
_LARGEST_READ_OUT, _READING_OUT = 64 << 20, 10.0  # bytes of a refused body that are read, and seconds for it
_PORT = re.compile(r":\d{1,5}$", re.ASCII)


@dataclass(eq=False)
class Allowance:
    """A token bucket: the bytes that may be posted now, which grow with time."""

    left: float = 4.0 * PER_SECOND
    at: float = field(default_factory=time.monotonic)

    def take(self, size: int) -> bool:
        now = time.monotonic()
        self.left = min(4.0 * PER_SECOND, self.left + (now - self.at) * PER_SECOND)
        self.at = now
        if self.left < size:
            return False
        self.left -= size
        return True


@dataclass(eq=False)
class Guard:
    """An app that passes allowed requests on to another app."""

    app: ASGIApp
    hosts: frozenset[str] | None = None  # allowed names; one without a port allows any port; None: any name
    origins: frozenset[str] | None = None  # likewise
    tokens: Tokens = field(default_factory=Tokens)
    embed_from: Sequence[str] = ()  # the origins of pages that may show some addresses in frames
    allowance: Allowance = field(default_factory=Allowance)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            if scope["type"] == "websocket":
                await send({"type": "websocket.close", "code": 1008})
            return
        headers = Headers(scope=scope)
        if (refused := self._refused(scope, headers)) is not None:
            status, reason = refused
            await _read_out(headers, receive)
            answer = JSONResponse({"error": reason}, status, _MORE.get(status))
            await answer(scope, receive, self._with_headers(scope, send))
            return
        limited = _Limited(receive, LARGEST, BODY) if scope["method"] == "POST" else receive
        send = self._with_headers(scope, send)
        try:
            await self.app(scope, limited, send)
        except BodyRefusedError as error:
            await JSONResponse({"error": error.reason}, error.status)(scope, receive, send)

    def _refused(self, scope: Scope, headers: Headers) -> tuple[int, str] | None:
        """Returns the status and reason of a refusal; None if the request is allowed."""
        path = path_of(scope)
        # A proxy in front might see another request in a body with two lengths.
        if "content-length" in headers and "transfer-encoding" in headers:
            return 400, "the length of a body is said twice; give Content-Length, and no Transfer-Encoding"
        if self.hosts is not None:
            named = headers.getlist("host")
            if len(named) != 1 or not _among(named[0], self.hosts):
                return 421, _NOT_CALLED  # as in rebinding
        if (found := self._foreign(path, headers)) is not None:
            return found
        if scope["method"] == "POST" and path.startswith("/facts/"):
            facts = self.tokens.facts
            if facts is None or not same(bearer(headers), facts):
                return 401, "the token for facts is missing or wrong"
            return self._too_much(headers, LARGEST)
        if scope["method"] == "POST" and path in (ACTS, INCIDENTS, EDITS):
            act = self.tokens.act
            if act is None or not may_look(bearer(headers), [act]):
                return 401, "the token of those who may act is missing or wrong; open the link to act"
            return self._too_much(headers, LARGEST if path == EDITS else _LARGEST_ACT)
        if scope["method"] not in ("GET", "HEAD"):
            return 405, f"only GET; facts are posted to /facts/INPUT, acts to {ACTS}"
        if self.tokens.look is not None and not _may_pass(scope, headers, self.tokens):
            return 401, "the token is missing or wrong; open the link that was printed"
        return None

    def _with_headers(self, scope: Scope, send: Send) -> Send:
        framed = self.embed_from and path_of(scope).startswith(EMBEDS)

        async def sent(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = list(message.get("headers", ()))
                headers = MutableHeaders(raw=message["headers"])
                for name, value in HEADERS.items():
                    if not (name == "cache-control" and headers.get(name) == KEPT):
                        headers[name] = value
                if framed:
                    policy = headers["content-security-policy"]
                    by = f"frame-ancestors {' '.join(self.embed_from)}"
                    headers["content-security-policy"] = policy.replace("frame-ancestors 'none'", by)
            await send(message)

        return sent

    def _foreign(self, path: str, headers: Headers) -> tuple[int, str] | None:
        """Refuses a request from another page, but for links to the empty page, which has no data."""
        origin, site = headers.get("origin"), headers.get("sec-fetch-site", "none")
        foreign = self.origins is not None and origin is not None and not _among(origin, self.origins)
        if site not in ("none", "same-origin"):
            mode, destination = headers.get("sec-fetch-mode"), headers.get("sec-fetch-dest")
            framed = destination == "iframe" and path.startswith(EMBEDS) and self.embed_from
            foreign |= mode != "navigate" or not (framed or (destination == "document" and _is_page(path)))
        return (403, "another page may not ask this one") if foreign else None

    def _too_much(self, headers: Headers, largest: int) -> tuple[int, str] | None:
        if headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
            return 415, "what is posted is application/json"
        length = _length(headers)
        if length is None:
            return 411, "say how long it is, with Content-Length"
        if length > largest:
            return 413, f"at most {largest:,} bytes at once"
        if not self.allowance.take(length):
            return 429, "too much at once; wait a second"
        return None


_NOT_CALLED = "this server is not called that; name it with --allowed-host, or hosts= of antelog.live"
# Headers of a refusal, by its status.
_MORE = {400: {"connection": "close"}, 401: {"www-authenticate": "Bearer"}, 405: {"allow": "GET, HEAD"}}


class BodyRefusedError(Exception):
    """A body is longer than the limit, or takes too long; with the status of the response, and the reason."""

    def __init__(self, status: int, reason: str) -> None:
        self.status, self.reason = status, reason
        super().__init__(reason)


class _Limited:
    """A body that raises BodyRefusedError beyond a limit of bytes, whatever its header says, or of time."""

    def __init__(self, receive: Receive, largest: int, seconds: float) -> None:
        self.receive, self.largest, self.seconds = receive, largest, seconds
        self.until: float | None = asyncio.get_running_loop().time() + seconds
        self.size = 0

    async def __call__(self) -> Message:
        try:
            async with asyncio.timeout_at(self.until):
                message = await self.receive()
        except TimeoutError:
            raise BodyRefusedError(408, f"the facts did not come within {self.seconds:g} seconds") from None
        self.size += len(message.get("body", b""))
        if self.size > self.largest:
            raise BodyRefusedError(413, f"at most {LARGEST:,} bytes at once")
        if not message.get("more_body", False):
            self.until = None
        return message


async def _read_out(headers: Headers, receive: Receive) -> None:
    """Reads a refused body, as the response is lost if the connection is closed before all is read."""
    length = _length(headers)
    # A client that asks before it sends (`Expect`) does not send it at all.
    if length is None or length > _LARGEST_READ_OUT or "expect" in headers:
        return
    body = _Limited(receive, _LARGEST_READ_OUT, _READING_OUT)
    with suppress(BodyRefusedError):
        while body.until is not None:
            await body()


def _length(headers: Headers) -> int | None:
    given = headers.get("content-length", "")
    return int(given[:20]) if given.isdecimal() else None


def path_of(scope: Scope) -> str:
    """Returns the path within the app, wherever that is mounted."""
    path, root = str(scope["path"]), str(scope.get("root_path", ""))
    return path[len(root) :] if root and path.startswith(root) else path


def _among(name: str, known: frozenset[str]) -> bool:
    """Whether a name is known, with this port or for any port."""
    own = name.casefold()
    return own in known or _PORT.sub("", own) in known


def _is_page(path: str) -> bool:
    return path in PAGES or path.startswith("/answer/")


def _may_pass(scope: Scope, headers: Headers, tokens: Tokens) -> bool:
    """Whether a request has one of the tokens, or is for something public, without a wrong token."""
    path, given = path_of(scope), QueryParams(scope["query_string"]).getlist("token")
    if path.startswith(EMBEDS) and tokens.embed is not None:
        return any(same(each, tokens.embed) for each in (*given, bearer(headers)))
    if _is_page(path):
        return all(any(same(each, token) for token in tokens.of_readers) for each in given)
    return path == "/healthz" or path.startswith("/static/") or may_look(bearer(headers), tokens.of_readers)


def bearer(headers: Headers) -> str:
    """Returns the token or session of a request; empty if it has none."""
    kind, _, given = headers.get("authorization", "").partition(" ")
    return given.strip() if kind.lower() == "bearer" else ""


# ---- tokens ----


def session(token: str) -> str:
    """Makes a session for a reader with the token: signed with it, so the server keeps no list."""
    name = secrets.token_urlsafe(12)
    return f"s.{name}.{_signed(name, token)}"


def may_look(given: str, tokens: Sequence[str]) -> bool:
    """Whether this is one of the tokens, or a valid session made with one."""
    kind, _, rest = given.partition(".")
    name, _, sign = rest.partition(".")
    return any(same(given, each) or (kind == "s" and same(sign, _signed(name, each))) for each in tokens)


def same(one: str, other: str) -> bool:
    return hmac.compare_digest(one.encode(), other.encode())


def _signed(name: str, token: str) -> str:
    return hmac.new(token.encode(), b"session " + name.encode(), hashlib.sha256).hexdigest()
