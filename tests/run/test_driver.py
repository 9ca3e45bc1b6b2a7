"""antelog/run/{driver,journal}.py: runs that a test drives, and runs that go on after a crash."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from antelog import Engine
from antelog.diagnostics import Source
from antelog.errors import StateError
from antelog.files import ARRIVAL
from antelog.language.moments import Timescale
from antelog.run.clock import Timing, rhythms_of
from antelog.run.driver import Driver, SnapshotView
from antelog.run.journal import Journal, RunState, restored
from antelog.run.reading import InputReader, InputSource, Listeners
from antelog.run.sinks.feed_sink import FeedSink
from antelog.run.sources.opening import PostedFacts
from antelog.run.store.feed import FeedReader, StoredFeedAt
from antelog.run.store.inbox import post
from antelog.run.store.store import Store
from antelog.run.waiting import WaitingRows
from tests.run.running import PROGRAM, LineSink, ManualTime, growing, recorded

FACTS = ["a,7\n", "a,8\nb,1\nc,9\n", "a,12\n"]


def _append(path: Path, text: str) -> Callable[[], object]:
    def happen() -> None:
        with path.open("a") as file:
            file.write(text)

    return happen


def _changes(lines: list[str]) -> list[tuple[int, str]]:
    return [(line["tick"], line["change"]) for line in map(json.loads, lines)]


def _driver(reader: InputReader, time: ManualTime, engine: Engine | None = None) -> Driver:
    engine = engine or Engine(PROGRAM, arrival=ARRIVAL)
    return Driver(engine, reader, once=False, resumed=True, time=time)


def test_changes_come_while_facts_do(tmp_path: Path) -> None:
    path, sink = tmp_path / "p.csv", LineSink()
    seen: list[int] = []
    events = [
        _append(path, "x,time\n" + FACTS[0]),
        lambda: seen.append(len(sink.lines)),
        _append(path, FACTS[1]),
        lambda: seen.append(len(sink.lines)),
    ]
    time = ManualTime(events=events)
    driver = _driver(growing(path, Timing(lag=0)), time)
    driver.run(sink, time.stopping)
    assert seen == [2, 7]
    assert _changes(sink.lines)[:2] == [(7, "possible"), (7, "possible")]
    assert (8, "confirmed") in _changes(sink.lines)
    assert driver.reader.rejects.counts == {"late": 1}


def test_silence_counts_by_the_wall_clock(tmp_path: Path) -> None:
    path, sink = tmp_path / "p.csv", LineSink()
    time = ManualTime(7.05, [_append(path, "x,time\na,7\n"), *[lambda: None] * 60])
    driver = _driver(growing(path, Timing("processing", timescale=Timescale(1_000_000))), time)
    driver.run(sink, time.stopping)
    assert _changes(sink.lines) == [(7, "possible")] * 2 + [(8, "rejected"), (10, "rejected")]
    assert 11 <= driver.engine.now <= 12


def _live(path: Path, events: list[Callable[[], object]]) -> tuple[list[str], InputReader, Driver]:
    """What a run of a file that grows writes by default, from 100 seconds on."""
    path.write_text("x,time\n")
    sink, time = LineSink(), ManualTime(100.0, events)
    reader = growing(path, Timing(timescale=Timescale(1_000_000), rhythms=rhythms_of(PROGRAM.plan)))
    driver = _driver(reader, time)
    driver.run(sink, time.stopping)
    return sink.lines, reader, driver


NOTHING_COMES: list[Callable[[], object]] = [lambda: None] * 160  # for 16 seconds


def test_silence_counts_where_facts_are_about_the_present(tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    lines, _, driver = _live(path, [_append(path, "a,100\n"), *NOTHING_COMES])
    assert _changes(lines) == [(100, "possible")] * 2 + [(101, "rejected"), (103, "rejected")]
    assert 113 <= driver.engine.now <= 116


def test_time_waits_for_facts_where_they_are_recorded(tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    lines, _, driver = _live(path, [_append(path, "a,7\n"), *NOTHING_COMES])
    assert (lines, driver.engine.now) == ([], 6)


def test_facts_that_come_after_a_silence_are_late_and_one_warning_counts_them(tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    behind = [_append(path, f"a,{time}\n") for time in range(101, 110)]
    fresh = [_append(path, "a,117\n"), _append(path, "a,119\n")]
    events = [_append(path, "a,100\n"), *NOTHING_COMES, *behind, *fresh, *NOTHING_COMES[:85]]
    _, reader, _ = _live(path, events)
    (_, warning) = reader.rejects.notes
    assert reader.rejects.counts == {"late": 9}
    assert warning == (
        "9 facts of P are late: nothing came, so time went on with the wall clock from 100 on. "
        "`delay 14 seconds` in the program would have kept them, or --clock event"
    )


def test_other_processes_are_looked_after_to_the_end(tmp_path: Path) -> None:
    path, tended = tmp_path / "p.csv", [0]

    def tend() -> None:
        tended[0] += 1

    path.write_text("x,time\n")
    time = ManualTime()
    driver = Driver(Engine(PROGRAM, arrival=ARRIVAL), recorded([path]), tend=tend, time=time)
    assert [step.tables["Q"].num_rows for step in driver.steps()] == [0]
    time.events = [lambda: None] * 3
    driver.linger(time.stopping)
    assert tended[0] >= 3


def test_snapshots_have_all_ticks(tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_text("x,time\na,7\na,8\n")
    steps = list(Driver(Engine(PROGRAM, arrival=ARRIVAL), recorded([path]), SnapshotView(None)).steps())
    assert [step.tick for step in steps if step.tables] == [7, 8, 9, 10, 11]
    assert [step.tables["Q"].num_rows for step in steps if step.tables][:2] == [2, 2]


# ---- a journal ----


class _Run:
    """A run over a file that grows, with a store; `crash` ends it without a word."""

    def __init__(self, folder: Path, sink: LineSink, time: ManualTime) -> None:
        self.store = Store.open(folder / "s")
        found = restored(self.store, lambda state: Engine.from_bytes(state, PROGRAM, arrival=ARRIVAL))
        engine, known, waiting = found or (Engine(PROGRAM, arrival=ARRIVAL), RunState(), WaitingRows())
        reader = growing(folder / "p.csv", Timing(lag=0), known)
        reader.waiting = waiting
        if known.output is not None:
            del sink.lines[known.output[1]["lines"] :]
        feed = FeedSink(self.store.feed, engine, Source("text", "p.alog"), time.monotonic)
        reader.listeners = Listeners(print, feed.rejects)
        self.driver = _driver(reader, time, engine)
        self.driver.journal = Journal(
            self.store, engine, reader, time.monotonic, feed, ("out", sink), resumable=True
        )
        self.sink, self.time = sink, time

    def run(self) -> None:
        self.driver.run(self.sink, self.time.stopping)


@pytest.mark.parametrize("resumable", [True, False])
def test_posted_facts_are_forgotten_once_they_are_read(tmp_path: Path, resumable: bool) -> None:
    with closing(Store.open(tmp_path / "s")) as store:
        reader, time, sink = growing(tmp_path / "p.csv", Timing(lag=0)), ManualTime(), LineSink()
        wanted = reader.inputs["P"].wanted
        inputs = {"P": InputSource(PostedFacts(store.inbox, wanted), "http:", wanted)}
        posted = InputReader(PROGRAM.plan, inputs, reader.reading, reader.rejects, Listeners(print))
        driver = _driver(posted, time)
        feed = FeedSink(store.feed, driver.engine, Source("text", "p.alog"), time.monotonic)
        driver.journal = Journal(store, driver.engine, posted, time.monotonic, feed, resumable=resumable)
        facts = [b'{"x": "a", "time": %d}' % tick for tick in range(7, 12)]
        left: list[int] = []
        time.events = [lambda: post(tmp_path / "s", "P", facts), lambda: None, lambda: None]
        time.events.append(lambda: left.append(len(store.inbox.read("P", 0, 10))))
        driver.run(sink, time.stopping)
    assert (left, bool(sink.lines)) == ([0], True)


@pytest.fixture
def whole(tmp_path: Path) -> list[str]:
    """The lines of a run that is not disturbed."""
    path = tmp_path / "whole.csv"
    path.write_text("x,time\n" + "".join(FACTS))
    time, sink = ManualTime(events=[lambda: None] * 2), LineSink()
    _driver(growing(path, Timing(lag=0)), time).run(sink, time.stopping)
    return sink.lines


class _CrashError(Exception):
    """The process is gone."""


def _crash() -> None:
    raise _CrashError


@pytest.mark.parametrize("crashes", range(1, 7))
def test_a_run_goes_on_after_a_crash(tmp_path: Path, whole: list[str], crashes: int) -> None:
    path, sink = tmp_path / "p.csv", LineSink()
    path.write_text("x,time\n")
    events: list[Callable[[], object]] = [lambda: None]
    for facts in FACTS:
        events += [_append(path, facts), lambda: None]
    events.insert(crashes, _crash)
    while events:
        run = _Run(tmp_path, sink, ManualTime(events=events))
        with closing(run.store):
            try:
                run.run()
            except _CrashError:
                sink.lines.append("half a line")
    assert sink.lines == whole
    with closing(Store.open(tmp_path / "s")) as store:
        records = FeedReader(StoredFeedAt(store.path)).read()
    assert [json.dumps(each) for each in records if "change" in each] == whole
    assert [each["reject"]["row"] for each in records if "reject" in each] == ["P(b, 1)"]
    *_, last = records
    assert (last["status"]["tick"], last["status"]["inputs"]["P"]["rejects"]) == (12, {"late": 1})


def test_a_state_of_another_make_is_refused(tmp_path: Path) -> None:
    with closing(Store.open(tmp_path / "s")) as store:
        store.save(Engine(PROGRAM).to_bytes(), [], b"{}")
        assert restored(store, lambda state: Engine.from_bytes(state, PROGRAM)) is not None
        store.save(Engine(PROGRAM).to_bytes(), [], b"[1]")
        with pytest.raises(StateError, match="no state that can be restored"):
            restored(store, lambda state: Engine.from_bytes(state, PROGRAM))
