"""antelog/spark/pipeline/configuration.py: settings of sessions, and sessions that are refused."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pyspark
import pytest

import antelog.spark
from antelog.errors import UnsupportedError
from antelog.files.naming import Form
from antelog.run.address import Files
from antelog.spark.endpoints.endpoints import Source
from antelog.spark.pipeline import configuration
from antelog.spark.pipeline.configuration import JAVA_OPTIONS, LASTING, QUICK, settings_of
from antelog.spark.pipeline.requirements import require_java, require_pyspark
from antelog.spark.pipeline.session import ProcessOutput, _kill, properties, sifted
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


def fake_java(folder: Path, version: str) -> Path:
    java = folder / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\"' >&2\n", encoding="utf-8")
    java.chmod(0o755)
    return folder


def test_java_is_looked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    require_java({"JAVA_HOME": str(fake_java(tmp_path / "new", "21.0.1"))})
    for environment, message in [
        ({"PATH": str(tmp_path)}, "there is no Java on this machine"),
        ({"JAVA_HOME": str(tmp_path / "gone")}, "there is no Java in it"),
        ({"JAVA_HOME": str(fake_java(tmp_path / "old", "1.8.0_4"))}, "is version 8, too old"),
    ]:
        with pytest.raises(UnsupportedError, match=message):
            require_java(environment)


def test_the_java_of_the_set_up_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    home = str(fake_java(tmp_path / "java", "17.0.1"))
    Path(tmp_path, "java-home").write_text(home + "\n", encoding="utf-8")
    environment = {"PATH": str(tmp_path)}
    require_java(environment)
    assert environment["JAVA_HOME"] == home
    with pytest.raises(UnsupportedError, match="there is no Java in it"):  # what is said goes first
        require_java({"JAVA_HOME": str(tmp_path / "gone")})


@pytest.mark.parametrize(
    ("version", "why"), [("3.5.1", "too old"), ("4.0.2", "too old"), ("5.0.0.dev1", "too new")]
)
def test_versions_that_cannot_do_it(version: str, why: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pyspark, "__version__", version)
    message = f"PySpark is version {version}, {why}.*pip install"
    with pytest.raises(UnsupportedError, match=message):
        require_pyspark()
    with pytest.raises(UnsupportedError, match=message):
        _ = antelog.spark.changes
    assert antelog.spark.BUCKETS == 8


def test_pandas_3_is_no_reason_to_warn_since_no_fact_passes_through_it() -> None:
    code = "import antelog.spark; import pyspark.sql.pandas.utils as u; u.require_minimum_pandas_version()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def _written(lines: bytes, *, starts: bool = True) -> tuple[str, ProcessOutput]:
    theirs, ours = os.pipe()
    source, target = os.pipe()
    os.write(ours, lines)
    os.close(ours)
    output = ProcessOutput(target)
    output.read(theirs)
    if starts:
        output.release()
    os.close(target)
    with open(source, encoding="utf-8") as out:  # noqa: PTH123 - it is the end of a pipe
        return out.read(), output


def test_noise_is_kept_back_and_the_rest_is_shown() -> None:
    said, _ = _written(b"Setting default log level to WARN\n\nERROR password=hunter2\x1b[31m\n")
    assert said.startswith("ERROR ")
    assert said.count("\n") == 1
    assert "hunter2" not in said
    assert "\x1b" not in said


def test_what_java_said_before_it_failed_is_for_whoever_tells_of_it() -> None:
    said, output = _written(b"downloading https://host/a.jar\nno such jar\n", starts=False)
    assert said == "downloading https://host/a.jar\n"  # which may take minutes
    assert output.text() == "no such jar"


IDLE = """\
before
Traceback (most recent call last):
  File "daemon.py", line 193, in manager
    code = worker(sock)
BrokenPipeError: [Errno 32] Broken pipe

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "worker.py", line 9, in main
    infile.read()
KeyboardInterrupt
between
Traceback (most recent call last):
  File "worker.py", line 1, in <module>
    import numpy
ModuleNotFoundError: No module named 'numpy'
after
"""


def test_workers_that_nobody_needs_any_more_end_in_silence() -> None:
    lines = IDLE.splitlines()
    rest = lines[lines.index("between") :]
    assert [*sifted(lines)] == ["before", *rest]
    assert [*sifted(lines[:4])] == lines[:4]  # what is not finished is not lost
