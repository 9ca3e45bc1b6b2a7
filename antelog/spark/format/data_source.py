"""The format `antelog` of Spark: a sink, which writes the changes of a stream to a feed.

register_source(spark)
changes.writeStream.format("antelog").option("feed", "malf.feed")
"""

from __future__ import annotations

import re
from typing import NoReturn

from pyspark.sql import SparkSession
from pyspark.sql.datasource import DataSource
from pyspark.sql.types import StructType

from antelog.errors import UnsupportedError
from antelog.given import ArgumentKind, check
from antelog.spark.format.feed_writer import FeedWriter
from antelog.spark.lost import explaining_lost_java
from antelog.spark.sql.partition import plain_errors

_OLDEST = (4, 1)
_SESSION = ArgumentKind("a SparkSession", lambda value: hasattr(value, "dataSource"))


@explaining_lost_java()
def register_source(spark: SparkSession) -> None:
    """Makes `changes.writeStream.format("antelog")` known to a session, also on Spark Connect."""
    check("register_source", {"spark": spark}, {"spark": _SESSION})
    version = tuple(int(number) for number in re.findall(r"\d+", spark.version)[:2])
    if version < _OLDEST:
        raise UnsupportedError(
            f"Spark is version {spark.version}, and the format antelog needs 4.1 or later. "
            "Take a newer one, or `antelog run --page`"
        )
    spark.dataSource.register(AntelogSource)


class AntelogSource(DataSource):
    """Makes the writer of a stream; methods and arguments have Spark's names."""

    @classmethod
    def name(cls) -> str:
        return "antelog"

    def schema(self) -> NoReturn:
        with plain_errors():
            raise UnsupportedError(
                "the format antelog writes and does not read: take antelog.spark.changes, a table function "
                "of SQL as antelog.spark.register makes it, or `antelog run`"
            )

    def reader(self, schema: StructType) -> NoReturn:  # noqa: ARG002 - Spark's name
        self.schema()

    def streamReader(self, schema: StructType) -> NoReturn:  # noqa: ARG002, N802 - likewise
        self.schema()

    def writer(self, schema: StructType, overwrite: bool) -> NoReturn:  # noqa: ARG002 - likewise
        with plain_errors():
            raise UnsupportedError(
                "what is written once needs no feed: write it as Parquet, and `antelog watch FOLDER` shows it"
            )

    def streamWriter(self, schema: StructType, overwrite: bool) -> FeedWriter:  # noqa: ARG002, N802 - likewise
        with plain_errors():
            return FeedWriter(self.options, schema)
