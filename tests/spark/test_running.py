"""antelog/spark/running.py: a session of a user's own that says nothing of RocksDB runs streams as well."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from antelog import parse
from antelog.errors import DataError, UnsupportedError
from antelog.spark import SETTINGS, outputs
from antelog.spark.failures import explaining_lost_java
from antelog.spark.running import PROVIDER
from tests.spark.streamed import result, run, stream_of

PROGRAM = parse("input Temp(x: text, time). Hot(X, T) :- Temp(X, T), Temp(X, T+1). query Hot(X, T).")
TABLE = pa.table({"x": ["a", "a", "b"], "time": pa.array([0, 1, 5], pa.int64())})


@pytest.fixture
def bare(spark: SparkSession) -> Iterator[SparkSession]:
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
    with pytest.raises(UnsupportedError, match="HDFSBackedStateStoreProvider, and antelog needs RocksDB: "):
        outputs(PROGRAM, frames, buckets=2)
    assert bare.conf.get(PROVIDER) == hdfs


class _Session:
    """A session whose Java is gone."""

    @property
    def version(self) -> str:
        raise ConnectionRefusedError


@pytest.mark.parametrize("raised", [TypeError("'JavaPackage' object is not callable"), DataError("empty")])
def test_if_java_is_gone_that_is_why(raised: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SparkSession, "getActiveSession", _Session)
    message = "^Java, in which Spark runs, is gone: .* Start it again"
    with pytest.raises(UnsupportedError, match=message), explaining_lost_java():
        raise raised


def test_while_java_is_there_an_error_is_what_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SparkSession, "getActiveSession", lambda: None)
    for mine in (ValueError("mine"), ConnectionRefusedError("mine")):  # of something else than Java
        with pytest.raises(type(mine), match="mine"), explaining_lost_java():
            raise mine


OWN = """
import logging
import antelog, antelog.spark
from pyspark import SparkContext
from pyspark.sql import SparkSession

spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
frame = spark.createDataFrame([("a", 0)], "x string, time long")
program = antelog.parse("input Temp(x: text, time). Hot(X, T) :- Temp(X, T). query Hot(X, T).")
# A thread of py4j's own tells Java what is no longer needed, and logs if it fails.
logging.getLogger().addFilter(lambda record: record.threadName == "MainThread")
process = SparkContext._gateway.proc
process.kill()
process.wait()
for what in (antelog.spark.changes, antelog.spark.answers, antelog.spark.rejects, antelog.spark.learn):
    try:
        what(program, {"Temp": frame})
    except antelog.AntelogError as error:
        print(error)
"""


@pytest.mark.long
def test_in_a_session_of_ones_own() -> None:
    done = subprocess.run([sys.executable, "-c", OWN], capture_output=True, text=True, check=False)
    lines = done.stdout.splitlines()
    assert len(lines) == 4, done.stderr
    assert all(line.startswith("Java, in which Spark runs, is gone: ") for line in lines)
    assert "py4j" not in done.stderr
