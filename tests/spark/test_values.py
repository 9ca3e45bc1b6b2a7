"""antelog/spark/running.py, antelog/spark/job/{background,job}.py: what DataFrames hold."""

import datetime as dt
import math
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import DataFrame, SparkSession

from antelog import DataError, parse
from antelog.spark import MALFORMED, ROW, answers, changes, outputs, rejects
from antelog.spark.bucket.unpacking import answer_texts
from tests.spark.streamed import result, run, stream_of

PAIRS = """
input Seen(what, time) delay 1.
Twice(X, T) :- Seen(X, T), Seen(X, T+1).
query Twice(X, T).
"""
TYPES: dict[str, list[Any]] = {
    "string": ["a b", "ä"],
    "int": [1, 2],
    "bigint": [2**60, 2**60 + 1],
    "double": [0.5, 1.0],
    "boolean": [True, False],
    "date": [dt.date(2024, 2, 29), dt.date(1969, 1, 1)],
    "timestamp_ntz": [dt.datetime.fromisoformat(text) for text in ("2024-02-29T12:00:00", "2024-03-01")],
    "binary": [b"\xff", b"a"],
}


def test_objects_keep_their_types(spark: SparkSession) -> None:
    rules = "input Seen{0}(what, time). Known{0}(X, T) :- Seen{0}(X, T). query Known{0}(X, T)."
    program = parse("\n".join(map(rules.format, range(len(TYPES)))))
    inputs = {
        f"Seen{i}": spark.createDataFrame([(value, 0) for value in values], f"what {type_}, time bigint")
        for i, (type_, values) in enumerate(TYPES.items())
    }
    found = outputs(program, inputs, only=("confirmed",), buckets=2)
    found.frame.persist()
    for i, (type_, values) in enumerate(TYPES.items()):
        frame = found.query(f"Known{i}")
        assert frame.schema["X"].dataType.simpleString() == ("bigint" if type_ == "int" else type_)
        assert sorted(row.X for row in frame.collect()) == sorted(values)
    assert found.changes.schema["X"].dataType.simpleString() == "string"  # of several types


def test_objects_keep_their_types_in_streams(spark: SparkSession, tmp_path: Path) -> None:
    """Half of each answer waits in the state for the other half, which the next micro-batch brings."""
    names = [f"x{i}" for i, _ in enumerate(TYPES)]
    variables = ", ".join(name.upper() for name in names)
    program = parse(f"""
        input Seen({", ".join(names)}, time).
        Twice({variables}, T) :- Seen({variables}, T), Seen({variables}, T+1).
        query Twice({variables}, T).
    """)
    schema = ", ".join(f"{name} {type_}" for name, type_ in zip(names, TYPES, strict=True))
    parts = [
        {"Seen": spark.createDataFrame([(*row, time) for row in zip(*TYPES.values(), strict=True)],
                                       f"{schema}, time bigint").toArrow()}
        for time in range(3)
    ]  # fmt: skip
    found = outputs(program, stream_of(spark, tmp_path / "in", parts), only=("confirmed",), buckets=2)
    query = run(found, tmp_path / "checkpoint")
    seen = result(spark, found, query).changes
    for name, type_ in zip(names, TYPES, strict=True):
        assert seen.schema[name.upper()].dataType.simpleString() == ("bigint" if type_ == "int" else type_)
    rows = {tuple(row[name.upper()] for name in names) for row in seen.collect()}
    assert rows == set(zip(*TYPES.values(), strict=True))


def test_decimals_no_double_holds_stay_apart(spark: SparkSession) -> None:
    digits = ("0.123456789012345678", "0.123456789012345679", "12345678901234567890", "0.5")
    rows = [(Decimal(each), tick) for each in digits for tick in (0, 1)]
    frame = spark.createDataFrame(rows, "what decimal(38,18), time int")
    found = changes(parse(PAIRS), {"Seen": frame}, only=("confirmed",), buckets=3)
    assert found.schema["X"].dataType.simpleString() == "decimal(38,18)"
    assert {(row.X, row.answer) for row in found.collect()} == {
        (Decimal(each), f'{{"X": {each}, "T": 0}}') for each in digits
    }
    program = parse(
        "input Seen(what, time). static Known(what). A(X, T) :- Seen(X, T), Known(X). query A(X, T)."
    )
    with pytest.raises(DataError, match=r"`0\.123456789012345678` in column what of Known"):
        changes(program, {"Seen": frame}, static={"Known": frame.where("what < 1").select("what")})


def test_numbers_in_answers_as_text_are_exact() -> None:
    columns = {
        "W": pa.array([Decimal(10**20 + 1), Decimal(7)], pa.decimal128(38, 0)),
        "F": pa.array([Decimal("0.1"), Decimal("1e-18")], pa.decimal128(38, 18)),
        "D": pa.array([0.5, 2.0]),
    }
    assert answer_texts(pa.table(columns), ("W", "F", "D")).to_pylist() == [
        '{"W": 100000000000000000001, "F": 0.1, "D": 0.5}',
        '{"W": 7, "F": 0.000000000000000001, "D": 2}',
    ]


def test_several_queries_share_a_frame_and_have_one_each(spark: SparkSession) -> None:
    program = parse("""
        input Seen(what: text, time).
        input Level(of: text, value: number, time).
        Odd(X, T) :- Seen(X, T), Seen(X, T+1).
        High(X, V, T) :- Level(X, V, T), V > 10.
        query Odd(X, T). query High(X, Value, T).
    """)
    inputs = {
        "Seen": spark.createDataFrame([("a", 0), ("a", 1)], "what string, time int"),
        "Level": spark.createDataFrame([("a", 11, 0), ("b", 9, 0)], "of string, value int, time int"),
    }
    found = outputs(program, inputs, only=("confirmed",))
    shared = found.changes.select("query", "answer", "X", "T", "Value").orderBy("query").collect()
    assert [tuple(row) for row in shared] == [
        ("High", '{"X": "a", "Value": 11, "T": 0}', "a", 0, 11),
        ("Odd", '{"X": "a", "T": 0}', "a", 0, None),
    ]
    assert "Value" not in found.query("Odd").columns
    assert [row.X for row in found.query("Odd").collect()] == ["a"]
    with pytest.raises(DataError, match="Did you mean High"):
        found.query("Hihg")


def test_background_facts_come_from_frames(spark: SparkSession) -> None:
    program = parse("""
        input Seen(what: text, time). static Watched(what: text, level: number).
        Alarm(X, T) :- Seen(X, T), Watched(X, N), N >= 2.
        query Alarm(X, T).
    """)
    frame = spark.createDataFrame([("a", 0), ("b", 0), ("c", 0)], "what string, time int")
    watched = spark.createDataFrame([("a", 1), ("b", 2), ("c", 3)], "what string, level int")
    found = changes(program, {"Seen": frame}, static={"Watched": watched}, buckets=3)
    assert sorted(row.X for row in found.collect()) == ["b", "c"]
    wrong = watched.selectExpr("what", "string(level) level")
    with pytest.raises(DataError, match="`1` in column level of Watched is not a number"):
        changes(program, {"Seen": frame}, static={"Watched": wrong})
    wrong = watched.selectExpr("what", "level", f"if(what = 'b', 'has 1 value, not 2', null) {MALFORMED}")
    with pytest.raises(DataError, match="a background fact of Watched cannot be used: has 1 value, not 2"):
        changes(program, {"Seen": frame}, static={"Watched": wrong})
    for odd in ("inf", "nan"):
        wrong = watched.selectExpr("what", f"double('{odd}') level")
        with pytest.raises(
            DataError, match=f"`{odd}` in column level of Watched is neither a number nor a text"
        ):
            changes(program, {"Seen": frame}, static={"Watched": wrong})


def test_answers_at_the_end_of_a_batch(spark: SparkSession) -> None:
    rows = [("a", 0), ("a", 1), ("b", 0), ("c", 1)]
    frame = spark.createDataFrame(rows, "what string, time int")
    found = answers(parse(PAIRS), {"Seen": frame}, buckets=3).orderBy("answer").collect()
    assert [(row.status, row.X, row["T"]) for row in found] == [
        ("confirmed", "a", 0), ("open", "a", 1), ("open", "b", 0), ("open", "c", 1),
    ]  # fmt: skip


def _faulty(spark: SparkSession) -> tuple[DataFrame, dict[str, int]]:
    rows: list[tuple[Any, ...]] = [
        ("a", 1.0, 1), (None, 1.0, 1), ("a", None, 1), ("a", math.nan, 1), ("a", 1.5, 2), ("a", -1.0, 1),
        ("a", 2.0**60, 1), ("a", math.inf, 1), ("a", 1.0, None), ("a", 1.0, 5), ("a", 9.0, 5), ("a", 1.0, 1),
    ]  # fmt: skip
    frame = spark.createDataFrame(rows, "what string, time double, arrival bigint")
    return frame, {"malformed": 8, "late": 1, "early": 1}


def test_bad_rows_are_set_aside_each_with_its_reason(spark: SparkSession) -> None:
    frame, expected = _faulty(spark)
    found = outputs(parse(PAIRS), {"Seen": frame}, buckets=3)
    reasons = [row.reason for row in found.rejects.collect()]
    assert {reason: reasons.count(reason) for reason in reasons} == expected
    total = found.counts.groupBy().sum().collect()[0].asDict()
    assert {name: total[f"sum({name})"] for name in (*expected, "admitted", "repeated")} == {
        **expected, "admitted": 1, "repeated": 1,
    }  # fmt: skip
    assert total["sum(given)"] == 12


def test_rows_the_source_found_malformed_join_the_rejects(spark: SparkSession) -> None:
    rows = [("a", 0, None, "a,0"), ("b", None, "the line has 1 value", "b")]
    frame = spark.createDataFrame(rows, f"what string, time int, {MALFORMED} string, {ROW} string")
    (row,) = rejects(parse(PAIRS), {"Seen": frame}).collect()
    assert (row["values"], row.reason, row.detail, row.row) == (
        '["b"]', "malformed", "the line has 1 value", "b",
    )  # fmt: skip


def test_facts_no_rule_asks_for_are_counted_and_move_the_clock(spark: SparkSession) -> None:
    program = parse("""
        input Temp(x: text, level: text, time) delay 2.
        Malf(X, T) :- Temp(X, high, T), Temp(X, high, T+1). query Malf(X, T).
    """)
    low = [("a", "low", time, arrival) for time, arrival in ((1, 1), (9, 9), (0, 9), (9, 0))]
    rows = [("a", "high", 0, 0), *low]
    frame = spark.createDataFrame(rows, "x string, level string, time int, arrival int")
    found = outputs(program, {"Temp": frame}, buckets=1)
    (counted,) = found.counts.collect()
    assert (counted.given, counted.admitted, counted.unneeded, counted.late, counted.early) == (5, 1, 2, 1, 1)
    assert counted.now == 9
    assert sorted(row.reason for row in found.rejects.collect()) == ["early", "late"]


def test_times_are_texts_numbers_and_moments(spark: SparkSession) -> None:
    program = parse("tick 10 minutes." + PAIRS)
    tick = 2_857_672
    rows = [("a", "2024-05-01 22:40"), ("a", "2024-05-01T22:50Z"), ("b", "noon"), ("b", None), ("b", "7.5")]
    frame = spark.createDataFrame(rows, "what string, time string")
    found = changes(program, {"Seen": frame}, only=("confirmed",), begin="2024-05-01 22:00").collect()
    assert [(row.X, row["T"]) for row in found] == [("a", tick)]
    details = sorted(row.detail for row in rejects(program, {"Seen": frame}).collect())
    assert details == [
        "the time `7.5` is not a whole number or a timestamp",
        "the time `noon` is not a whole number or a timestamp",
        "the time is missing",
    ]
    numbers = spark.createDataFrame(
        [("a", 600_000 * tick), ("a", 600_000 * tick + 600_000)], "what string, time long"
    )
    again = changes(parse("tick 10 minutes." + PAIRS.replace("time)", "time: ms)")), {"Seen": numbers})
    assert {row["T"] for row in again.collect()} == {tick, tick + 1}
