"""What is refused before anything runs, and in which words."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession

from antelog import AntelogError, DataError, StateError, parse
from antelog.cli.run.columns import Wish, reading_of
from antelog.cli.run.endpoints import source_of
from antelog.errors import UnsupportedError
from antelog.spark import changes, guard, outcomes
from antelog.spark.endpoints.endpoints import Source, Table, TableForm
from antelog.spark.endpoints.sinks import require
from antelog.spark.endpoints.sources import Reading
from antelog.spark.endpoints.sources import frame as read
from antelog.spark.endpoints.text_columns import Kind
from antelog.spark.job.job import Job
from antelog.spark.session.session import plain, plainly, session
from tests.spark.comparing import job_of
from tests.spark.simulated import Stream
from tests.spark.streamed import run, stream_of

RULES = "input Temp(x: text, time). Hot(X, T) :- Temp(X, T), Temp(X, T+{}). query Hot(X, T)."
ONE, TWO = parse(RULES.format(1)), parse(RULES.format(2))
TABLE = pa.table({"x": ["a"], "time": pa.array([0], pa.int64())})


def _job(buckets: int = 2, **settings: Any) -> Job:
    return job_of(ONE.plan, {"Temp": TABLE}, buckets, **settings)


@pytest.mark.parametrize(
    ("other", "why"),
    [
        (job_of(TWO.plan, {"Temp": TABLE}, 2), "another program"),
        (_job(4), "2 buckets, not 4"),
        (_job(clock="processing"), "the clock `event`, not `processing`"),
    ],
)
def test_the_state_of_another_run_is_refused(other: Job, why: str) -> None:
    stream = Stream(_job(), random.Random(1))
    stream.batch({"Temp": TABLE})
    stream.continue_as(other)
    with pytest.raises(StateError, match=why):
        stream.batch({"Temp": TABLE})


def test_antelog_itself_does_not_need_spark() -> None:
    text = "import sys, antelog, antelog.spark; sys.exit('pyspark' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", text], check=False).returncode == 0


def test_without_pyspark_the_error_says_what_to_install() -> None:
    text = "import sys; sys.modules['pyspark'] = None\nimport antelog.spark\nantelog.spark.changes"
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=False)
    assert "pip install 'antelog[spark]'" in done.stderr


@pytest.mark.parametrize(
    ("environment", "conf"),
    [
        ({}, {"spark.remote": "sc://host"}),
        ({}, {"spark.api.mode": "connect"}),
        ({"SPARK_REMOTE": "sc://host"}, {}),
        ({"SPARK_API_MODE": "connect"}, {}),
    ],
)
def test_spark_connect_is_refused(
    environment: dict[str, str], conf: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    ((name, value),) = {**environment, **conf}.items()
    with pytest.raises(UnsupportedError, match=f"{name} is {value}, which asks for Spark Connect"):
        session("refused", [], buckets=1, conf=conf).__enter__()


def test_checkpoints_are_guarded(spark: SparkSession, tmp_path: Path) -> None:
    frames = stream_of(spark, tmp_path / "in", [{"Temp": TABLE}])
    folder = tmp_path / "checkpoint"
    first = outcomes(ONE, frames, buckets=2)
    guard(spark, str(folder), first)
    run(first, folder)
    guard(spark, str(folder), first)
    with pytest.raises(StateError, match=r"another program .* it had .*T\+1.*now there is .*T\+2"):
        guard(spark, str(folder), outcomes(TWO, frames, buckets=2))
    with pytest.raises(StateError, match="2 buckets, not 3"):
        guard(spark, str(folder), outcomes(ONE, frames, buckets=3))
    (folder / "antelog.json").unlink()
    with pytest.raises(StateError, match="not written by antelog"):
        guard(spark, str(folder), first)


def test_data_that_does_not_fit_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    good = spark.createDataFrame([("a", 0)], "x string, time int")
    stream = stream_of(spark, tmp_path, [{"Temp": TABLE}])["Temp"]
    refused: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
        ("Did you mean Temp", {"Tmep": good}, {}),
        ("lack the column time; they have x, tiem. Did you mean tiem", {"Temp": good.toDF("x", "tiem")}, {}),
        ("column x of Temp is of type list", {"Temp": good.selectExpr("array(x) x", "time")}, {}),
        ("does not say how long a tick is", {"Temp": good.selectExpr("x", "current_timestamp() time")}, {}),
        ("at least one input", {}, {}),
        ("hand over a DataFrame of Spark", {"Temp": TABLE}, {}),
        ("Did you mean event", {"Temp": good}, {"clock": "evnt"}),
        ("no input has a column of arrivals", {"Temp": good}, {"clock": "arrival"}),
        ("a batch is not processed", {"Temp": good}, {"clock": "processing"}),
        ("needs the length of a tick", {"Temp": stream}, {"clock": "processing"}),
        ("`until` is for batches", {"Temp": stream}, {"until": 3}),
        ("without it, time begins at 0", {"Temp": good}, {"begin": 3}),
        ("begin is -1", {"Temp": good}, {"begin": -1}),
        ("buckets is 0", {"Temp": good}, {"buckets": 0}),
        ("is not a duration", {"Temp": stream}, {"idle": "soon"}),
    ]
    for why, inputs, options in refused:
        with pytest.raises(DataError, match=why):
            changes(ONE, inputs, **options)


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("gone.csv", "gone.csv"),
        ("json:gone/*.x", "gone"),
        ("parquet:gone", "gone"),
        ("jdbc:h2:mem:x#t", r"Spark has no org.h2.Driver; bring the jar"),
        ("delta:table", "Delta tables need Delta's jar"),
        ("iceberg:catalog.table", "Iceberg tables need Iceberg's jar"),
    ],
)
def test_sources_that_are_not_there(spark: SparkSession, source: str, why: str) -> None:
    with pytest.raises(AntelogError, match=why):
        _look_at(spark, source_of(source))


def _look_at(spark: SparkSession, source: Source) -> None:
    """What `antelog run` does with a source before it reads it."""
    with plainly():
        require(spark, [source])
        reading_of(spark, ONE.plan, Wish("Temp", source, {}))


def test_a_program_without_a_key_runs_as_one_bucket(spark: SparkSession) -> None:
    program = parse("input Temp(x: text, time). Hot(T) :- Temp(X, T), Temp(Y, T+1). query Hot(T).")
    frame = spark.createDataFrame([("a", 0), ("b", 1)], "x string, time int")
    with pytest.warns(UserWarning, match="one bucket, on one core: .* no argument"):
        found = outcomes(program, {"Temp": frame}, only=("confirmed",))
    assert [row.answer for row in found.changes.collect()] == ['{"T": 0}']


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("form", ["delta", "iceberg"])
def test_a_table_is_found_by_its_name(spark: SparkSession, form: TableForm, stream: bool) -> None:
    frame = spark.readStream.format("rate").load() if stream else spark.range(1)
    frame.createOrReplaceTempView("known")
    columns = {name: name for name in frame.columns}
    kinds: dict[str, Kind] = dict.fromkeys(columns, "number")
    found = read(spark, Reading(Table(form, "known"), columns, kinds, None), stream=stream)
    with pytest.raises(AnalysisException, match="`unknown` cannot be found"):
        read(spark, Reading(Table(form, "unknown"), columns, kinds, None), stream=stream)
    assert found.columns == frame.columns
    assert found.isStreaming == stream


def test_a_stream_that_failed_is_not_shown_with_its_plans() -> None:
    said = "The table was emptied.\n=== Streaming Query ===\nIdentifier: [id = 1]\nLogical Plan:\n Project"
    assert plain(RuntimeError(said)) == "The table was emptied"


@pytest.mark.parametrize(
    ("raised", "why"),
    [
        (ModuleNotFoundError("No module named 'antelog'"), "Python has no antelog. .* PYSPARK_PYTHON names"),
        (ValueError("they differ"), "^they differ$"),
    ],
)
def test_a_worker_that_fails_is_shown_without_its_stack(
    spark: SparkSession, raised: Exception, why: str
) -> None:
    def fails(_: object) -> Iterator[pa.RecordBatch]:
        raise raised

    with pytest.raises(DataError, match=why), plainly():
        spark.range(1).mapInArrow(fails, "id long").collect()
