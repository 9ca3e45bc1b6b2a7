"""antelog/watch/web/{guard,tokens}.py: who is let in, by which name, from where, with how much."""

import asyncio
import re
from typing import Any

import pytest
from starlette.types import Message, Receive, Scope, Send

from antelog.watch.web.address import Tokens
from antelog.watch.web.app import Entry, page_app
from antelog.watch.web.guard import HEADERS, LARGEST, PER_SECOND, Allowance, Guard, may_look, session
from tests.watch.lines import possible
from tests.watch.web.asking import ACTS, ADDRESS, FACTS, TOKEN, ask, guarded, sight

JSON = "application/json"
APP = guarded(sight(possible("wt2", 7)))
CLOSED = ("/api/now", "/api/session", "/part/now", "/export/now.csv", "/metrics", "/events", "/x")
OPEN = ("/", "/decided", "/plan", "/answer/abc", "/healthz", "/static/page.css", "/static/page.js")


@pytest.mark.parametrize("path", CLOSED)
def test_without_a_token_there_is_no_data(path: str) -> None:
    for token in (None, "", "wrong", session("another token"), f"s.x.{TOKEN}"):
        answer = ask(APP, path, token=token)
        assert answer.status == 401, token
        assert answer.headers["www-authenticate"] == "Bearer"
        assert b"wt2" not in answer.body


@pytest.mark.parametrize("path", OPEN)
def test_the_empty_page_is_for_everybody_and_has_no_data(path: str) -> None:
    answer = ask(APP, path, token=None)
    assert answer.status == 200
    assert b"wt2" not in answer.body
    assert b"hot.alog" not in answer.body


def test_the_token_lets_in_and_so_does_a_session_made_with_it() -> None:
    assert ask(APP, "/api/now").status == 200
    found = ask(APP, "/api/session").json["session"]
    assert found not in ("", TOKEN)
    assert ask(APP, "/api/now", token=found).status == 200
    assert may_look(found, [TOKEN])
    assert not may_look(found, ["another token"])
    assert session(TOKEN) != session(TOKEN)


def test_a_link_with_a_wrong_token_is_said_to_be_wrong() -> None:
    right = ask(APP, f"/?token={TOKEN}", token=None)
    assert (right.status, b"wt2" in right.body) == (200, True)
    assert ask(APP, "/?token=wrong", token=None).status == 401
    assert ask(APP, f"/?token=wrong&token={TOKEN}", token=None).status == 401


def test_no_cookie_lets_in_and_none_is_set() -> None:
    assert ask(APP, "/api/now", token=None, cookie=f"token={TOKEN}; session={session(TOKEN)}").status == 401
    assert ask(APP, f"/api/now?token={TOKEN}", token=None).status == 401
    assert "set-cookie" not in ask(APP, "/api/session").headers


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:8080", "127.0.0.1", "127.0.0.1:81", "", None, "localhost.evil:8080"],
)
def test_another_name_that_leads_here_is_refused(host: str | None) -> None:
    for path in ("/", "/api/now", "/healthz", "/static/page.js"):
        assert ask(APP, path, host=host).status == 421


@pytest.mark.parametrize("host", ["127.0.0.1:8080", "localhost:8080", "LOCALHOST:8080", "[::1]:8080"])
def test_the_names_of_this_machine_are_its_own(host: str) -> None:
    assert ask(APP, "/api/now", host=host).status == 200


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "http://127.0.0.1:81", "https://127.0.0.1:8080"]
)
def test_another_page_may_not_ask_and_this_one_may(origin: str) -> None:
    assert ask(APP, "/api/now", origin=origin).status == 403
    assert post(origin=origin) == 403
    assert ask(APP, "/api/now", origin="http://127.0.0.1:8080", sec_fetch_site="same-origin").status == 200


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_a_link_from_elsewhere_leads_to_the_empty_page_and_nowhere_else(site: str) -> None:
    link: dict[str, Any] = {"sec_fetch_site": site, "sec_fetch_mode": "navigate"}
    link |= {"sec_fetch_dest": "document"}
    assert ask(APP, "/decided", token=None, **link).status == 200
    assert ask(APP, "/api/now", **link).status == 403
    assert ask(APP, "/static/page.js", **link).status == 403
    assert ask(APP, "/", **link | {"sec_fetch_dest": "iframe"}).status == 403
    assert ask(APP, "/", **link | {"sec_fetch_mode": "no-cors", "sec_fetch_dest": "image"}).status == 403


def test_a_frame_shows_the_brief_or_the_map_and_its_token_opens_nothing_else() -> None:
    origins = ("https://grafana.example", "http://wall.example:3000")
    live, given = sight(possible("wt2", 7, chance=0.9)), ADDRESS.tokens.embed or ""
    app = page_app(live, Entry(ADDRESS.hosts, ADDRESS.origins, ADDRESS.tokens, embed_from=origins))
    frame = {"sec_fetch_site": "cross-site", "sec_fetch_mode": "navigate", "sec_fetch_dest": "iframe"}
    for part in ("brief", "map"):
        found = ask(app, f"/embed/{part}?token={given}", token=None, **frame)
        assert (found.status, b"wt2" in found.body) == (200, part == "brief")
        policy = HEADERS["content-security-policy"].replace("'none'", " ".join(origins), 1)
        assert found.headers["content-security-policy"] == policy
        for wrong in ("", "?token=", "?token=wrong", f"?token={ACTS}", f"?token={session(TOKEN)}"):
            assert ask(app, f"/embed/{part}{wrong}", token=None, **frame).status == 401
        assert ask(APP, f"/embed/{part}?token={given}", token=None).status == 404  # without --embed-from
        assert ask(APP, f"/embed/{part}?token={given}", token=None, **frame).status == 403
    for path in CLOSED:
        assert ask(app, path, token=given).status == ask(app, path, token=f"s.embed.{given}").status == 401
    assert ask(app, f"/?token={given}", token=None).status == 401
    assert ask(app, f"/?token={TOKEN}", token=None, **frame).status == 403
    act = {"content_type": JSON, "body": b'{"group": "wt2", "kind": "noted", "who": "x", "note": "x"}'}
    assert ask(app, "/api/acts", method="POST", token=given, **act).status == 401


@pytest.mark.parametrize("path", ["/", "/api/now", "/x", "/healthz", "/static/none"])
def test_every_answer_has_the_strict_headers(path: str) -> None:
    for given in ({}, {"token": None}, {"host": "evil"}, {"method": "PUT"}):
        answer = ask(APP, path, **given)
        assert HEADERS.items() <= dict(answer.headers).items()
        assert "access-control-allow-origin" not in answer.headers
        assert "server" not in answer.headers


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "POST"])
def test_only_get_and_head(method: str) -> None:
    for path in ("/", "/api/now", "/api/session"):
        assert ask(APP, path, method=method).status == 405
    assert ask(APP, "/healthz", method="HEAD").status == 200


def post(**given: Any) -> int:
    found: dict[str, Any] = {"token": FACTS, "content_type": JSON, "body": b"[]"} | given
    return ask(APP, "/facts/Temp", method="POST", **found).status


def test_facts_have_a_token_of_their_own() -> None:
    for token in (None, "", TOKEN, session(TOKEN), "wrong"):
        assert post(token=token) == 401
    assert ask(APP, "/api/now", token=FACTS).status == 401


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "", None]
)
def test_facts_are_json_alone(kind: str | None) -> None:
    assert post(content_type=kind) == 415


def test_facts_say_how_long_they_are() -> None:
    assert post(content_length=None) == 411
    assert post(content_length="-1") == 411
    assert post(content_length=str(LARGEST + 1)) == 413
    assert post(content_length="9" * 40) == 413


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_length_that_is_said_twice_is_refused(method: str) -> None:
    given = {"content_length": "2", "transfer_encoding": "chunked", "content_type": JSON}
    answer = ask(APP, "/facts/Temp", method=method, token=FACTS, body=b"[]", **given)
    assert answer.status == 400
    assert answer.headers["connection"] == "close"


def test_facts_that_do_not_come_are_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("antelog.watch.web.guard.BODY", 0.01)

    async def reads(_scope: object, _receive: object, _send: object) -> None:
        await _receive()  # type: ignore[operator]

    async def never() -> Message:
        await asyncio.Event().wait()
        raise AssertionError

    async def waits(scope: Scope, _receive: Receive, send: Send) -> None:
        await Guard(reads, tokens=Tokens(facts=FACTS))(scope, never, send)

    answer = ask(waits, "/facts/Temp", method="POST", token=FACTS, content_type=JSON, body=b"[]")
    assert answer.status == 408
    assert answer.json == {"error": "the facts did not come within 0.01 seconds"}


def test_a_body_that_is_longer_than_it_said_ends() -> None:
    async def reads(_scope: object, receive: object, _send: object) -> None:
        while True:
            await receive()  # type: ignore[operator]

    app = Guard(reads, tokens=Tokens(facts=FACTS))
    answer = ask(app, "/facts/Temp", method="POST", token=FACTS, content_type=JSON,
                 content_length="10", body=b"x" * (LARGEST // 4))  # fmt: skip
    assert answer.status == 413


def test_facts_are_limited_in_rate(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr("antelog.watch.web.guard.time.monotonic", lambda: now)
    allowance = Allowance(at=now)
    assert all(allowance.take(PER_SECOND) for _ in range(4))
    assert not allowance.take(1)
    now = 100.5
    assert allowance.take(PER_SECOND // 2)
    assert not allowance.take(PER_SECOND // 2)
    app = Guard(APP.app, tokens=Tokens(facts=FACTS), allowance=allowance)  # type: ignore[attr-defined]
    assert (
        ask(app, "/facts/Temp", method="POST", token=FACTS, content_type=JSON, body=b"[]" * 999).status == 429
    )


def test_an_app_that_is_mounted_elsewhere_leaves_names_to_its_host() -> None:
    app = Guard(APP.app)  # type: ignore[attr-defined]
    assert ask(app, "/api/now", token=None, host="plant.example").status == 200
    assert ask(app, "/facts/Temp", method="POST", content_type=JSON, body=b"[]").status == 401
    assert ask(app, "/api/now", token=None, sec_fetch_site="cross-site").status == 403


def test_a_mounted_app_is_guarded_by_its_own_paths() -> None:
    app = Guard(APP.app, tokens=Tokens(TOKEN))  # type: ignore[attr-defined]
    assert ask(app, "/api/now", token=None, root="/decided").status == 401
    assert ask(app, "/api/now", root="/live").status == 200
    assert ask(app, "/decided", token=None, root="/live").status == 200


def test_no_websocket_is_accepted() -> None:
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    async def receive() -> Message:
        return {"type": "websocket.connect"}

    async def run() -> None:
        await APP({"type": "websocket", "path": "/events", "headers": []}, receive, send)

    asyncio.run(run())
    assert [message["type"] for message in sent] == ["websocket.close"]


def test_a_browser_keeps_files_whose_address_says_which_they_are() -> None:
    (address,) = re.findall(r'src="(/static/[^"]*/page.js)"', ask(APP, "/").text)
    assert "immutable" in ask(APP, address).headers["cache-control"]
    for other in ("/static/page.js", "/static/of-another-version/page.js", "/api/now"):
        assert ask(APP, other).headers["cache-control"] == "no-store"
