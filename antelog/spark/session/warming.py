"""What a short run needs of Java and Python, begun while Spark is still told what to run.

Spark starts Python when the first task needs it, and Java loads the classes of a job with the first one.
That takes a second, in which one of two processors has nothing to do. So a job over one row goes first.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from threading import Thread

import pyarrow as pa
from pyspark.sql import SparkSession


def warm(spark: SparkSession) -> Thread:
    """Runs a job that does nothing, beside whatever else is done; what becomes of it does not matter."""
    job = Thread(target=_run, args=(spark,), daemon=True)
    job.start()
    return job


def _run(spark: SparkSession) -> None:
    with suppress(Exception):
        spark.range(1).mapInArrow(_as_they_are, "id long").collect()


def _as_they_are(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    return batches
