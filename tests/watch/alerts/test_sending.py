"""antelog/watch/alerts/sending.py: what becomes of a letter, whatever the receiver does."""

from __future__ import annotations

import asyncio
import json
import os
import shlex
import socket
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from antelog.run.store.store import Store
from antelog.watch.alerts import sending
from antelog.watch.alerts.alert import Alert, AlertSetup
from antelog.watch.alerts.letters import RESOLVED, letter_of, routes_of
from antelog.watch.alerts.outbox import opened
from antelog.watch.alerts.receivers import Receiver, receiver_of
from antelog.watch.alerts.sending import AGAIN, Attempt, Sender, client_for, retry_after, send, wait_after
from tests.processes import runs, until
from tests.watch.alerts.lines import QUERIES, group_of, letter_to, line
from tests.watch.alerts.receiving import Server

pytestmark = pytest.mark.usefixtures("here")


def receiver_at(url: str, kind: str = "webhook") -> Receiver:
    Path("a.url").write_text(f"{url}\nX-Team: night\n", encoding="utf-8")
    return receiver_of(f"{kind}:@a.url")


def attempt(receiver: Receiver, seconds: float | None = None) -> Attempt:
    letter = letter_to(f"{receiver.kind}:@a.url" if receiver.place else "webhook:@a.url", line())

    async def once() -> Attempt:
        async with client_for([receiver]) as client:
            return await send(receiver, letter, client, seconds)

    found = asyncio.run(once())
    assert "s3cr3t" not in repr(found)
    return found


# ---- posted ----


def test_sent(server: Server) -> None:
    assert attempt(receiver_at(server.url)) == Attempt("sent")
    (got,), (headers,) = server.got, server.sent
    assert (got["text"], got["change"], server.paths) == ("Take care", "likely", ["/in/s3cr3t"])
    assert headers["Idempotency-Key"] == got["key"]
    assert (headers["Content-Type"], headers["X-Team"]) == ("application/json", "night")


def test_letters_go_by_one_connection_and_no_cookie_is_kept(server: Server) -> None:
    server.headers = {"Set-Cookie": "a=b", "Content-Length": "0"}
    receiver = receiver_at(server.url)

    async def thrice() -> None:
        async with client_for([receiver]) as client:
            for _ in range(3):
                letter = letter_to("webhook:@a.url" if receiver.kind != "slack" else "slack:@a.url", line())
                assert await send(receiver, letter, client) == Attempt("sent")

    asyncio.run(thrice())
    assert len(server.got) == 3
    assert len(set(server.clients)) == 1
    assert not any("Cookie" in headers for headers in server.sent)


def test_an_answer_that_does_not_end_is_not_waited_for(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sending, "_READING_ON", 0.1)
    server.headers = {"Content-Length": "10"}
    assert attempt(receiver_at(server.url)) == Attempt("sent")


@pytest.mark.slow
@pytest.mark.parametrize("status", [200, 500])
def test_apprise(server: Server, status: int) -> None:
    """Through a service of Apprise's that posts JSON; a redirect or a limit is up to it."""
    server.answers = [status]
    Path("a.url").write_text(server.url.replace("http://", "json://"), encoding="utf-8")
    found = attempt(receiver_of("apprise:@a.url"))
    assert found == (Attempt("sent") if status == 200 else Attempt(AGAIN, "ended with 1", there=True))
    (got,) = server.got
    assert got["message"] == "Take care\nhttps://wiki.example/wt2"
    assert (got["title"], got["type"]) == ("Malf: info", "info")


@pytest.mark.slow
def test_apprise_says_what_is_resolved(server: Server) -> None:
    Path("a.url").write_text(server.url.replace("http://", "json://"), encoding="utf-8")
    receiver = receiver_of("apprise:@a.url")
    (route,) = routes_of(AlertSetup((Alert("apprise:@a.url", template="{X} is well"),), QUERIES, "p.alog"))
    letter = letter_of(route, group_of(route, line("rejected"), status=RESOLVED), {})
    assert asyncio.run(send(receiver, letter, None)) == Attempt("sent")
    (got,) = server.got
    assert got["message"] == "wt2 is well\nhttps://wiki.example/wt2"
    assert (got["title"], got["type"]) == ("Malf: resolved", "success")


@pytest.mark.slow
def test_an_address_that_apprise_does_not_know(capfd: pytest.CaptureFixture[str]) -> None:
    Path("a.url").write_text("nosuchservice://s3cr3t", encoding="utf-8")
    assert attempt(receiver_of("apprise:@a.url")).what == AGAIN
    said = capfd.readouterr().err
    assert "apprise does not know one of the addresses" in said
    assert "s3cr3t" not in said


@pytest.mark.parametrize(
    ("status", "found"),
    [
        (202, Attempt("sent")),
        (204, Attempt("sent")),
        (400, Attempt("refused", "answered 400: it does not take such a letter")),
        (401, Attempt(AGAIN, "answered 401", there=True)),
        (404, Attempt(AGAIN, "answered 404", there=True)),
        (422, Attempt("refused", "answered 422: it does not take such a letter")),
        (429, Attempt(AGAIN, "answered 429", there=True)),
        (500, Attempt(AGAIN, "answered 500", there=True)),
        (503, Attempt(AGAIN, "answered 503", there=True)),
    ],
)
def test_answers(server: Server, status: int, found: Attempt) -> None:
    server.answers = [status]
    assert attempt(receiver_at(server.url)) == found


@pytest.mark.parametrize("status", [429, 503])
def test_retry_after(server: Server, status: int) -> None:
    server.answers, server.headers = [status], {"Retry-After": "17"}
    assert attempt(receiver_at(server.url)).asked == 17


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirects_are_not_followed(server: Server, status: int) -> None:
    server.answers, server.headers = [status], {"Location": "/elsewhere"}
    found = attempt(receiver_at(server.url))
    assert found.what == AGAIN
    assert f"answered {status}, a redirect, which is not followed" in found.reason
    assert server.paths == ["/in/s3cr3t"]


def test_slow(server: Server) -> None:
    server.slow = 600.0
    found = attempt(receiver_at(server.url), 0.2)
    assert found == Attempt(AGAIN, "did not answer within 0.2 seconds")


def test_down() -> None:
    with socket.socket() as taken:  # bound, and nobody listens
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/s3cr3t"
        assert attempt(receiver_at(url)) == Attempt(AGAIN, "cannot be reached")


def test_no_http_at_all() -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        receiver = receiver_at(f"http://127.0.0.1:{other.getsockname()[1]}/s3cr3t")
        assert attempt(receiver, 0.2).what == AGAIN


def test_the_address_has_gone() -> None:
    receiver = receiver_at("http://127.0.0.1:1/")
    Path("a.url").unlink()
    assert attempt(receiver) == Attempt(AGAIN, "a.url: cannot be read: No such file or directory")


# ---- commands ----


def command(script: str, *words: str) -> Receiver:
    return receiver_of("command:" + shlex.join([sys.executable, "-c", script, *words]))


def test_a_command_gets_a_line_of_json() -> None:
    script = "import sys; open('got', 'w').write(sys.stdin.read() + '|'.join(sys.argv[1:]))"
    assert attempt(command(script, "$HOME; touch x", "*")) == Attempt("sent")
    got, words = Path("got").read_text(encoding="utf-8").splitlines()
    assert json.loads(got)["text"] == "Take care"
    assert words == "$HOME; touch x|*"  # no shell has seen them


def test_what_a_command_prints_is_not_in_our_results(capfd: pytest.CaptureFixture[str]) -> None:
    attempt(command("print('out'); import sys; sys.stderr.write('err')"))
    assert capfd.readouterr() == ("", "err")


def test_of_what_a_command_says_the_beginning_is_shown(capfd: pytest.CaptureFixture[str]) -> None:
    endless = command("import sys\nwhile True: sys.stderr.write('err')")
    assert attempt(endless, 2.0).reason == "did not end within 2 seconds"
    assert len(capfd.readouterr().err) == 4_000


def test_a_pipe_in_place_of_a_file_is_not_waited_for() -> None:
    os.mkfifo("b.url")
    assert "no address" in attempt(receiver_of("webhook:@b.url")).reason


def test_a_command_need_not_read_and_may_fail() -> None:
    assert attempt(command("pass")) == Attempt("sent")
    assert attempt(command("raise SystemExit(3)")) == Attempt(AGAIN, "ended with 3", there=True)


def test_a_command_that_is_not_there() -> None:
    found = attempt(receiver_of("command:./nowhere"))
    assert found == Attempt(AGAIN, "cannot be started: No such file or directory")


def test_a_command_that_hangs_is_ended_with_its_children() -> None:
    hangs = receiver_of("command:" + shlex.join(["sh", "-c", "sleep 600 & echo $! > pid; wait"]))
    found = attempt(hangs, 2.0)
    assert found == Attempt(AGAIN, "did not end within 2 seconds", there=True)
    child = int(Path("pid").read_text(encoding="utf-8"))
    until(lambda: not runs(child))


NOW = datetime(2026, 11, 25, 9, 0, tzinfo=UTC)


def test_waits_grow_up_to_five_minutes_and_differ() -> None:
    assert [wait_after(n, draw=lambda: 1.0) for n in range(1, 11)] == [1, 2, 4, 8, 16, 32, 64, 128, 256, 300]
    assert wait_after(10_000, draw=lambda: 1.0) == 300
    assert wait_after(4, draw=lambda: 0.0) == 4
    assert len({wait_after(4) for _ in range(20)}) > 10


@pytest.mark.parametrize(("asked", "wait"), [(None, 1), (0.2, 1), (70.0, 70), (10_000.0, 3_600)])
def test_what_is_asked_for_is_kept(asked: float | None, wait: float) -> None:
    assert wait_after(1, asked, draw=lambda: 1.0) == wait


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        (None, None),
        ("120", 120),
        (" 7 ", 7),
        ("Wed, 25 Nov 2026 09:01:30 GMT", 90),
        ("Wed, 25 Nov 2026 08:00:00 GMT", 0),
        ("Wed, 25 Nov 2026 09:00:10 -0000", 10),
        ("soon", None),
        ("-3", None),
        ("Mon, 01 Jan 99999999999999999999 00:00:00 GMT", None),
    ],
)
def test_the_header_is_seconds_or_a_date(header: str | None, seconds: float | None) -> None:
    assert retry_after(header, NOW) == seconds


@pytest.mark.parametrize("turns", range(4))
def test_it_ends_when_told_to_even_if_a_letter_is_through_just_then(turns: int) -> None:
    Store(Path("p.state")).close()

    async def cancelled() -> None:
        with opened(Path("p.state")) as outbox:
            receiver, events = receiver_of("command:true"), (asyncio.Event(), asyncio.Event())
            sender = Sender(receiver, outbox, None, *events)
            task = asyncio.create_task(sender.run())
            for _ in range(5):  # it waits by then
                await asyncio.sleep(0)  # noqa: TID251 - a turn of the loop
            sender._done.set()
            for _ in range(turns):
                await asyncio.sleep(0)  # noqa: TID251 - a turn of the loop
            task.cancel()
            _, pending = await asyncio.wait([task], timeout=20)
            assert not pending

    asyncio.run(cancelled())
