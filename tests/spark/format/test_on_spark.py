"""antelog/spark/format: the data source reads the lines of `antelog try` on each example, on a real Spark."""

from __future__ import annotations

import json
import sys
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import pyarrow.compute as pc
import pyarrow.csv as pc_csv
import pyarrow.dataset as ds
import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from antelog.errors import ArgumentError
from antelog.spark import register_source
from tests.processes import started, until
from tests.run import cases
from tests.run.runners import in_steps, rows_of
from tests.spark.format.comparing import compare, compare_feed, expected, options_of, parts_of, read
from tests.spark.sql.comparing import in_order

STREAMS = find_spec("pyspark.sql.streaming.datasource") is not None
pytestmark = pytest.mark.filterwarnings("ignore:the program runs as one bucket:UserWarning")


@pytest.mark.parametrize("name", cases.ON_SPARK)
def test_of_each_example(spark: SparkSession, name: str) -> None:
    register_source(spark)
    compare(spark, cases.example(name))


@pytest.mark.parametrize("name", ["fleet", "orders"])
def test_a_stream_of_changes_is_written_to_a_feed(spark: SparkSession, name: str, tmp_path: Path) -> None:
    register_source(spark)
    compare_feed(spark, cases.example(name), tmp_path)


def test_it_is_read_in_sql_and_from_a_path(spark: SparkSession) -> None:
    register_source(spark)
    case = cases.example("leads")
    options = options_of(case)
    reader = spark.read.format("antelog").options(**{k: v for k, v in options.items() if k != "program"})
    assert in_order(reader.load(options["program"]).toArrow().to_pylist()) == expected(case)
    listed = ", ".join(f"`{name}` '{value}'" for name, value in options.items())
    spark.sql(f"CREATE OR REPLACE TEMPORARY VIEW leads USING antelog OPTIONS ({listed})")
    confirmed = spark.sql("SELECT count(*) AS n FROM leads WHERE change = 'confirmed'").collect()[0].n
    assert confirmed == sum(row["change"] == "confirmed" for row in expected(case))


def test_errors_have_no_traceback(spark: SparkSession, tmp_path: Path) -> None:
    register_source(spark)
    options = options_of(cases.example("leads"))
    missing = tmp_path / "none.csv"
    for changed, words in (
        ({"qery": "x"}, "the data source has no option qery. Did you mean query?"),
        ({"input.popularity": str(missing)}, f"{missing}: cannot be read: No such file or directory"),
    ):
        kept = {name: value for name, value in options.items() if name.lower() not in changed}
        with pytest.raises(PySparkException) as caught:
            read(spark, {**kept, **changed}).collect()
        text = str(caught.value)
        assert "Traceback" not in text
        assert f"antelog.errors.DataError: {words}" in text
    with pytest.raises(PySparkException, match=r"leave out \.schema"):
        spark.read.format("antelog").options(**options).schema("x int").load().collect()


def test_a_session_is_needed() -> None:
    with pytest.raises(ArgumentError, match="spark is None"):
        register_source(None)  # type: ignore[arg-type]  # what this is about


@pytest.mark.long
@pytest.mark.skipif(not STREAMS, reason="streams of the data source need PySpark 4.2")
def test_a_query_that_is_killed_has_each_line_once(tmp_path: Path) -> None:
    """It is killed once a state is written, once its offset is, and once its rows are; and goes on."""
    case = cases.example("turbines")
    parts = parts_of(case, tmp_path)
    command = [sys.executable, "-m", "tests.spark.format.streaming", str(tmp_path)]
    for seen in ("states/*.state", "checkpoint/offsets/*", "out/*", None):
        options = next(parts)
        (tmp_path / "options.json").write_text(json.dumps(options), encoding="utf-8")
        before = _files(tmp_path, seen)
        # Killed as it writes its first offset, Spark leaves a hidden file, and refuses the checkpoint for it.
        for half_written in (tmp_path / "checkpoint" / "offsets").glob(".*.tmp*"):
            half_written.unlink()
        log = tmp_path / "said"
        with log.open("wb") as out, started(command, cwd=cases.ROOT, stderr=out) as process:
            if seen is None:
                assert process.wait(600) == 0, log.read_text()
            else:
                until(partial(_new_files, tmp_path, seen, before), process, log.read_text)
    rows = ds.dataset(tmp_path / "out", partitioning="hive").to_table().drop_columns(["batch"]).to_pylist()
    finished = _last_arrival(tmp_path) - 1
    assert in_order(rows) == in_order(rows_of(in_steps(case, []), finished))


def _files(folder: Path, pattern: str | None) -> set[Path]:
    return set() if pattern is None else {path for path in folder.glob(pattern) if path.name[0] != "."}


def _new_files(folder: Path, pattern: str, before: set[Path]) -> set[Path]:
    return _files(folder, pattern) - before


def _last_arrival(folder: Path) -> int:
    """The last arrival in the files that were there."""
    files = [pc_csv.read_csv(path) for path in folder.glob("*/*.csv")]
    return max(int(pc.max(each.column("arrival")).as_py()) for each in files)
