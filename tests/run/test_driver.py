"""antelog/watch/follow/follower.py: a stream that goes on while it is followed."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from threading import Thread

import antelog
from antelog import Engine
from antelog.files import ARRIVAL, Rejects, wanted_of
from antelog.files.naming import Form
from antelog.run.sinks.lines import Style, change_lines
from antelog.run.sinks.result import StepResult
from antelog.watch.feed.reader import FeedReader
from antelog.watch.feed.writer import FeedWriter
from antelog.watch.follow.clock import Timing
from antelog.watch.follow.follower import Follower, Following, How, Told
from antelog.watch.follow.telling import About, Feed
from antelog.watch.sources.growing import GrowingFile

PROGRAM = antelog.parse(
    "tick 1 second.\ninput P(x, time) delay 2.\nQ(X, T) :- P(X, T), P(X, T+1).\nquery Q(X, T)."
)


class _Lines:
    def __init__(self) -> None:
        self.told: list[dict[str, object]] = []

    def show(self, shown: StepResult) -> None:
        text = change_lines(list(PROGRAM.plan.queries), shown, Style())
        self.told += [json.loads(line) for line in text.splitlines()]


def _follower(folder: Path, timing: Timing, lines: _Lines, tend: Callable[[], None]) -> Follower:
    engine, wanted = Engine(PROGRAM, arrival=ARRIVAL), wanted_of(PROGRAM.plan, "P")
    source = GrowingFile(folder / "p.csv", Form.CSV, wanted)
    feed = Feed(FeedWriter(folder / "feed"), engine, About("text", "p.alog"))
    told = Told(lines, Rejects(), feed)
    return Follower(engine, {"P": Following(source, "p.csv", wanted)}, told, How(timing, tend=tend))


def _until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < end, "it does not happen"
        time.sleep(0.02)


def test_changes_are_told_while_facts_come(tmp_path: Path) -> None:
    lines, stop, tended = _Lines(), [False], [0]

    def tend() -> None:
        tended[0] += 1

    (tmp_path / "p.csv").write_text("x,time\na,7\n")
    follower = _follower(tmp_path, Timing(lag=0), lines, tend)
    thread = Thread(target=follower.run, args=(lambda: stop[0],))
    thread.start()
    try:
        _until(lambda: len(lines.told) == 2)
        with (tmp_path / "p.csv").open("a") as file:
            file.write("a,8\nb,1\nc,9\n")
        _until(lambda: any(line["change"] == "confirmed" for line in lines.told))
    finally:
        stop[0] = True
        thread.join()
        follower.close()
    assert tended[0] >= 2
    assert follower.told.rejects.counts == {"late": 1}
    records = FeedReader(tmp_path / "feed").read()
    assert [record for record in records if "change" in record] == lines.told
    assert [record["reject"]["row"] for record in records if "reject" in record] == ["P(b, 1)"]
    *_, last = records
    assert last["status"]["tick"] == 9
    assert last["status"]["inputs"]["P"]["rejects"] == {"late": 1}


def test_silence_counts_by_the_wall_clock(tmp_path: Path) -> None:
    lines, stop = _Lines(), [False]
    now = int(time.time())
    (tmp_path / "p.csv").write_text(f"x,time\na,{now}\n")
    follower = _follower(tmp_path, Timing("processing", tick=1_000_000), lines, lambda: None)
    thread = Thread(target=follower.run, args=(lambda: stop[0],))
    thread.start()
    try:
        _until(lambda: sum(line["change"] == "rejected" for line in lines.told) == 2)
    finally:
        stop[0] = True
        thread.join()
        follower.close()
    assert now + 2 <= follower.engine.now <= int(time.time())
