"""Runs a bucket of a stream for a micro-batch: reads its state from Spark's store, advances and stores it."""

from __future__ import annotations

import os
import pickle
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import msgspec
from pyspark.sql import Row
from pyspark.sql.streaming.stateful_processor import StatefulProcessorHandle

from antelog.accounts import Counts
from antelog.run.clock import Showing, alarm, shown
from antelog.spark.bucket.batch import lines
from antelog.spark.bucket.changing import changed
from antelog.spark.bucket.state import (
    BucketOutput,
    BucketState,
    DatedRows,
    advance,
    arriving,
    beginning_of,
    begun,
    counted,
    start,
)
from antelog.spark.bucket.storage import (
    BucketHead,
    BucketTime,
    appendix,
    bucket_from,
    head_from,
    head_to_bytes,
    is_due,
    snapshot,
)
from antelog.spark.job.job import Job
from antelog.spark.transport.packing import PACKED_NAMES, Received, received

_SILENCE = Received(None, None, None, {}, (), Counts())


@lru_cache(maxsize=8)
def unpacked(pickled: bytes) -> Job:
    """The job of a processor: one object, with its cached properties, for all tasks of a worker."""
    job: Job = pickle.loads(pickled)
    return job


@dataclass(frozen=True, eq=False)
class LoadedBucket:
    """The head and the bucket that are stored, and the lines of a change of its rules, if there was one."""

    head: BucketHead
    bucket: BucketState
    change: BucketOutput | None = None


@dataclass(frozen=True, eq=False)
class StreamBucket:
    """The store of the current bucket: a head, and a list of a snapshot and later rows."""

    job: Job
    handle: StatefulProcessorHandle
    head: Any
    parts: Any

    def with_rows(self, number: int, rows: Iterator[Row], wall: int) -> Iterator[Row]:
        """Runs a bucket over its rows of a micro-batch that began at `wall`, in microseconds."""
        return self._run(number, received(tuple(row[name] for name in PACKED_NAMES) for row in rows), wall)

    def without_rows(self, number: int, wall: int) -> Iterator[Row]:
        """Runs a bucket whose timer has fired."""
        return self._run(number, _SILENCE, wall)

    def _run(self, number: int, new: Received, wall: int) -> Iterator[Row]:
        job = self.job
        loaded = self._load(number)
        head, bucket = loaded.head, loaded.bucket
        before = head.time
        highest = before.highest if new.reading is None else max(before.highest, new.reading)
        heard = before.heard if new is _SILENCE else wall
        showing = Showing(heard, wall)
        tick = shown(job.timing, highest, showing)
        latest = tick if job.timing.clock == "processing" else None
        bucket = begun(job, bucket, beginning_of(bucket, new.earliest, latest))
        arrived = {name: arriving(job, name, t, bucket.now, latest) for name, t in new.facts.items()}
        moved, output = advance(job, bucket, arrived, tick - job.timing.lag)
        at = alarm(job.timing, showing)
        timer = None if at is None else -(-at // 1000)
        if before.timer != timer:
            if before.timer is not None and before.timer in set(self.handle.listTimers()):
                self.handle.deleteTimer(before.timer)
            if timer is not None:
                self.handle.registerTimer(timer)
        head = msgspec.structs.replace(
            head,
            version=os.urandom(12),
            identity=job.identity,
            time=BucketTime(moved.now, highest, heard, timer, moved.kernel.begin),
            open=moved.open,
        )
        if loaded.change is not None:
            output = loaded.change.and_then(output)
        head = self._store(head, moved, arrived, anew=loaded.change is not None)
        remember(head.lineage, head.version, moved)
        for line in lines(moved, output, new, head.stored.size):
            yield Row(**line)

    def _load(self, number: int) -> LoadedBucket:
        stored = self.head.get()
        if stored is None:
            head = BucketHead(os.urandom(12), b"", self.job.identity)
            return LoadedBucket(head, start(self.job, number))
        head = head_from(bytes(stored[0]), self.job)
        before = None if head.identity == self.job.identity else self.job.predecessor(head.identity)
        known = recall(head.lineage, head.version)
        if known is None:
            parts = [bytes(part[0]) for part in self.parts.get()]
            known = bucket_from(before or self.job, number, head, parts)
        if before is None:
            return LoadedBucket(head, counted(self.job, known))
        known, lines_of_change = changed(self.job, before, known)
        # All that was stored is of the rules of before: a snapshot takes its place.
        return LoadedBucket(head, counted(self.job, known), lines_of_change)

    def _store(
        self, head: BucketHead, bucket: BucketState, new: Mapping[str, DatedRows], *, anew: bool
    ) -> BucketHead:
        """Writes the changes and the head, which is returned as it was written."""
        fresh = {name: each.rows for name, each in new.items() if each.rows.num_rows}
        count = sum(table.num_rows for table in fresh.values())
        if anew or is_due(bucket, head.stored.appended, count):
            parts = snapshot(self.job, bucket)
            self.parts.put([(part,) for part in parts])
            head = head.after(parts, bucket.held, anew=True)
        elif fresh:
            parts = [appendix(name, table) for name, table in fresh.items()]
            self.parts.appendList([(part,) for part in parts])
            head = head.after(parts, head.stored.appended + count, anew=False)
        self.head.update((head_to_bytes(head),))
        return head


# ---- what a worker remembers ----

# Spark may send a bucket to another worker in each micro-batch, and may run a micro-batch again. So a
# bucket in memory counts only if it has the very version that is in Spark's store.

_LIMIT = 256
"""The most buckets that a worker remembers."""

_known: OrderedDict[bytes, tuple[bytes, BucketState]] = OrderedDict()


def recall(lineage: bytes, version: bytes) -> BucketState | None:
    """The bucket of this lineage and version, if it is in the worker's memory."""
    known = _known.get(lineage)
    return known[1] if known is not None and known[0] == version else None


def remember(lineage: bytes, version: bytes, bucket: BucketState) -> None:
    _known[lineage] = (version, bucket)
    _known.move_to_end(lineage)
    while len(_known) > _LIMIT:
        _known.popitem(last=False)


def forget() -> None:
    """Removes all buckets from memory."""
    _known.clear()
