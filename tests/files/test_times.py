"""antelog/files/times.py: ticks and timestamps, as numbers and as texts."""

import datetime as dt
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from antelog.errors import DataError
from antelog.files.times import ticks
from antelog.language.epochs import Counting
from antelog.language.moments import Timescale
from tests.files.reading import TICKS, read, rows_of


@pytest.mark.parametrize(
    ("time", "tick"),
    [
        ("1970-01-01", 0),
        ("1970-01-01 00:09:59.999999999", 0),
        ("1970-01-01T00:10", 1),
        ("1970-01-01 00:10:00", 1),
        ("1970-01-01T00:10:00Z", 1),
        ("1970-01-01T00:10:00.5+00:00", 1),
        ("1970-01-01T01:10:00+0100", 1),
        ("1970-01-01T01:10:00+01", 1),
        ("1969-12-31T23:10:00-01:00", 1),
        ("2013-07-04 00:00:00", 2288160),
        ("17", 17),
    ],
)
def test_timestamps_become_ticks(temp: Path, time: str, tick: int) -> None:
    assert read(temp, f"device,value,time\na,1,{time}\n", TICKS) == ([("a", 1, tick, tick)], [])


def test_times_of_many_kinds_in_one_column(temp: Path) -> None:
    times = [
        "1970-01-02",
        "5",
        "1970-01-01T00:20:00Z",
        "1970-02-30",
        "1969-12-31",
        "noon",
        "",
        "1970-01-01 25:00",
    ]
    rows, bad = read(temp, "device,value,time\n" + "".join(f"a,1,{time}\n" for time in times), TICKS)
    assert [row[2] for row in rows] == [144, 5, 2]
    assert [reason for _, reason in bad] == [
        "the time `1970-02-30` is not a whole number or a timestamp",
        "the time `1969-12-31` is before tick 0",
        "the time `noon` is not a whole number or a timestamp",
        "the time is missing",
        "the time `1970-01-01 25:00` is not a whole number or a timestamp",
    ]


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_timestamps_need_a_tick(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"temp.{ending}"
    match ending:
        case "csv":
            path.write_text("device,value,time\na,1,2024-01-01\n")
        case "jsonl":
            path.write_text('{"device": "a", "value": 1, "time": "2024-01-01T00:00:00Z"}\n')
        case _:
            table = pa.table({"device": ["a"], "value": [1], "time": pa.array([0], pa.timestamp("ms"))})
            pq.write_table(table, path)
    with pytest.raises(DataError, match=r"declare it: `tick 10 minutes\.`"):
        rows_of(path)


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
@pytest.mark.parametrize(
    "time", ["2857672", "1714603200", "1714603200.5", "1714603200000", "1714603200000000000"]
)
def test_numbers_that_count_since_1970(tmp_path: Path, ending: str, time: str) -> None:
    path = tmp_path / f"temp.{ending}"
    match ending:
        case "csv":
            path.write_text(f"device,value,time\na,1,{time}\n")
        case "jsonl":
            path.write_text(f'{{"device": "a", "value": 1, "time": {time}}}\n')
        case _:
            number = float(time) if "." in time else int(time)
            pq.write_table(pa.table({"device": ["a"], "value": [1], "time": [number]}), path)
    assert rows_of(path, TICKS) == ([("a", 1, 2857672, 2857672)], [])


def test_a_unit_that_is_said(temp: Path) -> None:
    program = TICKS.replace("time)", "time: s)")
    content = "device,value,time,arrival\na,1,600,1200.5\na,1,+1.5e3,2e3\na,1,1970-01-01 00:10,1e400\n"
    rows, bad = read(temp, content, program)
    assert rows == [("a", 1, 1, 2), ("a", 1, 2, 3)]
    assert len(bad) == 1


@pytest.mark.parametrize(
    ("time", "shown"),
    [
        (pa.scalar(b"\xff\x00"), "`ff00` is not a whole number"),
        (pa.scalar(dt.timedelta(seconds=5)), '`"5 seconds"` is not a whole number'),
        (pa.scalar(dt.time(1, 2, 3)), '`"01:02:03.000000"` is not a whole number'),
        (pa.scalar(Decimal("7.50")), "`7.5` is not a whole number"),
        (pa.scalar(dt.date(1960, 1, 1)), '`"1960-01-01"` is before tick 0'),
        (pa.scalar(-315615476999544, pa.timestamp("us")), '`"1960-01-01 01:02:03.000456"` is before tick 0'),
    ],
)
def test_typed_times_are_shown_as_all_values_are(time: pa.Scalar, shown: str) -> None:
    found = ticks(pa.repeat(time, 1), "time", Counting(Timescale(60_000_000)), "a.parquet")
    assert found.faults[0].detail(0) == f"the time {shown}"
