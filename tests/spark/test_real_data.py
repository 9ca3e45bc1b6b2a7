"""Real records: what is confirmed is what SQL finds, what is open is what the specification says.

The records lie beside the project, where they are there at all.
"""

import json
import os
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from antelog import parse
from antelog.spark import Outputs, outputs
from tests.spark.specified import logged, specified
from tests.spark.streamed import result, run, stream_of
from tests.specification.helpers import Fact

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
pytestmark = pytest.mark.skipif(
    "CI" in os.environ or not DATA.is_dir(), reason="the records are not there, or this is CI"
)
FOREVER = 2**40

Log = list[dict[str, Any]]
Confirmed = set[tuple[str, str, int, int]]
"""Query, object and tick of an answer, and the tick at which it is confirmed."""


def log_of(found: Outputs) -> Log:
    rows = found.changes.toArrow().to_pylist()
    return [{**row, "answer": json.loads(row["answer"])} for row in rows]


def confirmed(log: Log) -> Confirmed:
    return {
        (row["query"], row["answer"]["X"], row["answer"]["T"], row["tick"])
        for row in log
        if row["change"] == "confirmed"
    }


def sql(spark: SparkSession, statement: str, **values: int) -> Confirmed:
    return {tuple(row) for row in spark.sql(statement, args=values).collect()}


def up_to(log: Log, last: int) -> list[str]:
    """The log of the ticks that are over, as texts in an order of their own."""
    return sorted(json.dumps(row, default=str) for row in log if row["tick"] <= last)


def streamed(
    spark: SparkSession, folder: Path, program: str, name: str, table: pa.Table, ends: Sequence[int]
) -> tuple[Log, int]:
    """The log of a stream whose micro-batches end at these rows of a table, and the last finished tick."""
    parts = [{name: table.slice(first, last - first)} for first, last in pairwise([0, *ends, table.num_rows])]
    frames = stream_of(spark, folder / "in", parts)
    found = outputs(parse(program), frames, buckets=3)
    query = run(found, folder / "checkpoint")
    counted = [progress["observedMetrics"]["antelog"] for progress in query.recentProgress]
    assert len(counted) == len(parts)
    assert sum(each["given"] for each in counted) == table.num_rows
    return log_of(result(spark, found, query)), counted[-1]["now"]


def agree_with_the_specification(
    log: Log, program: str, facts: Sequence[Fact], ticks: range, *, explanations: bool = True
) -> None:
    """The log's answers about these ticks are the specification's, at each of them."""
    about = [row for row in log if row["answer"]["T"] >= ticks.start and row["answer"]["X"] == facts[0][1][0]]
    found, expected = logged(about, ticks), specified(program, facts, ticks)
    assert any(expected.values())
    for tick in ticks:
        assert found[tick].keys() == expected[tick].keys(), f"tick {tick}"
        assert found[tick] == expected[tick] or not explanations, f"tick {tick}"


# ---- phones that send every 500 ms, and their messages as they came in ----

PHONES = """
tick 500 ms.
input Heard(device: text, time) delay 1.
Missed(X, T) :- Heard(X, T), not Heard(X, T+1), Heard(X, T+2).
Silent(X, T) :- Heard(X, T), not Heard(X, T+1), not Heard(X, T+2).
query Missed(X, T).
query Silent(X, T).
"""
# What took longer than a tick is late, and as good as not sent.
PHONES_SQL = """
with sent as (
  select device, unix_millis(time) div 500 as t, unix_millis(arrival) div 500 as a from messages
), heard as (
  select device, t, min(a) as a from sent where a - t between 0 and 1 and a <= :now group by device, t
), missed as (
  select 'Missed', h.device, h.t, greatest(h.t + 2, later.a) as certain from heard h
  join heard later on later.device = h.device and later.t = h.t + 2
  where not exists (select * from heard n where n.device = h.device and n.t = h.t + 1)
), silent as (
  select 'Silent', h.device, h.t, h.t + 3 as certain from heard h
  where not exists (select * from heard n where n.device = h.device and n.t in (h.t + 1, h.t + 2))
)
select * from missed where certain <= :now union select * from silent where certain <= :now
"""


def test_phones(spark: SparkSession, tmp_path: Path) -> None:
    raw = spark.read.csv(str(DATA / "ooo-dataset" / "d-2.csv"), sep=";", header=True, inferSchema=True)
    raw.selectExpr(
        "`S.Device.ID` as device",
        "timestamp_millis(`S.Client.Detection.Time`) as time",
        "timestamp_millis(`S.Message.received.time.ms`) as arrival",
    ).createOrReplaceTempView("messages")
    messages = spark.table("messages").orderBy("arrival").toArrow()
    batch = log_of(outputs(parse(PHONES), {"Heard": spark.table("messages").repartition(3)}, buckets=3))
    expected = sql(spark, PHONES_SQL, now=FOREVER)
    assert {name for name, *_ in expected} == {"Missed", "Silent"}
    assert confirmed(batch) == expected

    stream, now = streamed(spark, tmp_path, PHONES, "Heard", messages, [3_000, 3_001, 8_000])
    assert confirmed(stream) == sql(spark, PHONES_SQL, now=now)
    assert up_to(stream, now) == up_to(batch, now)

    ticks = [
        (row["device"], *(int(1000 * row[name].timestamp()) // 500 for name in ("time", "arrival")))
        for row in messages.to_pylist()
    ]
    late = next((device, time) for device, time, arrival in ticks if arrival > time + 1)
    for device, around in (late, ticks[0][:2], ticks[-1][:2]):
        facts: list[Fact] = [("Heard", (x, time), arrival) for x, time, arrival in ticks if x == device]
        agree_with_the_specification(stream, PHONES, facts, range(around - 10, min(around + 30, now + 1)))


# ---- a machine's temperature, and the speed of cars, every five minutes; files in no good order ----

SENSORS = """
tick 5 minutes.
input Reading(sensor: text, value: number, time) delay 1.
Low(X, T) :- Reading(X, V, T), V < 40.
Fault(X, T) :- Low(X, T), Low(X, T+1), Low(X, T+2).
Over(X, T) :- Low(X, T), Low(X, T+1), not Low(X, T+2).
query Fault(X, T).
query Over(X, T).
"""
# A reading comes at its own time. If that is over, as an earlier part of the stream has later readings,
# it comes at the next tick; and if it is over for longer, it is late.
SENSORS_SQL = """
with readings as (
  select part, sensor, value, unix_seconds(time) div 300 as t from parts
), furthest as (
  select part, max(t) as t from readings group by part
), finished as (
  select f.part, coalesce(max(g.t) - 1, -1) as tick from furthest f left join furthest g on g.part < f.part
  group by f.part
), low as (
  select sensor, t, min(greatest(t, tick + 1)) as a from readings join finished using (part)
  where value < 40 and tick + 1 - t <= 1 group by sensor, t
), rows as (
  select x.sensor, x.t, greatest(x.a, y.a) as a from low x
  join low y on y.sensor = x.sensor and y.t = x.t + 1
)
select 'Fault', rows.sensor, rows.t, greatest(rows.a, z.a) as certain from rows
join low z on z.sensor = rows.sensor and z.t = rows.t + 2 where greatest(rows.a, z.a) <= :now
union
select 'Over', rows.sensor, rows.t, greatest(a, t + 2 + 1) from rows
where not exists (select * from low z where z.sensor = rows.sensor and z.t = rows.t + 2)
and t + 2 + 1 <= :now
"""


def test_sensors(spark: SparkSession, tmp_path: Path) -> None:
    machine, cars = (
        read(spark, "machine", "realKnownCause/machine_temperature_system_failure"),
        read(spark, "cars", "realTraffic/speed_7578"),
    )
    readings = pa.concat_tables([machine, cars])
    spark.createDataFrame(readings).selectExpr("0 as part", "*").createOrReplaceTempView("parts")
    frame = spark.table("parts").repartition(3)
    batch = log_of(outputs(parse(SENSORS), {"Reading": frame}, buckets=3))
    found = sql(spark, SENSORS_SQL, now=FOREVER)
    assert sum(name == "Fault" and sensor == "machine" for name, sensor, *_ in found) == 391
    assert confirmed(batch) == found

    ends = [5_000, descent(machine), descent(machine) + 6, len(machine)]
    stream, now = streamed(spark, tmp_path, SENSORS, "Reading", readings, ends)
    numbers = pa.array([sum(row >= end for end in ends) for row in range(len(readings))])
    spark.createDataFrame(readings.append_column("part", numbers)).createOrReplaceTempView("parts")
    assert confirmed(stream) == sql(spark, SENSORS_SQL, now=now)

    ticks = [(row["value"], int(row["time"].timestamp()) // 300) for row in machine.to_pylist()]
    short = next(i for i in range(len(ticks)) if [value < 40 for value, _ in ticks[i : i + 6]] == SHORT)
    around = ticks[short : short + 9]
    facts: list[Fact] = [("Reading", ("machine", value, tick), tick) for value, tick in around]
    for log in (batch, stream):
        # Explanations speak of any value that is low, where the specification has one for each.
        agree_with_the_specification(
            log, SENSORS, facts, range(around[0][1], around[-1][1]), explanations=False
        )


SHORT = [False, True, True, True, True, False]
"""A fault that is over after four readings."""


def read(spark: SparkSession, sensor: str, name: str) -> pa.Table:
    frame = spark.read.csv(str(DATA / "nab" / "data" / f"{name}.csv"), header=True, inferSchema=True)
    # The specification tries all values there are, and those that are not low need not be told apart.
    value = "double(least(floor(value), 40)) as value"
    return frame.selectExpr(f"'{sensor}' as sensor", value, "timestamp as time").toArrow()


def descent(table: pa.Table) -> int:
    """The first row whose time is before that of the row above it."""
    times = table.column("time").to_pylist()
    return next(i + 1 for i, (before, after) in enumerate(pairwise(times)) if after < before)
