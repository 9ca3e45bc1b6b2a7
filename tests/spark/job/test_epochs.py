"""antelog/spark/job/epochs.py: on Spark numbers are the ticks that they are in process."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as f

from antelog import DataWarning, Engine, parse
from antelog.arrow.ticks import times_of
from antelog.files.times import ticks as ticks_of_texts
from antelog.language.epochs import Counting
from antelog.language.moments import Timescale
from antelog.spark import changes, rejects
from antelog.spark.endpoints.columns import value_of
from antelog.spark.job.epochs import parsed_times

NOW = 1_714_603_200
WHOLE = [
    *(0, 7, -1, -NOW, 315_532_799, 315_532_800, NOW, NOW + 599, 32_503_679_999, 32_503_680_000, 2**53, 2**61),
    *(
        NOW * 10**3 + 999,
        -NOW * 10**3,
        10**11,
        NOW * 10**6 + 1,
        NOW * 10**9 + 123_456_789,
        2**63 - 1,
        -(2**63),
    ),
]
BROKEN = [
    *(float(each) for each in WHOLE if abs(each) < 10**13),
    *(NOW * 1e9, 7.5, NOW + 0.5, NOW - 0.000001, (NOW + 0.1) * 1000, NOW * 1e6 + 0.5, 1e300, -2.5),
]
COUNTINGS = [
    Counting(Timescale(tick), unit)
    for tick, units in ((600_000_000, (None, "ms", "ticks")), (500_000, (None, "s")), (7, ("us",)))
    for unit in units
]
COUNTINGS += [
    Counting(Timescale(length, zone), unit)
    for length, zone, unit in (
        (86_400_000_000, "Europe/Berlin", None),
        (604_800_000_000, "America/Sao_Paulo", "s"),
        (604_800_000_000, "UTC", "ms"),
    )
]


COUNTINGS += [
    Counting(Timescale(length, "Europe/Berlin"), zone=zone, form=form)
    for length, zone, form in (
        (600_000_000, "Europe/Berlin", None),
        (86_400_000_000, "America/Sao_Paulo", None),
        (3_600_000_000, "America/Sao_Paulo", "%d/%b/%y %I:%M%p"),
    )
]


def in_process(given: pa.Array, counting: Counting) -> list[float | None]:
    found = times_of(given, counting)
    return [
        near(n) if ok else None for n, ok in zip(found.numbers.tolist(), found.whole.tolist(), strict=True)
    ]


def near(number: float | None) -> float | None:
    """How far after the last tick a number is does not matter."""
    return None if number is None or number != int(number) else max(-(2**53), min(2**53, int(number)))


@pytest.mark.parametrize(("type_", "given"), [("bigint", WHOLE), ("double", BROKEN)])
def test_numbers_of_tables(spark: SparkSession, type_: str, given: list[Any]) -> None:
    frame = spark.createDataFrame([(each,) for each in given], f"n {type_}")
    found = [parsed_times(f.col("n"), frame.schema["n"].dataType, "time", each) for each in COUNTINGS]
    columns = [f.col("n") if each is None else each.column for each in found]
    rows = frame.select(*(column.alias(f"c{i}") for i, column in enumerate(columns))).collect()
    for i, counting in enumerate(COUNTINGS):
        assert [near(row[i]) for row in rows] == in_process(pa.array(given), counting), counting


def test_times_in_texts(spark: SparkSession) -> None:
    texts = [
        *(
            "2024-05-01",
            "2024-05-01 22:40",
            "2024-05-01T22",
            "2024-05-01T22Z",
            " 2024-05-01 22:40:59.999999999Z ",
        ),
        *("2024-05-01T22:40+0200", "2024-05-01T22-05", "2024-05-01 22:40:10,5+02:00", "1969-12-31 23:59"),
        *("2024-03-31", "2024-03-31 22:00Z", "2024-03-31 21:59Z", "2024-10-27T22:59:59Z", "2018-11-04"),
        *(
            "2024-03-31 02:30",
            "2024-10-27 02:30:00",
            "2024-10-27T02:30Z",
            "2018-11-04 00:10",
            "2018-02-17 23:10",
        ),
        *(
            "20240501T2240",
            "20240501 224010,5Z",
            "1.5.2024",
            " 31.03.2024 02:10",
            "2024/05/01 22:40+02",
            "5/1/2024",
        ),
        *(
            "1/may/24 9:05pm",
            "01/December/99 12:00AM",
            "04/Nov/18 12:30 am",
            "4/Nov/18 12:30am",
            "31/Feb/24 1:00am",
        ),
        *("2024-02-30", "2024-05-01 25:00", "24-05-01", "noon", ""),
        *map(str, WHOLE),
        *map(repr, BROKEN[-7:]),
        "1.7146032005E9",
        " +1714603200.5 ",
    ]
    frame = spark.createDataFrame([(each,) for each in texts], "n string")
    for counting in COUNTINGS:
        value = value_of(f.col("n"), "time", "time", counting)
        rows = frame.select(value.column.alias("n"), value.complaint.alias("wrong")).collect()
        found = ticks_of_texts(pa.array(texts), "time", counting, "x.csv")
        # What is before tick 0 or after the last is left to the engine.
        fine = [not wrong for wrong in found.faulty.tolist()]
        here = [row.n if row.wrong is None and 0 <= row.n < 2**53 else None for row in rows]
        assert here == [n if ok else None for n, ok in zip(found.numbers.tolist(), fine, strict=True)], (
            counting
        )


@pytest.mark.parametrize(("unit", "type_"), [("", "bigint"), (": ms", "double"), ("", "decimal(20, 3)")])
def test_frames_tell_what_the_engine_tells(spark: SparkSession, unit: str, type_: str) -> None:
    program = parse(
        f"tick 10 minutes. input Temp(x: text, time{unit}) delay 1. Hot(X, T) :- Temp(X, T), Temp(X, T+1). "
        "query Hot(X, T)."
    )
    rows = [("a", NOW * 1000, NOW * 1000), ("a", (NOW + 600) * 1000, (NOW + 1200) * 1000)]
    frame = spark.createDataFrame(rows, "x string, time long, arrival long")
    frame = frame.select(
        "x", f.col("time").cast(type_).alias("time"), f.col("arrival").cast(type_).alias("arrival")
    )
    engine = Engine(program)
    reported = engine.advance(
        NOW // 600 + 9, {"Temp": [dict(zip(frame.columns, row, strict=True)) for row in rows]}
    )
    found = changes(program, {"Temp": frame}, only=("confirmed",)).collect()
    assert [(row.X, row.T, row.tick) for row in found] == [("a", NOW // 600, NOW // 600 + 2)]
    written = frame.selectExpr("x", "cast(time as string) time", "cast(arrival as string) arrival")
    again = changes(program, {"Temp": written}, only=("confirmed",)).collect()
    assert [(row.X, row.T, row.tick) for row in again] == [(row.X, row.T, row.tick) for row in found]
    confirmed = [each for each in reported["Hot"].to_pylist() if each["change"] == "confirmed"]
    assert [(each["X"], each["T"], each["tick"]) for each in confirmed] == [("a", NOW // 600, NOW // 600 + 2)]


def test_frames_with_times_as_texts(spark: SparkSession) -> None:
    program = parse(
        "tick 10 minutes. input Temp(x: text, time) delay 1. Hot(X, T) :- Temp(X, T), Temp(X, T+1). "
        "query Hot(X, T)."
    )
    rows = [("a", "2024-05-01 22:40"), ("a", "2024-05-01T22:50Z"), ("b", "noon"), ("b", None), ("b", "7.5")]
    frame = spark.createDataFrame(rows, "x string, time string")
    found = changes(program, {"Temp": frame}, only=("confirmed",), begin="2024-05-01 22:00").collect()
    assert [(row.X, row.T) for row in found] == [("a", NOW // 600)]
    said = sorted(row.detail for row in rejects(program, {"Temp": frame}).collect())
    assert said == [
        "the time `7.5` is not a whole number or a timestamp",
        "the time `noon` is not a whole number or a timestamp",
        "the time is missing",
    ]


def test_times_without_an_offset_in_tables(spark: SparkSession) -> None:
    program = parse(
        'tick 10 minutes. zone "Europe/Berlin". input Temp(x: text, time). '
        "Hot(X, T) :- Temp(X, T). query Hot(X, T)."
    )
    clocks = ["2024-07-01 05:30", "2024-03-31 02:30", "2024-10-27 02:30", "2024-07-01 23:30"]
    times = pa.array(clocks).cast(pa.timestamp("us"))
    frame = spark.createDataFrame(
        [(str(n), clock) for n, clock in enumerate(clocks)], "x string, clock string"
    ).selectExpr("x", "cast(clock as timestamp_ntz) time")
    rows = changes(program, {"Temp": frame}, only=("confirmed",)).collect()
    with pytest.warns(DataWarning, match="1 row without an offset in an hour that comes twice"):
        found = Engine(program).advance("2025-01-01", {"Temp": pa.table({"x": list("0123"), "time": times})})
    confirmed = [each for each in found["Hot"].to_pylist() if each["change"] == "confirmed"]
    assert {(row.X, row.T) for row in rows} == {(each["X"], each["T"]) for each in confirmed}
    assert sorted(row.X for row in rows) == ["0", "2", "3"]
    (said,) = rejects(program, {"Temp": frame}).collect()
    assert "is not a time there is: clocks go forward over it in Europe/Berlin" in said.detail
