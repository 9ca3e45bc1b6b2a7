"""A session of a user's own, made fit for streams before one starts.

A stream keeps its state in Spark's RocksDB store, and the setting that says so is read when a query
starts. If nobody has said anything else, it is set here; if somebody has, that is refused in a sentence
rather than by Spark, in its own words, when the first facts come.
"""

from __future__ import annotations

from pyspark.sql import SparkSession

from antelog.errors import UnsupportedError
from antelog.spark.settings import SETTINGS

PROVIDER = "spark.sql.streaming.stateStore.providerClass"


def prepare_for_streams(spark: SparkSession) -> None:
    """Sets RocksDB as the store of states. Raises UnsupportedError if another one was chosen."""
    chosen = spark.conf.get(PROVIDER, None)
    if chosen is None:
        spark.conf.set(PROVIDER, SETTINGS[PROVIDER])
    elif not chosen.endswith("RocksDBStateStoreProvider"):
        raise UnsupportedError(
            f"this session keeps states of streams in {chosen.rpartition('.')[2]}, and antelog needs "
            f"RocksDB: leave {PROVIDER} out, or set it as antelog.spark.SETTINGS has it"
        )
