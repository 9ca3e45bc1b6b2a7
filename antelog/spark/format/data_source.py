"""The data source `antelog`: a program over files and topics, read by Spark's tasks without a session.

register_source(spark)
spark.read.format("antelog").option("input.Temp", "Temp.csv").load("malf.alog")
"""

from __future__ import annotations

import re

from pyspark import __version__
from pyspark.sql import SparkSession
from pyspark.sql.datasource import DataSource, DataSourceStreamReader, DataSourceWriter
from pyspark.sql.types import StructType

from antelog.errors import UnsupportedError
from antelog.given import ArgumentKind, check
from antelog.spark.format.batch_reader import BatchReader, SourceLines
from antelog.spark.format.feed_writer import FeedWriter
from antelog.spark.format.request import request_of
from antelog.spark.lost import explaining_lost_java
from antelog.spark.sql.partition import plain_errors

NAME = "antelog"
_OLDEST = (4, 1)
_SESSION = ArgumentKind("a SparkSession", lambda value: hasattr(value, "dataSource"))


@explaining_lost_java()
def register_source(spark: SparkSession) -> None:
    """Makes `spark.read.format("antelog")` known to a session, also on Spark Connect."""
    check("register_source", {"spark": spark}, {"spark": _SESSION})
    if version_of(spark) < _OLDEST:
        raise UnsupportedError(
            f"Spark is version {spark.version}, and the data source of antelog needs 4.1 or later. "
            "Take antelog.spark.changes for DataFrames"
        )
    spark.dataSource.register(AntelogSource)


def version_of(spark: SparkSession) -> tuple[int, ...]:
    """The first two numbers of the version of a session's Spark."""
    return tuple(int(number) for number in re.findall(r"\d+", spark.version)[:2])


class AntelogSource(DataSource):
    """Makes readers of the options that Spark hands over; methods and arguments have Spark's names."""

    @classmethod
    def name(cls) -> str:
        return NAME

    def schema(self) -> StructType:
        with plain_errors():
            return self._lines.schema

    def reader(self, schema: StructType) -> BatchReader:
        with plain_errors():
            return BatchReader(self._lines, schema)

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:  # noqa: N802 - Spark's name
        with plain_errors():
            try:
                from antelog.spark.format.stream_reader import StreamReader  # noqa: PLC0415 - needs 4.2
            except ImportError:
                raise UnsupportedError(
                    f"PySpark is version {__version__}, and streams of the data source need 4.2 or later. "
                    "Take antelog.spark.changes(program, {…: spark.readStream…})"
                ) from None
            return StreamReader(self._lines, schema)

    def writer(self, schema: StructType, overwrite: bool) -> DataSourceWriter:  # noqa: ARG002 - Spark's
        with plain_errors():
            raise UnsupportedError(
                "what is written once needs no feed: write it as Parquet, and `antelog watch FOLDER` shows it"
            )

    def streamWriter(self, schema: StructType, overwrite: bool) -> FeedWriter:  # noqa: ARG002, N802 - Spark's
        with plain_errors():
            return FeedWriter(self.options, schema)

    @property
    def _lines(self) -> SourceLines:
        return SourceLines(request_of(self.options))
