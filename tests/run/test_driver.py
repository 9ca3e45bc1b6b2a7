"""antelog/run/{driver,journal}.py: runs that a test drives, that go on after a crash, and that skip time."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import antelog
from antelog import Engine
from antelog.diagnostics import Source
from antelog.errors import StateError
from antelog.files import ARRIVAL, Rejects
from antelog.files.naming import Form
from antelog.language.moments import Timescale
from antelog.run.clock import Timing, rhythms_of
from antelog.run.driver import MOST_LINES, SAMPLE, Driver, SnapshotView
from antelog.run.journal import Journal, RunState, restored
from antelog.run.reading import InputReader, InputSource, Listeners, wanted_of
from antelog.run.sinks.feed_sink import FeedSink
from antelog.run.sources.growing import GrowingFile
from antelog.run.sources.opening import PostedFacts
from antelog.run.store.feed import FeedReader, StoredFeedAt
from antelog.run.store.inbox import post
from antelog.run.store.store import Store
from antelog.run.waiting import WaitingRows
from tests.cli.trying import antelog as command
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
        self.store = Store(folder / "s")
        found = restored(self.store, lambda state: Engine.restore(state, PROGRAM, arrival=ARRIVAL))
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
    with closing(Store(tmp_path / "s")) as store:
        reader, time, sink = growing(tmp_path / "p.csv", Timing(lag=0)), ManualTime(), LineSink()
        wanted = reader.inputs["P"].wanted
        inputs = {"P": InputSource(PostedFacts(store.inbox, wanted), "http:", wanted)}
        posted = InputReader(PROGRAM.plan, inputs, reader.timing, reader.rejects, Listeners(print))
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
    with closing(Store(tmp_path / "s")) as store:
        records = FeedReader(StoredFeedAt(store.path)).read()
    assert [json.dumps(each) for each in records if "change" in each] == whole
    assert [each["reject"]["row"] for each in records if "reject" in each] == ["P(b, 1)"]
    *_, last = records
    assert (last["status"]["tick"], last["status"]["inputs"]["P"]["rejects"]) == (12, {"late": 1})


def test_a_state_of_another_make_is_refused(tmp_path: Path) -> None:
    with closing(Store(tmp_path / "s")) as store:
        store.save(Engine(PROGRAM).to_bytes(), [], b"{}")
        assert restored(store, lambda state: Engine.restore(state, PROGRAM)) is not None
        store.save(Engine(PROGRAM).to_bytes(), [], b"[1]")
        with pytest.raises(StateError, match="no state that can be restored"):
            restored(store, lambda state: Engine.restore(state, PROGRAM))


# ---- stretches without facts that answers driven by the clock would fill ----


RULES = """tick 10 minutes. zone "UTC".
input Temp(device, level, time) delay 1.
static Turbine(device). Turbine(wt2). Turbine(wt4).
Shdn(X, T) :- Temp(X, high, T), Temp(X, high, T-1).
OK(X, T-2) :- Turbine(X), not Shdn(X, T).
query OK(X, T).
"""
BY_FACTS = RULES.replace("OK(X, T-2) :- Turbine(X), not", "OK(X, T-2) :- Temp(X, _, T), not")
FIRST, FAR = "wt2,high,2024-01-01 00:00\nwt2,high,2024-01-01 00:10\n", "wt2,high,2124-01-01 00:00\n"
HEADER = "device,level,time\n"
DAY = 144  # ticks


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ok.alog").write_text(RULES)
    return tmp_path


def try_(facts: str, *flags: str) -> tuple[int, list[dict[str, Any]], str]:
    Path("temp.csv").write_text(HEADER + facts)
    done = command("try", "ok.alog", "--input", "Temp=temp.csv", *flags)
    return done.exit_code, [json.loads(line) for line in done.stdout.splitlines()], done.stderr


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("flags", [(), ("--only", "confirmed")])
def test_a_recording_stops_before_a_century_without_facts(flags: tuple[str, ...]) -> None:
    status, lines, said = try_(FIRST + FAR, *flags)
    assert status == 1
    assert len(lines) < 10
    assert "between Temp(wt2, high, 2024-01-01 00:10) and Temp(wt2, high, 2124-01-01 00:00)" in said
    assert "ticks without facts, and OK, which needs none, would fill them" in said
    assert "--until" in said


@pytest.mark.usefixtures("folder")
def test_snapshots_stop_there_whatever_the_rules_say() -> None:
    Path("ok.alog").write_text(BY_FACTS)
    status, lines, said = try_(FIRST + FAR, "--snapshots")
    assert status == 1
    assert len(lines) < 10
    assert "ticks without facts, and snapshots of all would fill them with about" in said
    assert "--since" in said
    status, lines, _ = try_(
        FIRST + FAR, "--snapshots", "--since", "2024-03-01", "--until", "2024-03-01 00:20"
    )
    assert status == 0
    assert len(lines) == 3
    status, lines, said = try_(FIRST, "--snapshots", "--since", "2024-03-01", "--until", "2124-01-01")
    assert (status, lines) == (1, [])
    assert "snapshots of all would fill them with" in said
    status, lines, _ = try_(FIRST, "--snapshots", "--since", "0")
    assert status == 0
    assert lines[0]["tick"] > 2_000_000


@pytest.mark.usefixtures("folder")
def test_a_table_stops_earlier() -> None:
    Path("temp.csv").write_text(HEADER + FIRST)
    done = command(
        *("try", "ok.alog", "--input", "Temp=temp.csv", "--until", "2024-12-31", "--format", "table")
    )
    assert done.exit_code == 1
    assert 100_000 < int(re.findall(r"about ([\d,]+) lines", done.stderr)[0].replace(",", "")) < MOST_LINES


@pytest.mark.usefixtures("folder")
def test_so_does_one_whose_end_is_far_away() -> None:
    status, _, said = try_(FIRST, "--until", "2124-01-01")
    assert status == 1
    assert "after Temp(wt2, high, 2024-01-01 00:10) lie" in said


@pytest.mark.usefixtures("folder")
def test_a_shorter_stretch_has_its_lines() -> None:
    status, lines, _ = try_(FIRST, "--until", "2024-02-01")
    assert status == 0
    assert sum(line["change"] == "confirmed" for line in lines) == 2 * (31 * DAY - 1)
    ticks = [line["tick"] for line in lines]
    assert ticks == sorted(ticks)


@pytest.mark.usefixtures("folder")
def test_rules_that_need_facts_go_through_any_stretch() -> None:
    Path("ok.alog").write_text(BY_FACTS)
    status, lines, _ = try_(FIRST + FAR)
    assert status == 0
    assert lines[-1]["tick"] > 8_000_000


def following(path: Path, notes: list[str], wall: int) -> tuple[Driver, ManualTime]:
    program = antelog.parse(RULES)
    wanted = wanted_of(program.plan, "Temp")
    timing = Timing(timescale=program.plan.timescale, ahead=86_400_000_000)
    source = InputSource(GrowingFile(path, Form.CSV, wanted), str(path), wanted)
    reader = InputReader(program.plan, {"Temp": source}, timing, Rejects(), Listeners(notes.append))
    time = ManualTime(events=[lambda: None, lambda: None])
    time.wall = lambda: wall  # type: ignore[method-assign]  # a clock that stands
    return Driver(Engine(program, arrival=ARRIVAL), reader, once=False, resumed=True, time=time), time


def test_time_begins_anew_after_a_long_stretch_in_what_goes_on(tmp_path: Path) -> None:
    path, notes = tmp_path / "temp.csv", list[str]()
    path.write_text(HEADER + "wt2,high,1970-02-01 00:00\n" + FIRST + "wt2,high,2024-01-01 00:20\n")
    driver, time = following(path, notes, wall=1_704_067_200_000_000)
    with closing(driver.reader):
        steps = list(driver.steps(time.stopping))
    (note,) = notes
    assert "between Temp(wt2, high, 4464) and Temp(wt2, high, 2024-01-01 00:00) lie" in note
    assert note.endswith("time begins anew after them")
    lines = [line for step in steps for line in step.tables["OK"].to_pylist()]
    assert len(lines) < 10 * SAMPLE < MOST_LINES
    assert {line["T"] for line in lines if line["tick"] > 2_000_000} >= {2_840_112, 2_840_113}


def test_facts_long_after_the_wall_clock_are_early_and_move_no_clock(tmp_path: Path) -> None:
    path, notes = tmp_path / "temp.csv", list[str]()
    path.write_text(HEADER + FIRST + FAR + "wt4,high,2024-01-01 00:10\n")
    driver, time = following(path, notes, wall=1_704_067_200_000_000)
    with closing(driver.reader):
        list(driver.steps(time.stopping))
    assert driver.reader.rejects.counts == {"early": 1}
    assert driver.reader.progress.highest == {"Temp": 2_840_113}
    assert notes[0].startswith("facts of Temp are about times long after the clock of this machine")
