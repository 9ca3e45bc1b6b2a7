"""antelog/files/cells.py: ticks and timestamps, as numbers and as texts."""

import datetime as dt
from dataclasses import replace
from decimal import Decimal
from io import BytesIO
from pathlib import Path
from zoneinfo import ZoneInfo

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from antelog import parse
from antelog.arrow.grammar import format_like
from antelog.errors import DataError
from antelog.files.cells import ticks
from antelog.files.chunks import sorted_out
from antelog.files.csv_files import WholeCsv
from antelog.language.epochs import Counting
from antelog.language.moments import Timescale
from antelog.run.reading import wanted_of
from tests.files.reading import TICKS, read, rows_of

TEN_PAST = ("1970-01-01T00:10:00.5+00:00", "1970-01-01T01:10:00+0100", "1969-12-31T23:10:00-01")
OTHERS = {"1970-01-01": 0, "1970-01-01 00:09:59.999999999": 0, "2013-07-04 00:00:00": 2288160, "17": 17}


@pytest.mark.parametrize(("time", "tick"), [*((each, 1) for each in TEN_PAST), *OTHERS.items()])
def test_timestamps_become_ticks(temp: Path, time: str, tick: int) -> None:
    assert read(temp, f"device,value,time\na,1,{time}\n", TICKS) == ([("a", 1, tick, tick)], [])


def test_times_of_many_kinds_in_one_column(temp: Path) -> None:
    times = (
        "1970-01-02",
        "5",
        "1970-01-01T00:20Z",
        "1970-02-30",
        "1969-12-31",
        "noon",
        "",
        "1970-01-01 25:00",
    )
    rows, bad = read(temp, "device,value,time\n" + "".join(f"a,1,{time}\n" for time in times), TICKS)
    assert [row[2] for row in rows] == [144, 5, 2]
    assert [reason for _, reason in bad] == [
        "the time `1970-02-30` is not a whole number or a timestamp",
        "the time `1969-12-31` is before tick 0",
        "the time `noon` is not a whole number or a timestamp",
        "the time is missing",
        "the time `1970-01-01 25:00` is not a whole number or a timestamp",
    ]


ENDINGS = pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])


def with_time(path: Path, text: str, typed: object) -> Path:
    """A file with a fact at a time, which is typed in Parquet."""
    if path.suffix == ".parquet":
        pq.write_table(pa.table({"device": ["a"], "value": [1], "time": pa.array([typed])}), path)
    else:
        fact = f'{{"device": "a", "value": 1, "time": {text}}}\n'
        path.write_text(fact if path.suffix == ".jsonl" else f"device,value,time\na,1,{text}\n")
    return path


@ENDINGS
def test_timestamps_need_a_tick(tmp_path: Path, ending: str) -> None:
    path = with_time(tmp_path / f"temp.{ending}", '"2024-01-01T00:00:00Z"', dt.datetime(2024, 1, 1))  # noqa: DTZ001
    with pytest.raises(DataError, match=r"declare it: `tick 10 minutes\.`"):
        rows_of(path)


@ENDINGS
@pytest.mark.parametrize("time", [2857672, 1714603200, 1714603200.5, 1714603200000, 1714603200000000000])
def test_numbers_that_count_since_1970(tmp_path: Path, ending: str, time: float) -> None:
    path = with_time(tmp_path / f"temp.{ending}", str(time), time)
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
    _, fault = ticks(pa.repeat(time, 1), "time", Counting(Timescale(60_000_000)), "a.parquet")
    assert fault.detail(0) == f"the time {shown}"


ZONES = ("Africa/Cairo", "America/St_Johns", "Asia/Kolkata", "Australia/Lord_Howe", "Europe/Berlin")
FORMS = ("%Y-%m-%d %H:%M", "%Y%m%dT%H%M%S", "%d.%m.%Y %H:%M:%S")
SAID = ("%d/%m/%y %I:%M %p", "%d %b %Y, %H:%M:%S.%f")


def by_zoneinfo(clock: dt.datetime, zone: ZoneInfo) -> int | None:
    """The minute since 1970 of what a clock shows, the earlier of two; None if it never does."""
    moment = clock.replace(tzinfo=zone).astimezone(dt.UTC)
    shown = moment.astimezone(zone).replace(tzinfo=None)
    return int(moment.timestamp()) // 60 if shown == clock else None


def turns(zone: ZoneInfo, year: int) -> list[dt.datetime]:
    """The local times about which clocks are changed in a year, or midsummer and midwinter."""
    days = [dt.datetime.fromisoformat(f"{year}-01-01") + dt.timedelta(n) for n in range(366)]
    found = [day for day in days if zone.utcoffset(day) != zone.utcoffset(day + dt.timedelta(1))]
    return found or [days[0], days[180]]


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize("form", [*FORMS, *SAID])
def test_local_times_are_those_of_the_zone(form: str, zone: str) -> None:
    info, step = ZoneInfo(zone), dt.timedelta(minutes=13)
    clocks = [day + n * step for year in (2009, 2026) for day in turns(info, year) for n in range(220)]
    lines = "".join(f'a,1,"{clock.strftime(form)}"\n' for clock in clocks)
    counting = Counting(Timescale(60_000_000, zone), zone=zone, form=form if form in SAID else None)
    wanted = replace(wanted_of(parse(TICKS).plan, "Temp"), counting=counting)
    chunks = WholeCsv("x.csv", wanted, []).all(BytesIO(f"device,value,time\n{lines}".encode()))
    (found,) = sorted_out(wanted, chunks, "x.csv")
    expected = [by_zoneinfo(clock, info) for clock in clocks]
    assert found.table.column("time").to_pylist() == [each for each in expected if each is not None]
    assert len(found.set_aside) == expected.count(None)
    assert all(f"go forward over it in {zone}" in each.detail for each in found.set_aside)
    again = [clock.replace(tzinfo=info, fold=1).timestamp() // 60 for clock in clocks]
    assert found.twice == sum(a is not None and a != b for a, b in zip(expected, again, strict=True))


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("07/01/2026 10:00", "%m/%d/%Y %H:%M"),
        ("13/01/2026 10:00:05.5", "%d/%m/%Y %H:%M:%S.%f"),
        (" 1/7/26 9:05 PM", "%m/%d/%y %I:%M %p"),
        ("Wed, 01 Jul 2026 10:00:00 +0000", "%a, %d %b %Y %H:%M:%S %z"),
        ("01/Jul/2026:10:00:00 +0200", "%d/%b/%Y:%H:%M:%S %z"),
        *((text, None) for text in ("07/01/2026 10:00 CEST", "13/14/2026", "2026-13-01", "7.5", "noon", "")),
    ],
)
def test_a_format_that_works(text: str, form: str | None) -> None:
    assert format_like(text) == form
    if form is not None:
        counting = Counting(Timescale(60_000_000), form=form)
        assert not ticks(pa.array([text]), "time", counting, "x")[1].applies.any()
        _, fault = ticks(pa.array([text]), "time", Counting(Timescale(60_000_000)), "x")
        assert f"; --time-format '{form}' reads it" in fault.detail(0)
