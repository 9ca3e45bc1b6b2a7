"""antelog/spark/session/session.py: what no session can do, and failures in plain words."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from antelog import DataError
from antelog.errors import UnsupportedError
from antelog.spark.session.session import DAEMON, _settings, plain, plainly, session


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


def test_workers_are_shared_and_start_ready_made_unless_told_otherwise() -> None:
    shared = "spark.sql.execution.pyspark.udf.simplifiedTraceback.enabled"
    here, there = _settings("local[2]", 8, {}, []), _settings("spark://host:7077", 8, {}, [])
    assert here[shared] == there[shared] == "false"
    assert here["spark.python.daemon.module"] == DAEMON
    assert "spark.python.daemon.module" not in there  # its machines start their own Python
    given = {"spark.python.daemon.module": "pyspark.daemon", shared: "true"}
    assert _settings("local[2]", 8, given, []).items() >= given.items()


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
