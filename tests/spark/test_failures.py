"""antelog/spark/failures.py: the cause of a failure in a sentence, with what to do."""

import importlib.util
import os
import re
import sys
import venv
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from antelog import DataError, UnsupportedError
from antelog.spark.failures import cause, find_workers, plain, plainly
from tests.tables import cases


@cases(__file__, "causes")
def test_what_java_says_is_told_by_its_cause(said: str, told: str) -> None:
    found = cause(said)
    assert found is not None
    with pytest.raises(DataError, match=told):
        raise DataError(found)


def test_what_is_not_known_is_left_to_others() -> None:
    assert cause("org.apache.spark.SparkException: [FIELD_NOT_FOUND] No such struct field") is None


def _read(form: str, *path: str, **options: str) -> Callable[[SparkSession], object]:
    return lambda spark: spark.read.format(form).options(**options).load(*path)


@pytest.mark.parametrize(
    ("fails", "why"),
    [
        (_read("text", "/nowhere/at all"), "^/nowhere/at all: there is no such file"),
        (_read("text", "/nowhere/*.csv"), r"^/nowhere/\*.csv: there is no such file"),
        (_read("kafka"), "^Spark has no connector for kafka. Give its files with --conf spark.jars"),
        (_read("jdbc", url="jdbc:gone://x/y", dbtable="t"), "^Spark has no driver for this database"),
        (lambda spark: spark.read.table("gone"), "^there is no table `gone`"),
        (_read("text", "xyz://host/a"), "^Spark cannot reach xyz://"),
    ],
)
def test_what_spark_says_now_is_known(
    spark: SparkSession, fails: Callable[[SparkSession], object], why: str
) -> None:
    with pytest.raises(DataError, match=why), plainly():
        fails(spark)


@pytest.mark.long
def test_a_full_disk(spark: SparkSession, tmp_path: Path) -> None:
    target = tmp_path / "out"
    target.mkdir()
    (target / "full").symlink_to("/dev/full")

    def writes(rows: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        (target / "full").write_text("x" * 100_000)
        return rows

    with pytest.raises(DataError, match=r"^a disk is full"), plainly():
        spark.range(1).mapInArrow(writes, "id long").collect()


def test_a_stream_that_failed_is_not_shown_with_its_plans() -> None:
    said = "The table was emptied.\n=== Streaming Query ===\nIdentifier: [id = 1]\nLogical Plan:\n Project"
    assert plain(RuntimeError(said)) == "The table was emptied"


@pytest.mark.parametrize(
    ("raised", "why"),
    [
        (
            ModuleNotFoundError("No module named 'antelog'"),
            r"Python \(/.*\) has no antelog\. .* PYSPARK_PYTHON",
        ),
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


def test_workers_are_this_python_unless_another_is_chosen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def session(name: str, python: str, master: str = "local[2]") -> Any:
        tasks = SimpleNamespace(map=lambda look: SimpleNamespace(collect=lambda: [look(0)]))
        context = {"applicationId": name, "pythonExec": python, "parallelize": lambda *_: tasks}
        return SimpleNamespace(_sc=SimpleNamespace(master=master, **context))

    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", "")
    monkeypatch.setenv("PYSPARK_PYTHON", "chosen")
    bare = tmp_path / "bin" / "python"
    venv.create(tmp_path)
    find_workers(SimpleNamespace())  # type: ignore[arg-type]  # on Spark Connect
    find_workers(session("a", sys.executable))
    find_workers(session("a", str(bare)))  # which is known
    find_workers(session("b", "far", "spark://far:7077"))
    said = (
        f"workers, {bare}, has no antelog. Before Spark starts, let PYSPARK_PYTHON name one that has it, as"
    )
    with pytest.raises(UnsupportedError, match=re.escape(said)):
        find_workers(session("c", str(bare)))
    with monkeypatch.context() as lacking:
        lacking.setattr(importlib.util, "find_spec", lambda _: None)
        with pytest.raises(UnsupportedError, match=re.escape(sys.executable)):
            find_workers(session("d", "far", "spark://far:7077"))
    monkeypatch.delenv("PYSPARK_PYTHON")
    unset = session("e", "python3")
    find_workers(unset)
    assert unset._sc.pythonExec == os.environ["PYSPARK_PYTHON"] == sys.executable
