"""antelog/spark/running.py: a session of a user's own that says nothing of RocksDB runs streams as well."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from antelog import parse
from antelog.errors import UnsupportedError
from antelog.spark import SETTINGS, outputs
from antelog.spark.running import PROVIDER
from tests.spark.streamed import result, run, stream_of

PROGRAM = parse("input Temp(x: text, time). Hot(X, T) :- Temp(X, T), Temp(X, T+1). query Hot(X, T).")
TABLE = pa.table({"x": ["a", "a", "b"], "time": pa.array([0, 1, 5], pa.int64())})


@pytest.fixture
def bare(spark: SparkSession) -> Iterator[SparkSession]:
    """A session as Spark makes it, without a setting of ours."""
    session = spark.newSession()
    for name in SETTINGS:
        session.conf.unset(name)
    yield session
    SparkSession._instantiatedSession = spark


def test_a_session_that_says_nothing_is_prepared(bare: SparkSession, tmp_path: Path) -> None:
    bare.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", "1")
    bare.conf.set("spark.sql.execution.arrow.useLargeVarTypes", "true")
    assert bare.conf.get(PROVIDER, None) is None
    found = outputs(PROGRAM, stream_of(bare, tmp_path / "in", [{"Temp": TABLE}]), buckets=2)
    query = run(found, tmp_path / "checkpoint")
    rows = result(bare, found, query).changes.where("change = 'confirmed'").collect()
    assert [(row.X, row["T"]) for row in rows] == [("a", 0)]


def test_another_store_is_refused_before_anything_starts(bare: SparkSession, tmp_path: Path) -> None:
    hdfs = "org.apache.spark.sql.execution.streaming.state.HDFSBackedStateStoreProvider"
    bare.conf.set(PROVIDER, hdfs)
    frames = stream_of(bare, tmp_path / "in", [{"Temp": TABLE}])
    with pytest.raises(
        UnsupportedError, match="HDFSBackedStateStoreProvider, and antelog needs RocksDB: leave"
    ):
        outputs(PROGRAM, frames, buckets=2)
    assert bare.conf.get(PROVIDER) == hdfs
