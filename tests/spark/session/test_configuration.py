"""antelog/spark/session/configuration.py: settings of sessions, and sessions that are refused."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from antelog.errors import UnsupportedError
from antelog.files.naming import Form
from antelog.run.address import Files, Kafka
from antelog.spark.endpoints.endpoints import Source
from antelog.spark.session import configuration
from antelog.spark.session.configuration import JAVA_OPTIONS, LASTING, QUICK, settings_of
from antelog.spark.session.session import _kill, properties
from tests.processes import Start


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


def test_workers_are_shared_unless_told_otherwise() -> None:
    shared = "spark.sql.execution.pyspark.udf.simplifiedTraceback.enabled"
    for master in ("local[2]", "spark://host:7077"):
        assert settings_of([], buckets=8, master=master)[shared] == "false"
    assert settings_of([], buckets=8, master="local[2]", conf={shared: "true"})[shared] == "true"


def test_java_compiles_well_what_is_called_very_often_on_this_machine_unless_told_otherwise() -> None:
    assert settings_of([], buckets=8, master="local[2]")[JAVA_OPTIONS] == LASTING
    assert JAVA_OPTIONS not in settings_of([], buckets=8, master="spark://host:7077")
    given = {JAVA_OPTIONS: "-Xms1g"}
    assert settings_of([], buckets=8, master="local[2]", conf=given)[JAVA_OPTIONS] == "-Xms1g"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "in").mkdir()
    for name in ("a.csv", "in/b.csv"):
        (tmp_path / name).write_bytes(b"x" * (configuration.SMALL // 2))
    return tmp_path


def options(sources: Sequence[Source], master: str = "local[2]") -> str | None:
    return settings_of(sources, buckets=8, master=master, once=sources).get(JAVA_OPTIONS)


@pytest.mark.parametrize("path", ["a.csv", "in", "*/*.csv", "*.csv"])
def test_small_files_of_this_machine_are_read_with_the_quick_compiler(folder: Path, path: str) -> None:
    assert options([Files(str(folder / path), Form.CSV)]) == QUICK


@pytest.mark.parametrize(
    ("source", "master", "expected"),
    [
        (Files("a.csv", Form.CSV), "spark://host:7077", None),
        (Files("none.csv", Form.CSV), "local[2]", LASTING),
        (Files("s3a://bucket/a.csv", Form.CSV), "local[2]", LASTING),
        (Kafka("localhost:9092", "facts"), "local[2]", LASTING),
    ],
)
def test_what_may_be_long_is_left_as_it_is(
    folder: Path, source: Source, master: str, expected: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    assert options([Files("in", Form.CSV)]) == QUICK
    assert options([Files("in", Form.CSV), source], master) == expected


def test_many_bytes_or_files_are_left_as_they_are(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    everything = [Files(str(folder), Form.CSV)]
    assert options(everything) == QUICK
    monkeypatch.setattr(configuration, "FEW", 1)
    assert options(everything) == LASTING
    monkeypatch.undo()
    (folder / "c.csv").write_bytes(b"x")
    assert options(everything) == LASTING


def test_settings_are_written_as_java_reads_them() -> None:
    assert properties({"spark.x": "a b=c", "spark.y": "ä#"}) == "spark.x=a\\ b\\=c\nspark.y=\\u00e4\\#\n"


def test_a_java_whose_start_was_cut_short_is_ended(tmp_path: Path, start: Start) -> None:
    file = tmp_path / "spark.properties"
    code = "import sys; print(flush=True); sys.stdin.read()"
    java = start([sys.executable, "-c", code, file], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert java.stdout is not None
    assert java.stdout.readline() == "\n"
    _kill(tmp_path / "another")
    assert java.poll() is None
    _kill(file)
    assert java.wait(60) < 0


SECRET = """
import os, signal
from pathlib import Path
import psutil
from antelog.spark.session.configuration import settings_of
from antelog.spark.session.session import session

settings = settings_of([], buckets=1, master="local[1]", conf={"spark.secret": "hunter2"})
with session("secret", settings) as spark:
    (java,) = [each for each in psutil.Process().children() if "SparkSubmit" in " ".join(each.cmdline())]
    assert "hunter2" not in " ".join(java.cmdline())
    assert not Path(java.cmdline()[java.cmdline().index("--properties-file") + 1]).exists()
    java.send_signal(signal.SIGTERM)
    if (status := Path(f"/proc/{java.pid}/status")).exists():  # Linux says which signals will never arrive
        blocked = int(dict(line.split(":", 1) for line in status.read_text().splitlines())["SigBlk"], 16)
        assert blocked >> signal.SIGTERM - 1 & 1
    print(spark.conf.get("spark.secret"), spark.range(3).count())
assert "PYSPARK_SUBMIT_ARGS" not in os.environ
"""


@pytest.mark.slow
def test_java_has_its_settings_on_no_command_line_and_is_ended_by_its_python_only() -> None:
    done = subprocess.run([sys.executable, "-c", SECRET], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("hunter2 3\n", "")
