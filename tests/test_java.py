"""The script that finds a Java: which one it takes, and what its wrapper passes on."""

import subprocess
from pathlib import Path

import pytest

from scripts import java

SETTINGS = """Property settings:
    java.home = /opt/java
    java.specification.version = {version}
    java.version = whatever
"""


def fake_java(home: Path, version: str) -> Path:
    """A program that answers like `java -XshowSettings:properties -version`."""
    executable = home / "bin" / "java"
    executable.parent.mkdir(parents=True)
    answer = SETTINGS.format(version=version).replace("/opt/java", str(home))
    executable.write_text(f"#!/bin/sh\nprintf '%s' '{answer}' >&2\n", encoding="utf-8")
    executable.chmod(0o755)
    return executable


@pytest.mark.parametrize(("version", "expected"), [("1.8", 8), ("17", 17), ("25", 25)])
def test_reads_the_version(version: str, expected: int) -> None:
    assert java.read_settings(SETTINGS.format(version=version)) == java.Java(Path("/opt/java"), expected)


def test_what_is_no_java_is_no_java(tmp_path: Path) -> None:
    assert java.read_settings("Unable to locate a Java Runtime.") is None
    assert java.probe(tmp_path / "java") is None


def test_java_home_comes_first_unless_it_is_too_old(tmp_path: Path) -> None:
    fake_java(tmp_path / "old", "1.8")
    fake_java(tmp_path / "new", "21")
    fake_java(tmp_path / "path", "17")
    on_path = str(tmp_path / "path" / "bin")
    new = java.find({"JAVA_HOME": str(tmp_path / "new"), "PATH": on_path})
    assert new == java.Java(tmp_path / "new", 21)
    old = java.find({"JAVA_HOME": str(tmp_path / "old"), "PATH": on_path})
    assert old == java.Java(tmp_path / "path", 17)
    assert java.find({"JAVA_HOME": str(tmp_path / "old"), "PATH": str(tmp_path)}) is None


def test_wrapper_drops_one_argument_and_keeps_the_rest(tmp_path: Path) -> None:
    echo = tmp_path / "a folder" / "echo"
    echo.parent.mkdir()
    echo.write_text("#!/bin/sh\nprintf '<%s>' \"$@\"\n", encoding="utf-8")
    echo.chmod(0o755)
    wrapper = java.write_wrapper(tmp_path / "home", echo)
    arguments = ["-cp", "a b:*", "--add-modules=jdk.incubator.vector", "", "$HOME", "--add-modules=ALL"]
    done = subprocess.run([wrapper, *arguments], capture_output=True, text=True, check=True)
    assert done.stdout == "<-cp><a b:*><><$HOME><--add-modules=ALL>"
