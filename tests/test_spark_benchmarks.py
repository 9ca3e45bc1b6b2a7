"""The benchmarks of pipelines: what they read, and what they make of their runs."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

pytest.importorskip("pyspark")

from benchmarks.report import setting
from benchmarks.spark.measuring import Run
from benchmarks.spark.queries import QUERIES
from benchmarks.spark.readings import BATCHES, TICKS, Readings, write
from benchmarks.spark.report import as_json, as_markdown, versions


@pytest.fixture
def given(tmp_path: Path) -> Readings:
    return write(tmp_path / "readings", 0.01)


def test_the_readings_are_files_in_the_order_of_arrival(given: Readings) -> None:
    files = sorted(given.folder.iterdir(), key=lambda path: path.stat().st_mtime)
    tables = [pq.read_table(path) for path in files]
    assert len(files) == BATCHES
    assert sum(table.num_rows for table in tables) == given.facts == 10 * TICKS
    arrivals = pa.concat_tables(tables)["arrival"].to_pylist()
    assert arrivals == sorted(arrivals)


def test_a_stream_tells_less_than_a_batch_by_what_the_last_tick_brings(given: Readings) -> None:
    assert given.stream["confirmed"] <= given.batch["confirmed"]
    assert given.stream["rejected"] < given.batch["rejected"]


def test_a_wrong_count_is_noticed(given: Readings, tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    kinds = [kind for kind, count in given.batch.items() for _ in range(count)]
    pq.write_table(pa.table({"change": kinds}), out / "1.parquet")
    assert QUERIES["batch-all"].wrong(given, out) == ""
    assert QUERIES["batch-chances"].wrong(given, out) == ""
    assert QUERIES["batch-confirmed"].wrong(given, out) == ""
    pq.write_table(pa.table({"change": ["confirmed"]}), out / "2.parquet")
    assert "written were" in QUERIES["batch-confirmed"].wrong(given, out)
    assert "written were" in QUERIES["plain"].wrong(given, out)


def test_the_report_has_medians_and_spread() -> None:
    found = {
        "plain": [Run("plain", 4.0), Run("plain", 6.0), Run("plain", 5.0)],
        "confirmed": [Run("confirmed", 8.0), Run("confirmed", 6.0), Run("confirmed", 10.0, "a row is lost")],
        "idle-antelog": [Run("idle-antelog", 0.25)],
    }
    where = setting(1.0, 3, versions("17"))
    page = as_markdown(where, 2_000_000, found)
    assert "| 8.00 (6.00-10.00) | 250,000 | 150,000 | 2.00 (1.00-2.00) |" in page
    assert "| 250 (250-250) |" in page
    assert "**confirmed is wrong**: a row is lost" in page
    written = json.loads(as_json(where, 2_000_000, found))
    assert written["runs"]["plain"][1]["seconds"] == 6.0
    assert written["versions"].keys() >= {"Java", "pyspark"}
