"""antelog/spark/job/epochs.py: on Spark times are the ticks that they are in process."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as f

from antelog import DataWarning, Engine, parse
from antelog.arrow.ticks import times_of
from antelog.language.epochs import Counting
from antelog.language.moments import Timescale
from antelog.spark import changes, rejects
from antelog.spark.job.epochs import parsed_times

NOW = 1_714_603_200
NUMBERS = [0, 7, -1, -NOW, NOW, NOW + 599, 2**53, NOW * 10**3 + 999, NOW * 10**9 + 123_456_789, -(2**63)]
TEXTS = [
    *("2024-05-01", "2024-05-01T22Z", " 2024-05-01 22:40:59.999999999Z ", "2024-05-01 22:40:10,5+02:00"),
    *("2024-03-31 02:30", "2024-10-27 02:30:00", "2018-11-04 00:10", "2018-02-17 23:10", "1/may/24 9:05pm"),
    *("20240501T2240", "1.5.2024", "2024/05/01 22:40+02", "5/1/2024", "2024-02-30", "noon", "", "7.50"),
]
COUNTINGS = (
    Counting(Timescale(600_000_000, "Europe/Berlin"), zone="Europe/Berlin"),
    Counting(Timescale(604_800_000_000, "UTC"), "ms"),
    Counting(Timescale(3_600_000_000), zone="America/Sao_Paulo", form="%d/%b/%y %I:%M%p"),
)


@pytest.mark.parametrize("counting", COUNTINGS)
@pytest.mark.parametrize(
    ("type_", "given"),
    [("bigint", NUMBERS), ("double", [*map(float, NUMBERS), 7.5, NOW + 0.5, 1e300]), ("string", TEXTS)],
)
def test_columns_of_times(spark: SparkSession, counting: Counting, type_: str, given: list[Any]) -> None:
    frame = spark.createDataFrame([(each,) for each in [*given, None]], f"n {type_}")
    read = parsed_times(f.col("n"), frame.schema["n"].dataType, "time", counting)
    assert read is not None
    rows = frame.select("n", read.column.alias("tick"), read.complaint.alias("said")).collect()
    found = times_of(pa.array([*given, None]), counting)
    expected = zip(found.numbers.tolist(), found.whole.tolist(), strict=True)
    assert [row.tick for row in rows] == [tick if whole else None for tick, whole in expected]
    assert [row.said is None for row in rows] == [*found.whole[:-1].tolist(), True]


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
