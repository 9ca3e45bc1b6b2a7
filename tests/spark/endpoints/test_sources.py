"""antelog/spark/endpoints/sources.py: sources that are not there, and tables by their names."""

from __future__ import annotations

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession

from antelog import AntelogError, parse
from antelog.cli.run.columns import Wish, reading_of
from antelog.language.epochs import TICKLESS
from antelog.run.address import Table, TableForm
from antelog.spark.endpoints.columns import Kind
from antelog.spark.endpoints.endpoints import SOURCES, Source
from antelog.spark.endpoints.failures import plainly
from antelog.spark.endpoints.sinks import require
from antelog.spark.endpoints.sources import Reading
from antelog.spark.endpoints.sources import frame as read

RULES = "input Temp(x: text, time). Hot(X, T) :- Temp(X, T), Temp(X, T+{}). query Hot(X, T)."
ONE, TWO = parse(RULES.format(1)), parse(RULES.format(2))


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("gone.csv", "gone.csv"),
        ("json:gone/*.x", "gone"),
        ("parquet:gone", "gone"),
        ("jdbc:h2:mem:x#t", r"Spark has no org.h2.Driver; bring the jar"),
        ("delta:table", "Delta tables need Delta's jar"),
        ("iceberg:catalog.table", "Iceberg tables need Iceberg's jar"),
    ],
)
def test_sources_that_are_not_there(spark: SparkSession, source: str, why: str) -> None:
    with pytest.raises(AntelogError, match=why):
        _look_at(spark, SOURCES.read(source))


def _look_at(spark: SparkSession, source: Source) -> None:
    """What `antelog run` does with a source before it reads it."""
    with plainly():
        require(spark, [source])
        reading_of(spark, ONE.plan, Wish("Temp", source, {}))


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("form", ["delta", "iceberg"])
def test_a_table_is_found_by_its_name(spark: SparkSession, form: TableForm, stream: bool) -> None:
    frame = spark.readStream.format("rate").load() if stream else spark.range(1)
    frame.createOrReplaceTempView("known")
    columns = {name: name for name in frame.columns}
    kinds: dict[str, Kind] = dict.fromkeys(columns, "number")
    found = read(spark, Reading(Table(form, "known"), columns, kinds, TICKLESS), stream=stream)
    with pytest.raises(AnalysisException, match="`unknown` cannot be found"):
        read(spark, Reading(Table(form, "unknown"), columns, kinds, TICKLESS), stream=stream)
    assert found.columns == frame.columns
    assert found.isStreaming == stream
