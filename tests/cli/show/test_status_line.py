"""antelog/cli/commands/watch.py: the last line of a terminal, while `antelog watch` has no page."""

import io
import os
import pty
import subprocess
from contextlib import suppress
from pathlib import Path

import pytest
from rich.console import Console

from antelog import Engine
from antelog.cli.commands.watch import StatusLine, ago, fitting, status_line
from antelog.cli.show import terminal as module
from antelog.cli.show.terminal import before_output
from antelog.files import ARRIVAL
from antelog.run.clock import Timing
from antelog.run.driver import Driver
from tests.cli.trying import command
from tests.processes import Start, until
from tests.run.running import PROGRAM, LineSink, ManualTime, growing

CLEARED = "\r\x1b[2K"


@pytest.fixture
def said() -> io.StringIO:
    return io.StringIO()


@pytest.fixture
def console(said: io.StringIO) -> Console:
    return Console(file=said, width=80, force_terminal=True, color_system=None, _environ={"TERM": "xterm"})


def _driver(path: Path, time: ManualTime) -> Driver:
    path.write_text("x,time\n", encoding="utf-8")
    engine = Engine(PROGRAM, arrival=ARRIVAL)
    return Driver(engine, growing(path, Timing(lag=0)), once=False, resumed=True, time=time)


def test_it_says_how_things_stand(tmp_path: Path, said: io.StringIO, console: Console) -> None:
    path, time = tmp_path / "p.csv", ManualTime(seconds=100)
    driver = _driver(path, time)
    line = StatusLine(driver, console)
    line.refresh()
    assert said.getvalue() == "", "nothing in the first second"

    def shown() -> str:
        line.refresh()
        return said.getvalue().rpartition(CLEARED)[2]

    time.seconds = 101.5
    assert shown() == "waiting for the first fact · Ctrl-C stops"
    with path.open("a") as file:
        file.write("a,7\nb,8\n")
    time.events = [lambda: None]
    driver.run(LineSink(), time.stopping)
    time.seconds = 104.0
    assert shown() == "tick 8 · 0.5 rows/s · 3 open · last fact 2 s ago · Ctrl-C stops"


def test_it_makes_room_and_comes_again(tmp_path: Path, said: io.StringIO, console: Console) -> None:
    time = ManualTime(seconds=100)
    line = StatusLine(_driver(tmp_path / "p.csv", time), console)
    line.refresh()
    time.seconds = 102
    line.refresh()
    written = said.getvalue()
    line.clear()
    line.clear()
    assert said.getvalue() == written + CLEARED
    time.seconds = 102.1
    line.refresh()
    assert said.getvalue() == written + CLEARED + written, "at once, not only when a second is over"


def test_only_a_terminal_has_one(tmp_path: Path, console: Console, monkeypatch: pytest.MonkeyPatch) -> None:
    driver = _driver(tmp_path / "p.csv", ManualTime())
    dumb = Console(file=io.StringIO(), force_terminal=True, _environ={"TERM": "dumb"})
    for each, wanted, has_one in (
        (console, True, True),
        (console, False, False),
        (dumb, True, False),
        (Console(file=io.StringIO()), True, False),
    ):
        monkeypatch.setattr(module, "to_stderr", lambda each=each: each)
        with status_line(driver, wanted=wanted):
            assert bool(before_output) == has_one
        assert not before_output


def test_what_has_no_room_is_left_out() -> None:
    parts = ["06:25", "3 rows/s", "Ctrl-C stops"]
    assert fitting(parts, 80) == "06:25 · 3 rows/s · Ctrl-C stops"
    assert fitting(parts, 20) == "06:25 · 3 rows/s"
    assert fitting(parts, 3) == "06:"


def test_ages() -> None:
    assert [ago(each) for each in (0, 5, 119, 120, 7199, 7200)] == [
        "just now", "5 s ago", "119 s ago", "2 min ago", "119 min ago", "2 h ago",
    ]  # fmt: skip


@pytest.mark.usefixtures("here")
def test_a_real_terminal_shows_it(start: Start) -> None:
    terminal, end = pty.openpty()
    process = start(
        command("watch", "p.alog", "--input", "Temp=temp.csv", "--no-page", "--output", "changes.jsonl"),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=end,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "100"},
    )
    os.close(end)
    os.set_blocking(terminal, False)
    found = bytearray()

    def shown() -> str:
        with suppress(BlockingIOError):
            found.extend(os.read(terminal, 65_536))
        return found.decode(errors="replace")

    try:
        until(lambda: "last fact" in shown() and CLEARED in shown(), process, shown)
        assert " open · last fact " in shown()
    finally:
        os.close(terminal)
