"""antelog/spark/session/classes.py: a file of classes is used where there is one, unless told otherwise."""

from __future__ import annotations

import shlex
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from antelog.spark.session.classes import EXTRA_OPTIONS, archive_of, archives, is_made_by, with_archive
from antelog.spark.session.compilers import JAVA_OPTIONS
from antelog.spark.session.java import require_java

HERE = {"spark.master": "local[2]"}


@pytest.fixture
def archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "my cache"))
    found = archive_of("17.0.15")
    found.parent.mkdir(parents=True)
    found.write_bytes(b"no classes at all")
    return found


def test_it_is_used_by_the_java_it_was_made_for(archive: Path) -> None:
    quick = {**HERE, JAVA_OPTIONS: "-XX:TieredStopAtLevel=1"}
    options = shlex.split(with_archive(quick, "17.0.15")[JAVA_OPTIONS])
    assert options == ["-XX:TieredStopAtLevel=1", f"-XX:SharedArchiveFile={archive}"]
    assert with_archive(HERE, "17.0.16") == HERE
    assert list(archives()) == [archive]


def test_each_spark_has_its_own(archive: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPARK_HOME", "/opt/another")
    assert archive_of("17.0.15") != archive
    assert list(archives()) == []


@pytest.mark.usefixtures("archive")
@pytest.mark.parametrize(
    "settings",
    [
        {"spark.master": "spark://host:7077"},
        {**HERE, EXTRA_OPTIONS: "-XX:ArchiveClassesAtExit=a.jsa"},
        {**HERE, EXTRA_OPTIONS: "-XX:SharedArchiveFile=a.jsa"},
        {**HERE, EXTRA_OPTIONS: "-Xshare:off"},
    ],
)
def test_what_a_user_says_goes_first(settings: Mapping[str, str]) -> None:
    assert with_archive(settings, "17.0.15") == settings


@pytest.mark.usefixtures("archive")
def test_options_in_the_environment_count_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_TOOL_OPTIONS", "-Xshare:off")
    assert with_archive(HERE, "17.0.15") == HERE


def test_there_is_none_without_a_home_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "/dev/null/x")
    assert with_archive(HERE, "17.0.15") == HERE
    assert list(archives()) == []
    monkeypatch.setenv("XDG_CACHE_HOME", "not/absolute")
    assert archive_of("17").is_relative_to(Path("~/.cache/antelog").expanduser())


def test_java_takes_its_time_to_make_one() -> None:
    assert is_made_by({EXTRA_OPTIONS: "-Xss4m -XX:ArchiveClassesAtExit=a.jsa"})
    assert not is_made_by({EXTRA_OPTIONS: "-Xss4m"})


def test_java_passes_over_one_that_is_damaged_without_a_word(archive: Path) -> None:
    code = """
from antelog.spark.session.session import session
with session("damaged", [], buckets=1, master="local[1]") as spark:
    jvm = spark.sparkContext._jvm.java.lang.management.ManagementFactory
    assert any("SharedArchiveFile" in each for each in jvm.getRuntimeMXBean().getInputArguments())
    print(spark.range(3).count())
"""
    archive.rename(archive_of(require_java()))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("3\n", "")
