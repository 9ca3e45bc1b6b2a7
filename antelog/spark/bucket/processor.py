"""Spark's stateful operator, which runs the buckets of a stream; a process for the schema needs no kernel."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from pyspark.sql import Row
from pyspark.sql.streaming.stateful_processor import StatefulProcessor, StatefulProcessorHandle
from pyspark.sql.types import BinaryType, StructField, StructType

from antelog.spark.settings import spare

if TYPE_CHECKING:
    from antelog.spark.job.job import Job

_BYTES = StructType([StructField("content", BinaryType())])


class BucketProcessor(StatefulProcessor):
    def __init__(self, job: Job) -> None:
        self._job = pickle.dumps(job)

    def init(self, handle: StatefulProcessorHandle) -> None:
        spare()
        self._handle = handle
        self._head: Any = handle.getValueState("head", _BYTES)
        self._parts: Any = handle.getListState("parts", _BYTES)

    # The names of the methods and their arguments are Spark's, which calls them by keyword.
    def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:  # noqa: N802, N803
        from antelog.spark.bucket.stream import BucketStore, moved  # noqa: PLC0415 - not for the schema

        store = BucketStore(self._handle, self._head, self._parts)
        wall = 1000 * timerValues.getCurrentProcessingTimeInMs()
        return moved(pickle.loads(self._job), store, key[0], rows, wall)

    def handleExpiredTimer(self, key: Any, timerValues: Any, expiredTimerInfo: Any) -> Iterator[Row]:  # noqa: ARG002, N802, N803
        return self.handleInputRows(key, iter(()), timerValues)

    def close(self) -> None:
        """Does nothing: there is nothing to close."""
