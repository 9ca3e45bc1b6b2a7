"""antelog/spark/running.py, antelog/spark/bucket/processor.py: the same law on Spark itself."""

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import reject
from pyspark.sql import DataFrame, SparkSession

from antelog import Engine, parse
from antelog.accounts import FATES
from antelog.program import Program
from antelog.run.clock import end as last_tick
from antelog.spark import outputs
from tests.engine.replay import frames
from tests.recorded import FOLDER, recorded
from tests.spark.comparing import Fact, closing, comparable, cut, kernel_log, tables_of
from tests.spark.dealt_out import PROGRAMS, facts_of, plan_of
from tests.spark.streamed import frames_of, named, result, run, stream_of

pytestmark = pytest.mark.filterwarnings("ignore:the program runs as one bucket:UserWarning")


def _rows(frame: DataFrame) -> list[dict[str, Any]]:
    return comparable(row.asDict(recursive=True) for row in frame.collect())


def _streamed(
    spark: SparkSession,
    folder: Path,
    program: Program,
    facts: Sequence[Fact],
    until: int,
    ends: Sequence[int],
) -> list[dict[str, Any]]:
    parts = [*cut(facts, ends), closing(program.plan, until, facts)]
    parts_named = [{n: named(t) for n, t in tables_of(program.plan, part).items()} for part in parts]
    try:
        frames = stream_of(spark, folder / "in", parts_named)
    except pa.ArrowInvalid:  # no column of files has fractions and whole numbers beyond 2^53
        reject()
    found = outputs(program, {n: f.repartition(3) for n, f in frames.items()}, buckets=3)
    query = run(found, folder / "checkpoint")
    counted = [progress["observedMetrics"]["antelog"] for progress in query.recentProgress]
    assert sum(c["given"] for c in counted) == len(facts) + len(program.plan.inputs)
    out = sum(each[fate] for each in counted for fate in FATES)
    assert out + counted[-1]["held"] == len(facts) + len(program.plan.inputs)
    _compare_open(program, facts, counted)
    return _rows(result(spark, found, query).changes)


def _compare_open(program: Program, facts: Sequence[Fact], counted: Sequence[Any]) -> None:
    engine = Engine(program)
    for each in counted:
        if each["now"] is not None and each["now"] > engine.now:
            engine.advance(each["now"], frames(facts, program.plan, engine.now, each["now"]))
        if each["open"] is not None:
            assert each["open"] == sum(engine.status.open_answers.values())
    assert counted[-1]["open"] is not None


RECORDED = ("absent-acknowledgement", "alternatives", "last-derived", "last-mode", "numbers")


@pytest.mark.parametrize(
    "name", ["turbine-out-of-order", *(pytest.param(name, marks=pytest.mark.long) for name in RECORDED)]
)
def test_recorded_cases(spark: SparkSession, tmp_path: Path, name: str) -> None:
    case = recorded(name)
    program = parse((FOLDER / name / "program.alog").read_text(encoding="utf-8"))
    expected = kernel_log(program.plan, case.facts, case.until)
    frames = frames_of(spark, program, case.facts)
    assert _rows(outputs(program, frames, buckets=3, until=case.until).changes) == expected
    ends = random.Random(name).sample(range(1, len(case.facts) + 1), 2)
    assert _streamed(spark, tmp_path, program, case.facts, case.until, ends) == expected


def test_buckets_agree_on_where_a_batch_begins_and_ends(spark: SparkSession) -> None:
    """In each bucket something else is the first, and the last."""
    plan = plan_of("turbines")
    program = parse(PROGRAMS["turbines"])
    facts = facts_of(plan, random.Random(2), 12, 7)
    last = max(arrival for _, _, arrival in facts)
    engine = Engine(program)
    engine.advance(last, frames(facts, plan, -1, last))
    end = last_tick(last, map(engine.answers, ("Malf", "OK")))
    assert end > last
    found = outputs(program, frames_of(spark, program, facts), buckets=5)
    assert len(found.job.numbers) == 5
    assert _rows(found.changes) == kernel_log(plan, facts, end)


def test_a_silent_stream_rejects_what_is_overdue(spark: SparkSession, tmp_path: Path) -> None:
    """Nothing comes but two facts, long ago: Spark's timers move time on."""
    program = parse("""
        tick 1 second.
        input Temp(x: text, time) delay 1.
        Twice(X, T) :- Temp(X, T), Temp(X, T+1).
        query Twice(X, T).
    """)
    part = {"Temp": pa.table({"x": ["a", "b"], "time": pa.array([7, 8]), "arrival": pa.array([7, 8])})}
    frames = stream_of(spark, tmp_path / "in", [part])
    found = outputs(program, frames, buckets=2, idle="1 second")
    writer = found.frame.writeStream.format("memory").queryName("silent").outputMode("append")
    writer = writer.option("checkpointLocation", str(tmp_path / "checkpoint"))
    query = writer.trigger(processingTime="500 milliseconds").start()
    expected = {(9, "a", 7), (10, "b", 8)}
    rejected: set[tuple[int, str, int]] = set()
    try:
        while query.isActive and not rejected >= expected:
            query.awaitTermination(1)
            log = found.of(spark.table("silent")).changes.where("change = 'rejected'").collect()
            rejected = {(row.tick, row.X, row["T"]) for row in log}
    finally:
        query.stop()
    assert rejected == expected
