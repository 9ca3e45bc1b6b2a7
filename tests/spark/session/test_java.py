"""antelog/spark/session/java.py: whether there is a Java for Spark."""

import sys
from pathlib import Path

import pytest

from antelog.errors import UnsupportedError
from antelog.spark.session.java import require_java


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
