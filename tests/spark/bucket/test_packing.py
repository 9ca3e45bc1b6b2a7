"""antelog/spark/bucket/{blobs,packing,receiving,unpacking}.py: what is sent is what comes, all of it."""

import json
import random
from dataclasses import replace
from datetime import UTC, datetime

import pyarrow as pa

import antelog
from antelog import Engine
from antelog.accounts import Counts
from antelog.arrow.arrays import from_blob, to_blob
from antelog.arrow.ticks import LOCAL, TWICE
from antelog.forecast.rates.learning import Learning
from antelog.run.sinks.json_lines import Style, change_lines
from antelog.run.sinks.result import StepResult
from antelog.spark.bucket.packing import PACKED_NAMES, packed, received
from antelog.spark.bucket.unpacking import columns_of
from antelog.spark.job.forecasts import forecasts_of
from antelog.spark.job.job import ARRIVED, WALL
from antelog.spark.settings import CLOCK, MALFORMED
from tests.engine.replay import frames
from tests.spark.comparing import Fact, job_of, tables_of
from tests.spark.simulated import messages_of, run_batch

RULES = "input Temp(x: text, level: text, time). Hot(X, T) :- Temp(X, high, T). query Hot(X, T)."
ROWS = pa.table(
    {
        "x": ["a", "b", "c", "d", "e"],
        "level": ["high", "high", "low", "high", "high"],
        "time": pa.array([0, 1, 1, 2, 3], pa.int64()),
        ARRIVED: pa.array([0, 1, 1, 2, 3], pa.int64()),
        MALFORMED: [None, None, None, "is no row", None],
    }
)


def test_a_table_is_the_same_behind_a_blob() -> None:
    table = pa.table({"x": ["ä", None], "t": pa.array([1, 2], pa.timestamp("us"))})
    assert from_blob(to_blob(table)).equals(table)
    assert from_blob(to_blob(table.slice(0, 0))).schema == table.schema


def test_every_row_is_sent_to_one_bucket_or_counted() -> None:
    job = job_of(antelog.parse(RULES).plan, {"Temp": ROWS}, 3, batch=True)
    rows = [row for batch in packed(job, "Temp", iter(ROWS.to_batches())) for row in batch.to_pylist()]
    assert [row["bucket"] for row in rows] == list(job.numbers)
    buckets = [received([tuple(row[name] for name in PACKED_NAMES)]) for row in rows]
    sent = [x for each in buckets if each.facts for x in each.facts["Temp"].column("x").to_pylist()]
    assert sorted(sent) == ["a", "b", "e"]
    assert [[*each.readings.values()] for each in buckets] == [[3]] * 3  # all hear how far time has come
    assert sum((each.counts for each in buckets), Counts()) == Counts(unneeded=1, malformed=1)
    assert sum(each.given for each in buckets) == ROWS.num_rows


def test_rows_of_a_stream_about_the_far_future_are_set_aside_as_early() -> None:
    rules = RULES.replace("input", "tick 1 minute. input", 1)
    at = [datetime(2026, 5, 1, 12, minute, tzinfo=UTC) for minute in (0, 1)]
    far, wall = datetime(2126, 5, 1, tzinfo=UTC), pa.array([at[1]] * 3, pa.timestamp("us", "UTC"))
    rows = pa.table({"x": ["a", "b", "c"], "level": ["high"] * 3, "time": [*at, far], WALL: wall})
    found = job_of(antelog.parse(rules).plan, {"Temp": rows.drop_columns([WALL])}, 1, batch=False)
    job = replace(found, timing=replace(found.timing, ahead=86_400_000_000))
    (row,) = [row for batch in packed(job, "Temp", iter(rows.to_batches())) for row in batch.to_pylist()]
    bucket = received([tuple(row[name] for name in PACKED_NAMES)])
    assert bucket.facts["Temp"].column("x").to_pylist() == ["a", "b"]
    assert max(bucket.readings.values()) == at[1].timestamp() // 60  # the clock does not follow it
    (early,) = bucket.set_aside[0].to_pylist()
    assert (early["reason"], early["time"]) == ("early", far.timestamp() // 60)
    assert bucket.counts == Counts(early=1)


def test_rows_whose_clock_time_comes_twice_are_counted_by_their_input() -> None:
    shown = pa.array([TWICE, LOCAL, 0, TWICE, None], pa.int8())
    rows = ROWS.append_column(CLOCK, shown)
    job = job_of(antelog.parse(RULES).plan, {"Temp": ROWS}, 1, batch=True)
    (row,) = [row for batch in packed(job, "Temp", iter(rows.to_batches())) for row in batch.to_pylist()]
    bucket = received([tuple(row[name] for name in PACKED_NAMES)] * 2)  # a malformed one has no time
    assert (bucket.local, bucket.twice) == ({"Temp": 4}, {"Temp": 2})


def test_times_of_a_clock_are_counted_as_they_are_read() -> None:
    plan = antelog.parse(f'tick 1 minute. zone "Europe/Berlin". {RULES}').plan
    clock = pa.array(["2026-10-25 02:30", "2026-10-25 03:10", "2026-03-29 02:30"]).cast(pa.timestamp("us"))
    rows = pa.table({"x": ["a", "b", "c"], "level": ["high"] * 3, "time": clock})
    job = job_of(plan, {"Temp": rows}, 1, batch=True)
    (row,) = [row for batch in packed(job, "Temp", iter(rows.to_batches())) for row in batch.to_pylist()]
    bucket = received([tuple(row[name] for name in PACKED_NAMES)])
    assert (bucket.local, bucket.twice) == ({"Temp": 2}, {"Temp": 1})
    (skipped,) = bucket.set_aside[0].to_pylist()
    assert skipped["detail"].endswith("is not a time there is: clocks go forward over it in Europe/Berlin")


def test_a_time_in_a_column_is_a_whole_number_and_a_timestamp() -> None:
    rules = "input A(x: text, time). P(X, U, D, T) :- A(X, T), A(X, U), U > T, D = U - T, U < T+9."
    plan = antelog.parse(f"tick 1 minute. {rules} query P(X, U, D, T).").plan
    rows = ROWS.select(["x", "time"])
    schema = columns_of(job_of(plan, {"A": rows}, 1, batch=True), "P").schema
    names = schema.names[schema.names.index("X") :]
    types = [str(schema.field(name).type) for name in names[1:4]]
    assert types == ["int64", "timestamp[us, tz=UTC]", "int64"]


def test_changes_are_unpacked_with_the_columns_of_a_query() -> None:
    plan = antelog.parse(RULES).plan
    job = job_of(plan, {"Temp": ROWS}, 3, batch=True)
    assert {"change", "X", "T"} <= set(columns_of(job, "Hot", change="change").schema.names)
    found = run_batch(job, {"Temp": ROWS}, random.Random(1)).changes
    expected = ['{"X": "a", "T": 0}', '{"X": "b", "T": 1}', '{"X": "e", "T": 3}']
    assert sorted(row["answer"] for row in found) == expected


def test_messages_are_the_lines_of_try_with_their_answers_as_keys() -> None:
    program = antelog.parse("""
        tick 500 ms. zone "Europe/Berlin". input Hot(x: text, time) delay 1. chance Hot(_, _) = 20%.
        Q(X, T) :- Hot(X, T), Hot(X, T+1). Calm(X, T) :- not Hot(X, T).
        query Q(X, T) critical "{X} is \\"hot\\" till {decided_by}". query Calm(X, T).
    """)
    at = 3_500_000_001
    facts: list[Fact] = [("Hot", ("a", at), at), ("Hot", ("b\u2028", at), at), ("Hot", ("a", at + 1), at + 1)]
    tables = tables_of(program.plan, facts)
    given = forecasts_of(program.plan, None, Learning(False))
    job = job_of(program.plan, tables, 1, batch=True, until=at + 3, forecasts=given)
    messages = messages_of(job, tables)
    log = Engine(program).advance(at + 3, frames(facts, program.plan, -1, at + 3))
    lines = change_lines(list(program.plan.queries), StepResult(at + 3, log), Style()).split("\n")[:-1]
    assert sorted(each["value"] for each in messages) == sorted(lines)
    for each in messages:
        value, key = json.loads(each["value"]), json.loads(each["key"])
        assert key == {name: value[name] for name in ("query", "answer", "others") if name in value}
    key_of_others = f'{{"query":"Calm","answer":{{"X": null, "T": {at}}},"others":["X"]}}'
    assert key_of_others in {each["key"] for each in messages}
