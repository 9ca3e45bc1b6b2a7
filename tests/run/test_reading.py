"""antelog/run/{reading,counting}.py: rows of sources, dated, counted, and kept until their tick is over."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest

import antelog
from antelog.errors import DataError
from antelog.files import ARRIVAL, Reject, Rejects
from antelog.language.moments import Timescale
from antelog.run import reading
from antelog.run.clock import Timing
from antelog.run.counting import Count, InputCounts
from antelog.run.reading import InputReader, Now
from tests.run.running import PROGRAM, SECOND, growing, recorded


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "p.csv"


def _arrivals(reader: InputReader) -> list[int]:
    found: list[int] = reader.waiting.batch(10**6).facts["P"].column(ARRIVAL).to_pylist()
    return found


def _write(path: Path, times: list[int]) -> None:
    path.write_text("x,time\n" + "".join(f"a,{time}\n" for time in times))


# ---- dates ----


def test_those_of_a_later_run_arrive_after_what_was_finished_then(path: Path) -> None:
    _write(path, [0, 5, 1, 2])
    reader = recorded([path])
    reader.read(Now(1, 0))
    assert reader.progress.before == 1
    assert _arrivals(reader) == [2, 2, 2, 5]


def test_rows_of_a_file_that_grows_arrive_as_those_before_them_allow(path: Path) -> None:
    _write(path, [0, 5, 1, 2])
    reader = growing(path, Timing(lag=1))
    assert reader.read(Now(-1, 0)) == 4
    assert reader.finished(Now(-1, 0)) == 4
    assert _arrivals(reader) == [0, 5, 5, 5]
    assert not reader.ended


def test_by_the_wall_clock_rows_arrive_when_they_are_read(path: Path) -> None:
    _write(path, [3, 8, 99])
    reader = growing(path, Timing("processing", timescale=Timescale(SECOND)))
    reader.read(Now(5, 9 * SECOND))
    assert _arrivals(reader) == [6, 8, 9]


# ---- a window ----


def _finished(reader: InputReader) -> Iterator[int]:
    """The finished tick after each read."""
    now = -1
    while not reader.through:
        reader.read(Now(now, 0))
        now = reader.finished(Now(now, 0))
        yield now


def test_long_recordings_pass_through_a_window(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "ROOM", 100_000)
    _write(path, [i // 1000 for i in range(900_000)])
    reader, held = recorded([path]), 0
    for now in _finished(reader):
        held = max(held, reader.waiting.count("P"))
        reader.waiting.batch(now, 10**7)
    assert 100 < now < 900
    assert held < 800_000


def test_long_recordings_out_of_order_are_refused(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "ROOM", 1_000)
    _write(path, [*(i // 1000 for i in range(900_000)), 0])
    with pytest.raises(DataError, match="the facts of P are too many to be sorted, and not in order"):
        list(_finished(recorded([path])))


def test_one_tick_may_be_larger_than_the_window(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "ROOM", 2)
    _write(path, [7] * 600_000)
    reader = recorded([path])
    assert set(_finished(reader)) == {-1}
    assert reader.waiting.count("P") == 600_000


# ---- what is set aside ----


def test_rows_after_the_last_tick_are_counted(path: Path) -> None:
    path.write_text("x,time,arrival\na,1,1\nb,3,9\nc,9,9\n")
    rejects = Rejects()
    reader = recorded([path], until=4, rejects=rejects)
    reader.read(Now(-1, 0))
    assert _arrivals(reader) == [1]
    assert rejects.tally == {"malformed": 0, "after_until": 2}


# ---- counts ----


def _rows(xs: list[str], times: list[int], arrivals: list[int]) -> pa.Table:
    return pa.table({"x": xs, "time": times, ARRIVAL: arrivals})


def test_facts_are_counted_by_how_late_they_are() -> None:
    counts = InputCounts(PROGRAM.plan, {"P": Count(facts=1, newest=3, late={0: 1})})
    counts.add("P", _rows(["a"] * 4, [5, 5, 4, 1], [5, 6, 6, 9]))
    counts.add_rejects([Reject("a.csv", 2, "P", "late", "", "")] * 2)
    assert counts.status() == {
        "P": {
            "facts": 5,
            "newest": 5,
            "delay": 2,
            "late": {0: 2, 1: 1, 2: 1, 3: 1},
            "rejects": {"late": 2},
            "heard": None,
            "gap": None,
        }
    }


def test_a_gap_that_is_declared_is_expected() -> None:
    plan = antelog.parse(
        "tick 1 second. input P(x, time) every 10 s. Q(X, T) :- P(X, T). query Q(X, T)."
    ).plan
    counts = InputCounts(plan)
    counts.each["P"].hear(1_700_000_000_500_000)
    found = counts.status()["P"]
    assert (found["heard"], found["gap"]) == ("2023-11-14T22:13:20.500Z", 17.0)  # half as long again, and 2 s


def test_a_gap_is_learned_from_the_latest_ones() -> None:
    counts, wall = InputCounts(PROGRAM.plan), 0
    for gap in [7] * 5 + [60]:
        assert counts.status()["P"]["gap"] is None
        wall += gap * 1_000_000
        counts.each["P"].hear(wall)
    assert counts.status()["P"]["gap"] == 23.0  # three times the median, and 2 s
    for _ in range(120):
        wall += 100_000
        counts.each["P"].hear(wall)
    assert counts.status()["P"]["gap"] == 7.0  # not less
    assert len(counts.each["P"].gaps) == 100


def test_a_long_delay_is_counted_in_parts() -> None:
    plan = antelog.parse("input P(x, time) delay 599.\nQ(X, T) :- P(X, T).\nquery Q(X, T).").plan
    counts = InputCounts(plan)
    counts.add("P", _rows(["a"] * 3, [0, 0, 0], [9, 10, 5000]))
    assert counts.status()["P"]["late"] == {0: 1, 10: 1, 600: 1}
