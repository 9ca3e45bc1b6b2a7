"""antelog/watch/alerts/{running,outbox}.py: what is sent arrives once, whatever becomes of the receiver."""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from antelog.run.store import inbox
from antelog.run.store.store import Store
from antelog.watch.alerts import outbox as module
from antelog.watch.alerts import running, sending
from antelog.watch.alerts.alert import Alert, AlertError, AlertSetup
from antelog.watch.alerts.letters import Letter, key_of
from antelog.watch.alerts.outbox import DROPPED, OUTCOMES, REFUSED, SENT, Outbox, counts_in, opened
from antelog.watch.alerts.running import run
from antelog.watch.alerts.sending import say
from tests.processes import until_async
from tests.watch.alerts.lines import QUERIES, line
from tests.watch.alerts.receiving import Server

pytestmark = pytest.mark.usefixtures("here")


class Stream:
    def __init__(self, *alerts: Alert) -> None:
        self.setup = AlertSetup(alerts, QUERIES, "p.alog", store="p.state")
        self.store = Store(Path("p.state"))
        self.store.feed.begin({"program": ""})

    def tell(self, *ticks: int) -> list[str]:
        """Write a change of each tick to the feed, each about an answer of its own; gives their keys."""
        return self.tell_of(*(line(tick=tick, answer={"X": "wt2", "T": tick}) for tick in ticks))

    def tell_of(self, *changes: Any) -> list[str]:
        """Write changes to the feed; gives their keys."""
        self.store.feed.append([json.dumps(each) for each in changes])
        return [key_of(each) for each in changes]

    def counts(self) -> dict[str, dict[str, int]]:
        return counts_in(Path("p.state"))

    def sending(self, meanwhile: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Send alerts while something happens, and then end."""

        async def both() -> None:
            ending = asyncio.Event()
            task = asyncio.create_task(run(self.setup, ending))
            await meanwhile()
            ending.set()
            await task

        asyncio.run(both())

    def send_all(self) -> None:
        async def nothing() -> None:
            pass

        self.sending(nothing)


@pytest.fixture(autouse=True)
def quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sending, "wait_after", lambda failures, asked=None: asked or 0.01 * failures)


@pytest.fixture
def stream(here: None, server: Server) -> Stream:  # noqa: ARG001 - it is made in this folder
    return Stream(hook(server))


def hook(server: Server, name: str = "a", /, **more: Any) -> Alert:
    Path(name).write_text(server.url, encoding="utf-8")
    return Alert(f"webhook:@{name}", **more)


def test_a_group_that_is_acknowledged_waits_until_that_is_withdrawn(server: Server, stream: Stream) -> None:
    inbox.add_act(Path("p.state"), inbox.Act("Malf", "acknowledged", "ann", time.time(), answers=("a",)))

    async def meanwhile() -> None:
        stream.tell(1)
        other = stream.tell_of(line("confirmed", "Total", answer={"City": "Bonn"}))
        await until_async(lambda: server.keys == other)
        inbox.withdraw_act(Path("p.state"), "Malf", "acknowledged")
        await until_async(lambda: len(server.keys) == 2)

    stream.sending(meanwhile)
    assert server.got[-1]["tick"] == 1


@pytest.mark.parametrize("answers", [[500], [429, 503, 302], [404] * 4])
def test_tried_again(
    server: Server, stream: Stream, answers: list[int], capsys: pytest.CaptureFixture[str]
) -> None:
    server.answers = answers.copy()

    async def meanwhile() -> None:
        key = stream.tell(1)
        await until_async(lambda: server.keys == key * (len(answers) + 1))

    stream.sending(meanwhile)
    assert stream.counts()["webhook:@a"]["failed"] == len(answers)
    said = capsys.readouterr().err
    assert said.count("it is tried again") == len(set(answers))
    assert said.endswith("alerts: webhook:@a: receives again\n")
    assert "s3cr3t" not in said


def test_one_that_always_fails_does_not_hold_up_the_others(server: Server, stream: Stream) -> None:
    (bad,) = stream.tell(1)
    server.refuse = {bad: 500}

    async def meanwhile() -> None:
        await until_async(lambda: server.keys.count(bad) > 3)
        keys = stream.tell(*range(2, 40))
        await until_async(lambda: set(keys) <= set(server.keys))
        server.refuse = {}
        await until_async(lambda: stream.counts()["webhook:@a"]["sent"] == 39)

    stream.sending(meanwhile)
    assert stream.counts()["webhook:@a"]["waiting"] == 0


def test_while_every_other_attempt_fails_the_letters_that_failed_wait_alone(
    server: Server, stream: Stream, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the receiver waited after a failure, half of all letters would wait an hour each."""
    monkeypatch.setattr(sending, "wait_after", lambda _failures, _asked=None: 3600.0)
    keys = stream.tell(*range(100))
    server.refuse = dict.fromkeys(keys[::2], 503)

    async def meanwhile() -> None:
        await until_async(lambda: set(server.keys) == set(keys))
        await until_async(lambda: stream.counts()["webhook:@a"]["sent"] == 50)

    stream.sending(meanwhile)
    assert stream.counts()["webhook:@a"]["waiting"] == 50


def test_many_that_rest_are_waited_for(
    server: Server, stream: Stream, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To look for others behind them again and again takes the time of all receivers."""
    monkeypatch.setattr(sending, "wait_after", lambda _failures, _asked=None: 3600.0)
    monkeypatch.setattr(sending, "MOST_RESTING", 10)
    keys = stream.tell(*range(100))
    server.refuse = dict.fromkeys(keys[::2], 503)

    async def meanwhile() -> None:
        def counted(*outcomes: str) -> int:
            return sum(stream.counts().get("webhook:@a", {}).get(each, 0) for each in outcomes)

        await until_async(lambda: counted("failed") >= 10)
        await until_async(lambda: len(server.got) == counted(*OUTCOMES))
        assert len(server.got) < 50
        server.refuse = {}

    stream.sending(meanwhile)
    assert set(server.keys) == set(keys)  # at the end each is tried


def test_several_are_on_their_way_at_a_time_and_one_once_the_receiver_is_down(
    server: Server, stream: Stream
) -> None:
    keys = stream.tell(*range(100))
    server.refuse = dict.fromkeys(keys, 503)

    async def meanwhile() -> None:
        await until_async(lambda: len(server.got) > 3 * sending.AT_ONCE)
        assert len(set(server.keys)) < 50  # it is not asked for each
        server.refuse = {}
        await until_async(lambda: stream.counts()["webhook:@a"]["sent"] == 100)

    stream.sending(meanwhile)
    assert 1 < len(set(server.clients)) <= sending.AT_ONCE


def _begin_and_end(stream: Stream) -> list[str]:
    return stream.tell_of(line(), line("confirmed", tick=9))


def both(server: Server) -> Alert:
    return hook(server, on=("likely", "confirmed"))


def test_a_letter_waits_for_one_about_the_same_answer_that_fails(server: Server) -> None:
    stream = Stream(both(server))
    begin, end = _begin_and_end(stream)
    server.refuse = {begin: 503}

    async def meanwhile() -> None:
        others = stream.tell(*range(20, 40))
        await until_async(lambda: set(others) <= set(server.keys) and server.keys.count(begin) > 3)
        assert end not in server.keys
        server.refuse = {}
        await until_async(lambda: stream.counts()["webhook:@a"]["sent"] == 22)

    stream.sending(meanwhile)
    assert server.keys.count(end) == 1
    assert server.keys.index(end) > max(place for place, key in enumerate(server.keys) if key == begin)


def test_a_letter_waits_for_one_about_the_same_answer_that_is_on_its_way(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "GRACE", 0.2)
    server.slow = 600.0
    stream = Stream(both(server))
    begin, end = _begin_and_end(stream)

    async def meanwhile() -> None:
        others = stream.tell(*range(20, 23))
        await until_async(lambda: {begin, *others} <= set(server.keys))
        assert end not in server.keys

    stream.sending(meanwhile)
    assert stream.counts()["webhook:@a"]["waiting"] == 5


def test_what_waits_for_one_that_fails_at_the_end_is_kept_in_order(server: Server) -> None:
    stream = Stream(both(server))
    begin, end = _begin_and_end(stream)
    server.refuse = {begin: 503}
    stream.send_all()
    assert server.keys == [begin]
    server.refuse = {}
    stream.send_all()
    assert server.keys == [begin, begin, end]


def test_what_is_refused_is_not_sent_again(
    server: Server, stream: Stream, capsys: pytest.CaptureFixture[str]
) -> None:
    server.answers = [422]
    keys = stream.tell(1, 2)
    stream.send_all()
    assert sorted(server.keys) == sorted(keys)
    assert {"sent": 1, "refused": 1}.items() <= stream.counts()["webhook:@a"].items()
    assert "answered 422" in capsys.readouterr().err


def test_retry_after_is_kept(server: Server, stream: Stream) -> None:
    server.answers, server.headers = [429], {"Retry-After": "1"}

    async def meanwhile() -> None:
        stream.tell(1)
        await until_async(lambda: len(server.got) == 1)
        began = time.monotonic()
        await until_async(lambda: len(server.got) == 2)
        assert time.monotonic() - began > 0.9

    stream.sending(meanwhile)


def test_a_receiver_that_is_down_holds_up_no_other(
    server: Server, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("down").write_text("http://127.0.0.1:1/s3cr3t", encoding="utf-8")
    stream = Stream(Alert("webhook:@down"), hook(server))

    async def meanwhile() -> None:
        keys = stream.tell(1, 2, 3)
        await until_async(lambda: sorted(server.keys) == sorted(keys))
        await until_async(lambda: stream.counts().get("webhook:@down", {}).get("failed", 0) > 1)

    stream.sending(meanwhile)
    assert stream.counts()["webhook:@down"]["waiting"] == 3
    said = capsys.readouterr().err
    assert said.count("cannot be reached; it is tried again") == 1
    assert "webhook:@down: 3 still to be sent; they are kept for the next start" in said

    hook(server, "down")  # somebody mends it
    server.got.clear()
    stream.send_all()
    assert {each["tick"] for each in server.got} == {1, 2, 3}
    assert "webhook:@down: 3 from before are sent now" in capsys.readouterr().err


def test_nothing_is_sent_again_after_a_restart(server: Server, stream: Stream) -> None:
    keys = stream.tell(1, 2)
    stream.send_all()
    keys += stream.tell(3)
    stream.send_all()
    assert sorted(server.keys) == sorted(keys)


def test_what_the_feed_has_lost_is_said(
    server: Server, stream: Stream, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    keys = stream.tell(1)
    stream.send_all()
    assert "not looked at" not in capsys.readouterr().err
    monkeypatch.setattr(stream.store.feed, "_kept", 0)
    stream.tell(2)
    stream.store.feed.begin({"program": ""})
    keys += stream.tell(3)
    stream.send_all()
    assert sorted(server.keys) == sorted(keys)
    assert capsys.readouterr().err.count("some changes are not looked at") == 1


def test_two_receivers_each_have_their_own() -> None:
    script = "import sys; open(sys.argv[1], 'a').write(sys.stdin.read())"
    command = f'command:{sys.executable} -c "{script}"'
    stream = Stream(Alert(f"{command} hot"), Alert(f"{command} other", where=("X=wt9",)))
    stream.tell(1)
    stream.send_all()
    assert json.loads(Path("hot").read_text(encoding="utf-8"))["answer"]["X"] == "wt2"
    assert not Path("other").exists()


def test_a_slow_receiver_is_given_up_at_the_end(
    server: Server, stream: Stream, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "GRACE", 0.2)
    stream.tell(1)
    server.slow = 600.0
    stream.send_all()
    assert stream.counts()["webhook:@a"]["waiting"] == 1


def test_what_is_read_last_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "_AT_ONCE", 1)
    Path("down").write_text("http://127.0.0.1:1/", encoding="utf-8")
    stream = Stream(Alert("webhook:@down"))
    stream.tell(*range(100))
    stream.send_all()
    assert stream.counts()["webhook:@down"]["waiting"] == 100


def test_alerts_that_nobody_asks_for_any_more_stay(
    server: Server, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("down").write_text("http://127.0.0.1:1/", encoding="utf-8")
    first = Stream(Alert("webhook:@down"))
    first.tell(1)
    first.send_all()
    first.store.close()
    Stream(hook(server)).send_all()
    assert "note: 1 wait for webhook:@down, which no --alert names any more" in capsys.readouterr().err
    assert server.got == []


def test_nothing_said_is_obeyed(capsys: pytest.CaptureFixture[str]) -> None:
    say("a\x1b[2J\nb")
    assert capsys.readouterr().err == "alerts: a\\u001b[2J\\u000ab\n"


A, B, C = (Letter(key, f'{{"n": {n}}}', key) for n, key in enumerate("abc", 1))


def keys(outbox: Outbox, receiver: str = "x") -> list[str]:
    found = []
    while (letter := outbox.first(receiver)) is not None:
        found.append(letter.key)
        outbox.settle(receiver, letter, SENT)
    return found


@pytest.fixture
def path(tmp_path: Path) -> Path:
    Store(tmp_path / "s").close()
    return tmp_path / "s"


def test_counts(path: Path) -> None:
    with opened(path) as outbox:
        assert outbox.counts() == {}
        outbox.receive(["x", "z"])
        outbox.add([("x", A), ("x", B), ("x", C)])
        for outcome in (SENT, REFUSED):
            first = outbox.first("x")
            assert first is not None
            outbox.fail("x", first, itself=False)
            outbox.settle("x", first, outcome)
    with opened(path) as outbox:
        assert outbox.counts() == {
            "x": {"sent": 1, "failed": 2, "refused": 1, "dropped": 0, "waiting": 1},
            "z": {"sent": 0, "failed": 0, "refused": 0, "dropped": 0, "waiting": 0},
        }


def test_the_oldest_of_too_many_are_given_up(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST", 2)
    with opened(path) as outbox:
        outbox.receive(["x"])
        outbox.add([("y", A), ("x", A), ("x", B), ("x", C)])
        assert outbox.counts()["x"][DROPPED] == 1
        assert keys(outbox) == ["b", "c"]
        assert keys(outbox, "y") == ["a"]


def test_another_file_is_refused(path: Path) -> None:
    path.write_text("no database, but some text of a length that is beyond doubt\n" * 20, encoding="utf-8")
    with (
        pytest.raises(
            AlertError, match=r"the alerts cannot be kept in .*is not a store.*Give another --state"
        ),
        opened(path),
    ):
        pass
