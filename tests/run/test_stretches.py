"""antelog/run/driver.py: stretches without facts that answers driven by the clock would fill."""

from __future__ import annotations

import json
import re
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import antelog
from antelog import Engine
from antelog.files import ARRIVAL, Rejects
from antelog.files.naming import Form
from antelog.run.clock import Timing
from antelog.run.driver import MOST_LINES, SAMPLE, Driver
from antelog.run.reading import InputReader, InputSource, Listeners, ReadingMode, wanted_of
from antelog.run.sources.growing import GrowingFile
from tests.cli.trying import antelog as command
from tests.run.running import ManualTime

RULES = """tick 10 minutes. zone "UTC".
input Temp(device, level, time) delay 1.
static Turbine(device). Turbine(wt2). Turbine(wt4).
Shdn(X, T) :- Temp(X, high, T), Temp(X, high, T-1).
OK(X, T-2) :- Turbine(X), not Shdn(X, T).
query OK(X, T).
"""
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
    Path("ok.alog").write_text(
        RULES.replace("OK(X, T-2) :- Turbine(X), not", "OK(X, T-2) :- Temp(X, _, T), not")
    )
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
    Path("ok.alog").write_text(
        RULES.replace("OK(X, T-2) :- Turbine(X), not", "OK(X, T-2) :- Temp(X, _, T), not")
    )
    status, lines, _ = try_(FIRST + FAR)
    assert status == 0
    assert lines[-1]["tick"] > 8_000_000


def following(path: Path, notes: list[str], wall: int) -> tuple[Driver, ManualTime]:
    program = antelog.parse(RULES)
    wanted = wanted_of(program.plan, "Temp")
    timing = Timing(timescale=program.plan.timescale, ahead=86_400_000_000)
    source = InputSource(GrowingFile(path, Form.CSV, wanted), str(path), wanted)
    reader = InputReader(
        program.plan, {"Temp": source}, ReadingMode(timing), Rejects(), Listeners(notes.append)
    )
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
