"""antelog/spark/job/needed.py: facts no rule can use are left out, and what is told stays the same."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as f

from antelog import Engine, parse
from antelog.arrow.ticks import times_of
from antelog.files.times import ticks as ticks_of_texts
from antelog.language.epochs import Counting
from antelog.language.moments import Timescale
from antelog.spark import changes, rejects
from antelog.spark.endpoints.columns import value_of
from antelog.spark.job.epochs import typed_ticks
from antelog.spark.job.needed import EVERYTHING, covers, needs_of
from tests.spark.comparing import Fact, comparable, job_of, kernel_log, tables_of
from tests.spark.simulated import run_batch

INPUTS = """
input P(x: text, level: text, v: number, time) delay 1.
input Q(x: text, time) delay 1.
"""
CHAIN = """
D(X, V, T) :- Q(X, T), P(X, low, V, T+1).
E(X, V, T) :- Q(X, T), P(X, mid, V, T+1), not D(X, V, T).
A(X, T) :- Q(X, T), not E(X, 7, T+1).
query A(X, T).
"""
LEVELS = ("low", "mid", "high")


def _facts() -> list[Fact]:
    """Each level with each of some numbers, and a Q to go with it."""
    found: list[Fact] = []
    for number, level in enumerate(LEVELS):
        for v in range(10):
            tick = 3 * v + number
            found += [("P", ("a", level, float(v), tick + 1), tick + 1), ("Q", ("a", tick), tick)]
    return found


def _passed_over(rules: str, facts: Sequence[Fact], buckets: int) -> int:
    """How many rows are left out, while what is told is what the kernel tells of all."""
    plan = parse(rules).plan
    tables = tables_of(plan, facts)
    until = max(arrival for _, _, arrival in facts) + 3
    job = job_of(plan, tables, buckets, batch=True, until=until)
    seen = run_batch(job, tables, random.Random(buckets))
    log = kernel_log(plan, facts, until)
    assert log
    assert comparable(seen.changes) == log
    passed_over: int = sum(each["unneeded"] for each in seen.counts)
    used: int = sum(each["admitted"] for each in seen.counts)
    assert passed_over + used == len(facts)
    return passed_over


@pytest.mark.parametrize(
    ("rules", "levels", "numbers"),
    [
        ("A(X,T) :- Q(X,T), not P(X, high, _, T+1). query A(X,T).", {"high"}, range(10)),
        ("A(X,T) :- Q(X,T), not P(X, high, 3, T+1). query A(X,T).", {"high"}, {3}),
        ("D(X,V,T) :- P(X, low, V, T), V > 3. A(X,T) :- Q(X,T), not D(X, 7, T+1). query A(X,T).",
         {"low"}, {7}),
        (CHAIN, {"low", "mid"}, {7}),
    ],
)  # fmt: skip
def test_what_a_negation_asks_for(rules: str, levels: set[str], numbers: Sequence[int]) -> None:
    facts = _facts()
    wanted = [
        values for name, values, _ in facts if name == "P" and values[1] in levels and values[2] in numbers
    ]
    for buckets in (1, 3):
        left = sum(name == "P" for name, _, _ in facts) - _passed_over(INPUTS + rules, facts, buckets)
        assert left == len(wanted)


def test_time_begins_with_the_first_fact_even_if_no_rule_can_use_it() -> None:
    rules = """
    tick 1 second.
    input Temp(x: text, level: text, time) delay 1.
    static Turbine(x). Turbine(a).
    OK(X, T) :- Turbine(X), not Temp(X, high, T).
    query OK(X, T).
    """
    rows = [("low", 5), ("low", 6), ("high", 8), ("low", 9)]
    facts: list[Fact] = [("Temp", ("a", level, tick), tick) for level, tick in rows]
    assert _passed_over(rules, facts, 1) == 3
    assert _passed_over(rules, facts, 3) == 3


def test_facts_that_exclude_others_are_needed_even_if_no_rule_can_use_them() -> None:
    rules = """
    input P(x: text, level: text, v: number, time) delay 1, one per x. input Q(x: text, time) delay 1.
    A(X, T) :- Q(X, T), P(X, high, _, T+1). query A(X, T).
    """
    facts: list[Fact] = [("Q", ("a", 3), 3), ("P", ("a", "low", 1.0, 4), 4), ("P", ("a", "high", 1.0, 4), 5)]
    plan = parse(rules).plan
    tables = tables_of(plan, facts)
    seen = run_batch(job_of(plan, tables, 2, batch=True, until=9), tables, random.Random(2))
    assert comparable(seen.changes) == kernel_log(plan, facts, 9)
    assert [(row["change"], row["tick"]) for row in seen.changes] == [("possible", 3), ("rejected", 4)]
    assert [(row["reason"], row["arrival"]) for row in seen.rejects] == [("conflicting", 5)]
    found = {
        name: sum(each[name] for each in seen.counts) for name in ("admitted", "conflicting", "unneeded")
    }
    assert found == {"admitted": 2, "conflicting": 1, "unneeded": 0}


def test_what_is_no_number_is_set_aside_also_where_no_rule_can_use_it() -> None:
    rules = INPUTS + "A(X, T) :- P(X, high, V, T), V > 3. query A(X, T)."
    facts: list[Fact] = [
        ("P", ("a", level, v, tick), tick)
        for tick, (level, v) in enumerate(
            [("high", 5.0), ("high", math.inf), ("low", math.nan), ("low", -math.inf), ("low", 1.0)]
        )
    ]
    plan = parse(rules).plan
    tables = tables_of(plan, facts)
    seen = run_batch(job_of(plan, tables, 2, batch=True, until=9), tables, random.Random(2))
    found = {name: sum(each[name] for each in seen.counts) for name in ("admitted", "malformed", "unneeded")}
    assert found == {"admitted": 1, "malformed": 3, "unneeded": 1}


def test_facts_that_bring_a_value_are_needed_even_if_no_rule_can_use_them() -> None:
    rules = INPUTS + "Hot(X, T) :- P(X, high, _, T). Calm(X, T) :- not Hot(X, T). query Calm(X, T)."
    facts: list[Fact] = [("P", ("a", "low", 1.0, 2), 2), ("P", ("b", "high", 1.0, 3), 3)]
    for buckets in (1, 3):
        assert _passed_over(rules, facts, buckets) == 0
    log = kernel_log(parse(rules).plan, facts, 3)
    assert {row["X"] for row in log if row.get("X")} == {"a", "b"}


@pytest.mark.parametrize(
    ("known", "wanted", "expected"),
    [
        ("V > 90", "V > 91", True),
        ("V > 91", "V > 90", False),
        ("V >= 90", "V > 90", True),
        ("V > 90", "V >= 90", False),
        ("V < 5", "V = 3", True),
        ("V < 5", "V > 7", False),
        ("V != 5", "V = 3", True),
        ("V != 5", "V > 5", True),  # all facts are kept where a value may be any but one
    ],
)
def test_facts_that_were_kept_cover_those_that_are_wanted(known: str, wanted: str, expected: bool) -> None:
    rules = "input A(x, v: number, time). P(X, T) :- A(X, V, T), {}. query P(X, T)."
    types = (pa.string(), pa.float64(), pa.int64())
    one, other = (needs_of(parse(rules.format(each)).plan, "A", types) for each in (known, wanted))
    assert covers(one, other) is expected
    assert covers(EVERYTHING, other)


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
    columns = [typed_ticks(f.col("n"), frame.schema["n"].dataType, each) for each in COUNTINGS]
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
