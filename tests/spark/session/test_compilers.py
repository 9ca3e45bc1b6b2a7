"""antelog/spark/session/compilers.py: which runs are short, and what Java is told for these and others."""

from __future__ import annotations

from pathlib import Path

import pytest

from antelog.files.naming import Form
from antelog.run.address import Files, Kafka
from antelog.spark.endpoints.endpoints import Source
from antelog.spark.session import compilers
from antelog.spark.session.compilers import JAVA_OPTIONS, start_of

QUICK = {JAVA_OPTIONS: "-XX:TieredStopAtLevel=1 -XX:MetaspaceSize=256m"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "in").mkdir()
    for name in ("a.csv", "in/b.csv"):
        (tmp_path / name).write_bytes(b"x" * (compilers.SMALL // 2))
    return tmp_path


@pytest.mark.parametrize("path", ["a.csv", "in", "*/*.csv", "*.csv"])
def test_small_files_of_this_machine_are_read_with_the_quick_compiler(folder: Path, path: str) -> None:
    assert start_of([Files(str(folder / path), Form.CSV)], "local[*]") == QUICK


@pytest.mark.parametrize(
    ("source", "master"),
    [
        (Files("a.csv", Form.CSV), "spark://host:7077"),
        (Files("none.csv", Form.CSV), "local[2]"),
        (Files("s3a://bucket/a.csv", Form.CSV), "local[2]"),
        (Kafka("localhost:9092", "facts"), "local[2]"),
    ],
)
def test_what_may_be_long_is_left_as_it_is(
    folder: Path, source: Source, master: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    assert start_of([Files("in", Form.CSV)], "local[2]") == QUICK
    assert start_of([Files("in", Form.CSV), source], master) == {}


def test_many_bytes_or_files_are_left_as_they_are(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    everything = [Files(str(folder), Form.CSV)]
    assert start_of(everything, "local[2]") == QUICK
    monkeypatch.setattr(compilers, "FEW", 1)
    assert start_of(everything, "local[2]") == {}
    monkeypatch.undo()
    (folder / "c.csv").write_bytes(b"x")
    assert start_of(everything, "local[2]") == {}
