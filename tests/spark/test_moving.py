"""antelog/spark/pipeline/stream_run.py: Spark reads the checkpoint, and a stream begins with a savepoint."""

from __future__ import annotations

import shutil
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from antelog import Engine, parse
from antelog.engine import savepoint
from antelog.errors import StateError
from antelog.spark import guard, outputs
from antelog.spark.pipeline.stream_run import savepoint_of
from tests.spark.comparing import comparable
from tests.spark.streamed import run, stream_of

PROGRAM = parse("""
input Temp(x: text, time) delay 1.
Twice(X, T) :- Temp(X, T), Temp(X, T+1), not Temp(X, T+2).
query Twice(X, T).
""")
OTHER = parse(
    "input Temp(x: text, time) delay 1. Twice(X, T) :- Temp(X, T), Temp(X, T+1). query Twice(X, T)."
)


def _rows(*rows: tuple[str, int]) -> dict[str, pa.Table]:
    x, time = zip(*rows, strict=True)
    return {"Temp": pa.table({"x": x, "time": pa.array(time, pa.int64()), "arrival": time})}


FIRST = _rows(("a", 0), ("a", 1), ("b", 1), ("b", 2), ("a", 2), ("c", 3))
SECOND, THIRD = _rows(("b", 4), ("c", 4), ("c", 6)), _rows(("a", 8), ("a", 9), ("a", 12))


def test_a_stream_begins_with_a_savepoint_and_becomes_one(spark: SparkSession, tmp_path: Path) -> None:
    """In a process up to tick 3, on Spark in 3 buckets, and in a process again: the lines of one run."""
    whole, engine = Engine(PROGRAM), Engine(PROGRAM)
    log = [engine.advance(3, FIRST)["Twice"]]
    checkpoint = tmp_path / "checkpoint"
    engine.export(checkpoint / savepoint.FOLDER)
    frames = stream_of(spark, tmp_path / "in", [SECOND])
    with pytest.raises(StateError, match="the savepoint of the checkpoint was saved by other rules"):
        guard(spark, str(checkpoint), outputs(OTHER, frames, buckets=3))
    found = guard(spark, str(checkpoint), outputs(PROGRAM, frames, buckets=3))
    name = run(found, checkpoint).name
    changes = found.of(spark.table(name)).query("Twice").toArrow()
    assert guard(spark, str(checkpoint), outputs(PROGRAM, frames, buckets=3)).job.seeds
    taken = savepoint_of(spark, str(checkpoint), {})
    savepoint.write(tmp_path / "saved", taken)
    assert taken.run["spark"] == [{"logOffset": 0}]
    rows = taken.waiting("Temp")
    assert rows is not None
    assert rows.to_pylist() == [{"x": "c", "time": 6, "arrival": 6}]
    again = Engine.restore(tmp_path / "saved", PROGRAM)
    last = again.advance(15, {"Temp": pa.concat_tables([rows, THIRD["Temp"].cast(rows.schema)])})["Twice"]
    together = [row for table in (*log, changes, last) for row in table.to_pylist()]
    facts = pa.concat_tables([part["Temp"] for part in (FIRST, SECOND, THIRD)])
    expected = whole.advance(15, {"Temp": facts})["Twice"].to_pylist()
    names = expected[0].keys()
    assert comparable([{each: row[each] for each in names} for row in together]) == comparable(expected)


def test_what_has_no_state_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    with pytest.raises(StateError, match=r"is not a checkpoint of antelog: it has no antelog\.json"):
        savepoint_of(spark, str(tmp_path / "none"), {})
    checkpoint = tmp_path / "checkpoint"
    guard(spark, str(checkpoint), outputs(PROGRAM, stream_of(spark, tmp_path / "in", [SECOND]), buckets=2))
    with pytest.raises(StateError, match="has no state yet: no micro-batch had a row"):
        savepoint_of(spark, str(checkpoint), {})
    (checkpoint / "offsets").mkdir()
    (checkpoint / "offsets/0").write_text("v1\n" + '{"batchTimestampMs": 1}\n')
    with pytest.raises(StateError, match=r"has a micro-batch that is not finished\. Run it once more"):
        savepoint_of(spark, str(checkpoint), {})
    shutil.rmtree(checkpoint)
