"""antelog/watch/alerts/running.py: the process that sends ends with us, comes back, and shows no address."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from subprocess import PIPE

import msgspec
import pytest

from antelog.run.store.store import Store
from antelog.watch import child
from antelog.watch.alerts.alert import Alert, AlertError, AlertSetup
from antelog.watch.alerts.letters import key_of
from antelog.watch.alerts.outbox import counts_in
from antelog.watch.alerts.running import AlertProcess
from antelog.watch.alerts.sending import AT_ONCE
from tests.processes import Process, Start, runs, until
from tests.watch.alerts.lines import QUERIES, line
from tests.watch.alerts.receiving import Server

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("here")]


PATH = Path("p.state")


@pytest.fixture
def store(here: None) -> Iterator[Store]:  # noqa: ARG001 - it is made in this folder
    with closing(Store(PATH)) as found:
        found.feed.begin({"program": ""})
        yield found


def setup(server: Server) -> AlertSetup:
    Path("a").write_text(server.url, encoding="utf-8")
    return AlertSetup((Alert("webhook:@a"),), QUERIES, "p.alog")


def add(store: Store, *ticks: int) -> list[str]:
    changes = [line(tick=tick) for tick in ticks]
    store.feed.append([json.dumps(each) for each in changes])
    return [key_of(each) for each in changes]


def test_sent_until_stopped(server: Server, store: Store) -> None:
    add(store, 1)  # before there were alerts
    alerts = AlertProcess(PATH, setup(server))
    keys = add(store, 2)
    until(lambda: sorted(server.keys) == sorted(keys))
    keys += add(store, 3, 4)
    alerts.stop()
    assert sorted(server.keys) == sorted(keys)
    assert counts_in(PATH)["webhook:@a"]["sent"] == 3


def test_what_was_reported_while_nobody_sent_is_sent_later(server: Server, store: Store) -> None:
    AlertProcess(PATH, setup(server)).stop()
    keys = add(store, 1, 2)
    AlertProcess(PATH, setup(server)).stop()
    assert sorted(server.keys) == sorted(keys)


@pytest.mark.parametrize(("between", "comes_back"), [(0.0, True), (600.0, False)])
def test_it_comes_back(
    server: Server, store: Store, monkeypatch: pytest.MonkeyPatch, between: float, comes_back: bool
) -> None:
    """But not at once: what ends soon after its start would end again."""
    monkeypatch.setattr(child, "BETWEEN_STARTS", between)
    alerts = AlertProcess(PATH, setup(server))
    keys = add(store, 1)
    until(lambda: sorted(server.keys) == sorted(keys))
    alerts.tend()
    first = alerts.child.process.pid
    os.kill(first, signal.SIGKILL)
    until(lambda: not runs(first))
    keys += add(store, 2)
    if comes_back:
        _kept(alerts, first)
        until(lambda: set(server.keys) == {*keys})
    else:
        alerts.tend()
        assert alerts.child.process.pid == first
    alerts.stop()


def test_killed_again_and_again(server: Server, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is lost, and what is sent twice has one key."""
    monkeypatch.setattr(child, "BETWEEN_STARTS", 0.0)
    server.slow = 0.02
    alerts = AlertProcess(PATH, setup(server))
    keys: list[str] = []
    for number in range(6):
        keys += add(store, *range(20 * number, 20 * number + 20))
        until(lambda: len({*server.keys}) > 15 * (number + 1))  # noqa: B023 - called in this turn
        os.kill(alerts.child.process.pid, signal.SIGKILL)
        _kept(alerts, alerts.child.process.pid)
    until(lambda: {*server.keys} == {*keys})
    alerts.stop()
    assert len(server.keys) <= len(keys) + 6 * AT_ONCE


def test_it_ends_when_we_are_killed(server: Server, store: Store, start: Start) -> None:
    parent, child = _of_another(server, start)
    keys = add(store, 1)
    until(lambda: server.keys == keys)
    if Path("/proc").exists():
        shown = Path(f"/proc/{child}/cmdline").read_text(encoding="utf-8")
        assert "antelog.watch.alerts.running" in shown
        assert "127.0.0.1" not in shown
    parent.kill()
    until(lambda: not runs(child))


def test_the_next_one_waits_while_that_of_a_killed_one_still_sends(
    server: Server, store: Store, start: Start
) -> None:
    """The two would send the letters that wait twice."""
    server.slow = 0.1
    parent, child = _of_another(server, start)
    keys = add(store, *range(20))
    until(lambda: server.keys)
    parent.kill()
    alerts = AlertProcess(PATH, setup(server))
    keys += add(store, *range(20, 40))
    until(lambda: {*server.keys} == {*keys})
    until(lambda: not runs(child))
    alerts.stop()
    assert sorted(server.keys) == sorted(keys)


def _of_another(server: Server, start: Start) -> tuple[Process, int]:
    """A process with alerts, which may be killed, and the number of the process that sends them."""
    script = (
        "import sys, pathlib, msgspec\n"
        "from antelog.watch.alerts.alert import AlertSetup\n"
        "from antelog.watch.alerts.running import AlertProcess\n"
        "setup = msgspec.json.decode(sys.stdin.buffer.readline(), type=AlertSetup)\n"
        "print(AlertProcess(pathlib.Path('p.state'), setup).child.process.pid, flush=True)\n"
        "sys.stdin.read()\n"
    )
    parent = start([sys.executable, "-c", script], stdin=PIPE, stdout=PIPE)
    assert parent.stdin is not None
    assert parent.stdout is not None
    parent.stdin.write(msgspec.json.encode(setup(server)).decode() + "\n")
    parent.stdin.flush()
    return parent, int(parent.stdout.readline())


@pytest.mark.usefixtures("store")
def test_an_interrupt_of_the_terminal_is_for_the_stream(server: Server) -> None:
    alerts = AlertProcess(PATH, setup(server))
    assert os.getpgid(alerts.child.process.pid) != os.getpgid(0)
    alerts.stop()


def test_a_wrong_file_is_said_at_the_start(server: Server) -> None:
    PATH.write_text("no database, whatever its name is\n" * 50, encoding="utf-8")
    with pytest.raises(AlertError, match="is not a store"):
        AlertProcess(PATH, setup(server))


def _kept(alerts: AlertProcess, before: int) -> None:
    """Wait until the process is another one; it may take a moment for the system to say that it has ended."""

    def another() -> bool:
        alerts.tend()
        return alerts.child.process.pid != before

    until(another)
