"""antelog/spark/session/requirements.py: a Java or a PySpark that does not fit is refused in a sentence."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pyspark
import pytest

import antelog.spark
from antelog.errors import UnsupportedError
from antelog.spark.session.requirements import require_java, require_pyspark


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


@pytest.mark.parametrize("version", ["4.1.0", "4.3.0", "4.12.0.dev2"])
def test_versions_that_can(version: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pyspark, "__version__", version)
    require_pyspark()


def test_pandas_3_is_no_reason_to_warn_since_no_fact_passes_through_it() -> None:
    code = "import antelog.spark; import pyspark.sql.pandas.utils as u; u.require_minimum_pandas_version()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
