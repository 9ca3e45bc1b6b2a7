"""Runs a pipeline as a streaming query: starts, follows and stops it between two batches."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame
from pyspark.sql.streaming.query import StreamingQuery

from antelog.spark.endpoints.folders import file_system, unfinished_batch
from antelog.spark.endpoints.sinks import MicroBatch
from antelog.spark.failures import Unreadable, plainly, unreadable
from antelog.spark.running import Outputs
from antelog.spark.settings import COUNTS, LOCAL_CHECKPOINT

Counts: TypeAlias = dict[str, Any]
"""Whole numbers or None by the names of `COUNTS`."""

_WAITING = {"maxOffsetsBehindLatest": "messages", "numFilesOutstanding": "files"}
"""Metrics of Spark's sources that count what no batch has read yet."""
_BUSY = "Python worker failed to connect back"
"""Spark's message if a stream's Python takes more than ten seconds to start, which no setting changes."""
_ATTEMPTS = 5
"""The most starts of a query that brings forth no batch."""
_PAUSE = 0.2
"""Seconds between two looks at a query."""
_TRIGGERS: dict[str | None, dict[str, Any]] = {
    None: {"processingTime": "0 seconds"},  # as soon as possible
    "once": {"once": True},
    "available-now": {"availableNow": True},
}


@dataclass(frozen=True)
class Progress:
    """A finished micro-batch; `waiting` has the numbers of messages and files that sources still had."""

    number: int
    seconds: float
    waiting: dict[str, int]
    counts: Counts


@dataclass(eq=False)
class StreamRun:
    """A running query.

    start       starts it where its checkpoint ends
    counts      those of batches that are not reported yet
    failures    errors of writing results
    leave_out   has the next start leave out a file that cannot be read
    """

    start: Callable[[], StreamingQuery]
    counts: dict[int, Counts] = field(default_factory=dict)
    failures: list[Exception] = field(default_factory=list)
    leave_out: Callable[[Unreadable], None] | None = None

    def __post_init__(self) -> None:
        self.query = self.start()
        self._attempts = 1
        self._failed: Counter[str] = Counter()

    def progress(self, stop: Callable[[], bool]) -> Iterator[Progress]:
        """Reports batches as they are finished, until the query ends or `stop` returns true.

        Raises DataError if the query failed, or the error of writing its results.
        """
        while not stop() and (self.query.isActive or self._starts_again()):
            time.sleep(_PAUSE)
            yield from self.rest()
        if self.query.isActive:
            return
        yield from self.rest()
        if self.failures:
            raise self.failures[0]
        with plainly():
            failed = self.query.exception()
            if failed is not None:
                raise failed

    def rest(self) -> Iterator[Progress]:
        """Reports the finished batches that were not reported yet."""
        for done in self.query.recentProgress:
            counts = self.counts.pop(done["batchId"], None)
            if counts is None:
                continue
            self._attempts = 0
            waiting: Counter[str] = Counter()
            for metrics in (source["metrics"] or {} for source in done["sources"]):
                for name, what in _WAITING.items():
                    waiting[what] += int(float(metrics.get(name) or 0))
            seconds = (done["durationMs"] or {}).get("triggerExecution", 0) / 1000
            yield Progress(done["batchId"], seconds, dict(+waiting), counts)

    def _starts_again(self) -> bool:
        """Restarts the query if it failed on a file, or because the machine was too busy to start it."""
        failed = self.failures[0] if self.failures else self.query.exception()
        if failed is None:
            return False
        file = unreadable(failed)
        if file is not None:
            if not self._goes_on_without(file):
                return False
        elif self.failures or _BUSY not in str(failed) or self._attempts >= _ATTEMPTS:
            return False
        else:
            self._attempts += 1
        self.failures.clear()
        self.query = self.start()
        return True

    def _goes_on_without(self, file: Unreadable) -> bool:
        """Leaves out a file that is damaged, if it came through a network only at its second failure."""
        if self.leave_out is None or not file.damaged:
            return False
        self._failed[file.file] += 1
        enough = 1 if file.is_local else 2
        if self._failed[file.file] == enough:
            self.leave_out(file)
        return self._failed[file.file] <= enough

    def stop(self, patience: float) -> None:
        """Stops between two batches; after `patience` seconds within one, which then comes again."""
        end = time.monotonic() + patience
        while self.query.isActive and self.query.status["isTriggerActive"] and time.monotonic() < end:
            time.sleep(_PAUSE / 4)
        # A query that fails while it is stopped leaves nothing that a restart does not repeat.
        with suppress(PySparkException):
            self.query.stop()


def follow(
    outputs: Outputs,
    write: Callable[[Outputs, MicroBatch, Counts], None],
    *,
    checkpoint: str,
    trigger: str | None,
    anew: Callable[[Collection[str]], Outputs] | None = None,
) -> StreamRun:
    """Starts a query that writes the outputs of each micro-batch.

    trigger     `once`, `available-now`, the time between two batches in Spark's syntax, or None: no pause
    anew        makes the outputs without some files, as Spark names them: the query goes on without files
    that
                cannot be read, and has them in the batch that they belong to
    """
    spark = outputs.frame.sparkSession
    system, _ = file_system(spark, checkpoint)
    if system.getScheme() == "file":
        for name, value in LOCAL_CHECKPOINT.items():
            if spark.conf.get(name, None) is None:
                spark.conf.set(name, value)
    counts: dict[int, Counts] = {}
    failures: list[Exception] = []
    left_out: list[Unreadable] = []
    reported: dict[str, int] = {}

    def start() -> StreamingQuery:
        again = unfinished_batch(spark, checkpoint)
        now = anew({file.file for file in left_out}) if anew is not None and left_out else outputs

        def each(frame: DataFrame, number: int) -> None:
            run = frame.sparkSession.sparkContext.getLocalProperty("sql.streaming.queryId")
            begun = again[1] if again is not None and again[0] == number else None
            frame.persist()
            try:
                seen = now.of(frame)
                found = totals(seen)
                # The batch that failed for a file is the next one, and comes again if it is interrupted.
                lost = tuple(file for file in left_out if reported.setdefault(file.file, number) == number)
                write(seen, MicroBatch(str(run), number, begun, lost), found)
                counts[number] = found
            except Exception as error:
                failures.append(error)
                raise
            finally:
                frame.unpersist()

        writer = now.frame.writeStream.foreachBatch(each).option("checkpointLocation", checkpoint)
        with plainly():
            return writer.trigger(**_TRIGGERS.get(trigger, {"processingTime": trigger})).start()

    return StreamRun(start, counts, failures, None if anew is None else left_out.append)


def totals(outputs: Outputs) -> Counts:
    """The counts of all buckets together, added here, as Spark would need a shuffle for a few rows."""
    rows = outputs.counts.collect()
    known = {name: [row[name] for row in rows if row[name] is not None] for name in COUNTS}
    return {
        name: (max if name == "now" else sum)(numbers) if numbers else None for name, numbers in known.items()
    }
