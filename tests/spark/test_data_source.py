"""antelog/spark/data_source.py: batches come once into a feed, which the page can read."""

import random
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession
from pyspark.sql.datasource import CaseInsensitiveDict
from pyspark.sql.pandas.types import from_arrow_schema

from antelog.errors import ArgumentError, DataError, UnsupportedError
from antelog.files import ARRIVAL
from antelog.run.store.feed import FeedReader, FolderFeed
from antelog.spark import register_source
from antelog.spark.bucket.unpacking import columns_of
from antelog.spark.data_source import AntelogSource, FeedLines, lines_of
from antelog.spark.job.job import ARRIVED
from tests.run import cases
from tests.spark.comparing import job_of
from tests.spark.feeds import compare_feed
from tests.spark.simulated import run_batch

CASE = cases.example("orders")
FACTS = {
    name: table.rename_columns([ARRIVED if each == ARRIVAL else each for each in table.column_names])
    for name, table in CASE.facts.items()
}
JOB = job_of(CASE.program.plan.read, FACTS, 1, batch=True)
COLUMNS = columns_of(JOB).schema
SCHEMA = from_arrow_schema(COLUMNS, prefer_timestamp_ntz=True)


def source(options: Mapping[str, str]) -> AntelogSource:
    return AntelogSource(CaseInsensitiveDict(options))


def _batches() -> list[pa.RecordBatch]:
    rows = run_batch(JOB, FACTS, random.Random(0)).changes
    batches: list[pa.RecordBatch] = pa.Table.from_pylist(rows, COLUMNS).sort_by("tick").to_batches()
    return batches


def _sink(feed: Path) -> dict[str, str]:
    return {"feed": str(feed), "program": str(CASE.path), "checkpointLocation": "x"}


def _commit(feed: Path, query: str, number: int, batches: list[pa.RecordBatch]) -> None:
    """A batch in a process of its own, as Spark has it."""
    made = source(_sink(feed))
    lines = [line for batch in batches for line in lines_of(batch, "UTC")]
    made.streamWriter(SCHEMA, overwrite=False).commit([FeedLines(query, lines), None], number)


def _records(feed: Path) -> list[dict[str, object]]:
    return FeedReader(FolderFeed(feed)).read()


def test_each_batch_comes_once(tmp_path: Path) -> None:
    batches, feed = _batches(), tmp_path / "feed"
    rows = pa.Table.from_batches(batches)
    parts = [rows.slice(at, 10).to_batches() for at in range(0, rows.num_rows, 10)]
    for number, part in enumerate(parts):
        _commit(feed, "q", number, part)
        _commit(feed, "q", number, part)
    _commit(feed, "q", 0, parts[0])
    records = _records(feed)
    assert sum("change" in each for each in records) == rows.num_rows
    assert sum("head" in each for each in records) == 1
    assert len(list(feed.iterdir())) == 1


def test_a_batch_that_was_cut_is_written_anew(tmp_path: Path) -> None:
    batches, feed = _batches(), tmp_path / "feed"
    _commit(feed, "q", 0, batches)
    (file,) = feed.iterdir()
    content = file.read_bytes()
    whole = len([each for each in _records(feed) if "change" in each])
    for cut in (-20, -len(content.splitlines(keepends=True)[-1])):
        file.write_bytes(content[:cut])
        _commit(feed, "q", 0, batches)
        records = _records(feed)
        last = max(number for number, each in enumerate(records) if "head" in each)
        assert sum("change" in each for each in records[last:]) == whole
        for path in feed.iterdir():
            path.unlink()
        file.write_bytes(content)


def test_another_query_begins_anew(tmp_path: Path) -> None:
    batches, feed = _batches(), tmp_path / "feed"
    _commit(feed, "q", 0, batches)
    _commit(feed, "another", 0, batches)
    heads = [each["head"] for each in _records(feed) if "head" in each]
    found = [(head["run"], head["open"]) for head in heads if isinstance(head, dict)]
    assert found == [("q", []), ("another", [])]


def test_what_is_no_feed_is_refused(tmp_path: Path) -> None:
    for options, words in (
        ({}, "the folder of the feed is missing"),
        ({"fed": "x"}, "no option fed. Did you mean feed"),
    ):
        with pytest.raises(DataError, match=words):
            source(options).streamWriter(SCHEMA, overwrite=False)
    rows = type(SCHEMA)(SCHEMA.fields[2:])
    with pytest.raises(DataError, match="there is no column `query`"):
        source({"feed": str(tmp_path)}).streamWriter(rows, overwrite=False)
    with pytest.raises(UnsupportedError, match="write it as Parquet"):
        source({"feed": str(tmp_path)}).writer(SCHEMA, overwrite=False)


def test_sessions_that_cannot_have_it_are_refused() -> None:
    with pytest.raises(UnsupportedError, match="and the format antelog needs"):
        register_source(cast("SparkSession", SimpleNamespace(version="4.0.2", dataSource=None)))
    with pytest.raises(ArgumentError, match="spark is None"):
        register_source(None)  # type: ignore[arg-type]  # what this is about


@pytest.mark.filterwarnings("ignore:the program runs as one bucket:UserWarning")
@pytest.mark.parametrize("name", ["orders", pytest.param("fleet", marks=pytest.mark.long)])
def test_a_stream_of_changes_is_written_to_a_feed(spark: SparkSession, name: str, tmp_path: Path) -> None:
    register_source(spark)
    compare_feed(spark, cases.example(name), tmp_path)


def test_reading_says_what_to_use_instead() -> None:
    read = source({})
    for how in (read.schema, read.reader, read.streamReader):
        with pytest.raises(UnsupportedError, match="antelog writes and does not read: use antelog"):
            how(SCHEMA)
