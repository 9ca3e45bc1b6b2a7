"""What everything on Spark shares: a session on this machine, and streams from and to Parquet files."""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

from antelog.spark import BUCKETS, LOCAL_CHECKPOINT
from antelog.spark.pipeline.configuration import settings_of
from antelog.spark.pipeline.session import session
from benchmarks.compare.folder import Folder
from benchmarks.compare.systems import CORES, MEMORY


def started() -> AbstractContextManager[SparkSession]:
    """As `antelog run` makes it, with as many shuffle partitions as cores, and memory as all others have."""
    conf = {**LOCAL_CHECKPOINT, "spark.driver.memory": MEMORY}
    return session("comparison", settings_of([], buckets=BUCKETS, master=f"local[{CORES}]", conf=conf))


def stream(spark: SparkSession, folder: Folder) -> DataFrame:
    """The batches, one in each micro-batch."""
    path = str(folder.path / "batches")
    schema = spark.read.parquet(path).schema
    return spark.readStream.schema(schema).option("maxFilesPerTrigger", 1).parquet(path)


def follow(frame: DataFrame, out: Path) -> None:
    writer = frame.writeStream.format("parquet").option("checkpointLocation", f"{out}-checkpoint")
    writer.trigger(availableNow=True).start(str(out)).awaitTermination()
