"""antelog/spark/endpoints/tables.py: `newest` returns the states that answers have in the kernel."""

from typing import Any

import pytest
from pyspark.sql import SparkSession

import antelog
from antelog.errors import DataError
from antelog.spark import changes, merge, newest

PROGRAM = antelog.parse("""
    tick 1 minute.
    input Temp(x: text, level: text, time) delay 2.
    Malf(X, T) :- Temp(X, high, T), Temp(X, high, T+1), not Temp(X, off, T+2).
    query Malf(X, T).
    Calm(X, T) :- not Temp(X, high, T).
    query Calm(X, T).
""")
BEGIN = 30_000_000
FACTS = [
    (device, level, BEGIN + tick)
    for device, level, tick in (
        ("a", "high", 1), ("b", "high", 1), ("a", "high", 2),
        ("a", "off", 3), ("b", "high", 2), ("c", "low", 7),
    )
]  # fmt: skip


def test_the_state_is_that_of_the_last_line(spark: SparkSession) -> None:
    facts = spark.createDataFrame(FACTS, "x string, level string, time long")
    log = changes(PROGRAM, {"Temp": facts}, until=BEGIN + 9)
    found = newest(log)
    assert found.columns[:8] == ["query", "tick", "time", "status", "since", "since_time", "answer", "X"]
    lines = sorted(log.collect(), key=lambda row: row.tick)
    expected: dict[Any, Any] = {}
    for line in lines:
        key = (line.query, line.answer, tuple(line.others or ()))
        first = expected.get(key, line)
        expected[key] = {**line.asDict(), "since": getattr(first, "tick", None) or first["since"]}
    assert len(expected) > 10
    for row in found.collect():
        line = expected.pop((row.query, row.answer, tuple(row.others)))
        kind = line.pop("change")
        assert row.status == (kind if kind in ("confirmed", "rejected") else "open")
        assert row.since_time <= row.time
        assert {name: row[name] for name in line if name != "others"} == {
            name: value for name, value in line.items() if name != "others"
        }
    assert not expected


def test_an_alert_comes_after_its_change(spark: SparkSession) -> None:
    rows = [
        ("Q", 3, "likely", "{}", 0.9),
        ("Q", 3, "possible", "{}", 0.8),
        ("Q", 2, "rejected", "{}", 0.0),
        ("R", 4, "closed", "{}", None),
    ]
    schema = "query string, tick long, change string, answer string, chance double"
    frame = spark.createDataFrame(rows, schema)
    found = {row.query: (row.status, row.since, row.tick, row.chance) for row in newest(frame).collect()}
    assert found == {"Q": ("open", 2, 3, 0.9), "R": ("closed", 4, 4, None)}


def test_what_are_no_changes_is_refused(spark: SparkSession) -> None:
    with pytest.raises(DataError, match="there is no column `query`: give changes"):
        newest(spark.range(1))
    rate = spark.readStream.format("rate").load()
    stream = rate.selectExpr("'Q' AS query", "value AS tick", "'possible' AS change", "'{}' AS answer")
    with pytest.raises(DataError, match=r"antelog\.spark\.merge"):
        newest(stream)
    for into, why in (
        ("parquet:x", "is a file or folder, which antelog.spark.merge does not write. Give a table of a"),
        ("iceberg:./x", "is a folder, and tables of Iceberg are written by name"),
        ("delat:x", "Did you mean delta?"),
    ):
        with pytest.raises(DataError, match=why):
            merge(spark.range(1), into)
