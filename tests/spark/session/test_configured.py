"""antelog/spark/session/configured.py: what no session can do, and the settings of those that can."""

from __future__ import annotations

import pytest

from antelog.errors import UnsupportedError
from antelog.spark.session.compilers import JAVA_OPTIONS, LASTING
from antelog.spark.session.configured import DAEMON, settings_of


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
        settings_of([], buckets=1, conf=conf)


def test_workers_are_shared_and_start_ready_made_unless_told_otherwise() -> None:
    shared = "spark.sql.execution.pyspark.udf.simplifiedTraceback.enabled"
    here, there = (
        settings_of([], buckets=8, master="local[2]"),
        settings_of([], buckets=8, master="spark://host:7077"),
    )
    assert here[shared] == there[shared] == "false"
    assert here["spark.python.daemon.module"] == DAEMON
    assert "spark.python.daemon.module" not in there  # its machines start their own Python
    given = {"spark.python.daemon.module": "pyspark.daemon", shared: "true"}
    assert settings_of([], buckets=8, master="local[2]", conf=given).items() >= given.items()


def test_java_compiles_well_what_is_called_very_often_on_this_machine_unless_told_otherwise() -> None:
    assert settings_of([], buckets=8, master="local[2]")[JAVA_OPTIONS] == LASTING
    assert JAVA_OPTIONS not in settings_of([], buckets=8, master="spark://host:7077")
    given = {JAVA_OPTIONS: "-Xms1g"}
    assert settings_of([], buckets=8, master="local[2]", conf=given)[JAVA_OPTIONS] == "-Xms1g"
