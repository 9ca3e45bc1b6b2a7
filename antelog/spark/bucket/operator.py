"""Spark's stateful operator, which keeps the buckets of a stream.

Spark asks it for the shape of its state first, in a Python started for that. There nothing is computed, so
what computes is imported, and the job unpacked, when there is something to do.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any

from pyspark.sql import Row
from pyspark.sql.streaming.stateful_processor import StatefulProcessor, StatefulProcessorHandle
from pyspark.sql.types import BinaryType, StructField, StructType

from antelog.spark import workers

if TYPE_CHECKING:
    from antelog.spark.bucket.keeping import Kept
    from antelog.spark.job.job import Job

_BYTES = StructType([StructField("content", BinaryType())])


class Keeper(StatefulProcessor):
    """Runs the buckets of a stream. The state is one value, the head, and a list: a snapshot and more."""

    def __init__(self, job: Job) -> None:
        self._job = pickle.dumps(job)

    def init(self, handle: StatefulProcessorHandle) -> None:
        workers.spare()
        self._handle = handle
        self._head = handle.getValueState("head", _BYTES)
        self._parts = handle.getListState("parts", _BYTES)

    # The names of the methods and their arguments are Spark's, which calls them by keyword.
    def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:  # noqa: N802, N803
        return self._kept.with_rows(key[0], rows, 1000 * timerValues.getCurrentProcessingTimeInMs())

    def handleExpiredTimer(self, key: Any, timerValues: Any, expiredTimerInfo: Any) -> Iterator[Row]:  # noqa: ARG002, N802, N803
        return self._kept.without_rows(key[0], 1000 * timerValues.getCurrentProcessingTimeInMs())

    def close(self) -> None:
        """Nothing is open."""

    @cached_property
    def _kept(self) -> Kept:
        from antelog.spark.bucket.keeping import Kept, unpacked  # noqa: PLC0415 - Spark's first question needs neither

        return Kept(unpacked(self._job), self._handle, self._head, self._parts)
