"""antelog/spark/format: a stream of changes becomes a feed, and nothing is read, on a real Spark."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from antelog.spark import register_source
from tests.run import cases
from tests.spark.format.comparing import compare_feed

pytestmark = pytest.mark.filterwarnings("ignore:the program runs as one bucket:UserWarning")


@pytest.mark.parametrize("name", ["fleet", "orders"])
def test_a_stream_of_changes_is_written_to_a_feed(spark: SparkSession, name: str, tmp_path: Path) -> None:
    register_source(spark)
    compare_feed(spark, cases.example(name), tmp_path)


def test_reading_says_what_to_take_instead(spark: SparkSession) -> None:
    register_source(spark)
    for read in (
        lambda: spark.read.format("antelog").load("malf.alog"),
        lambda: spark.read.format("antelog").schema("x int").load("malf.alog").collect(),
        lambda: spark.readStream.format("antelog").load("malf.alog"),
        lambda: spark.sql("CREATE TEMPORARY VIEW malf USING antelog OPTIONS (program 'malf.alog')"),
    ):
        with pytest.raises(PySparkException) as caught:
            read()
        text = str(caught.value)
        assert "antelog.errors.UnsupportedError: the format antelog writes and does not read: take" in text
        assert "Traceback" not in text
