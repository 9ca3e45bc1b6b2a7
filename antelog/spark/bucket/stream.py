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

from antelog.run.clock import Showing, alarm, shown
from antelog.spark.bucket.batch import lines
from antelog.spark.bucket.changing import changed
from antelog.spark.bucket.packing import PACKED_NAMES, received
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


@lru_cache(maxsize=8)
def unpacked(pickled: bytes) -> Job:
    """The job of a processor: one object, with its cached properties, for all tasks of a worker."""
    job: Job = pickle.loads(pickled)
    return job


@dataclass(frozen=True, eq=False)
class BucketStore:
    """Spark's store of the current bucket: a head, and a list of a snapshot and later rows."""

    handle: StatefulProcessorHandle
    head: Any
    parts: Any


def moved(job: Job, store: BucketStore, number: int, rows: Iterator[Row], wall: int) -> Iterator[Row]:
    """Runs a bucket over its rows of a micro-batch that began at `wall`, in microseconds.

    Without rows its timer has fired.
    """
    packets = [tuple(row[name] for name in PACKED_NAMES) for row in rows]
    new = received(packets)
    head, bucket, change = _load(store, job, number)
    before = head.time
    highest = before.highest if new.reading is None else max(before.highest, new.reading)
    heard = wall if packets else before.heard
    showing = Showing(heard, wall)
    tick = shown(job.timing, highest, showing)
    latest = tick if job.timing.clock == "processing" else None
    bucket = begun(job, bucket, beginning_of(bucket, new.earliest, latest))
    arrived = {name: arriving(job, name, t, bucket.now, latest) for name, t in new.facts.items()}
    bucket, output = advance(job, bucket, arrived, tick - job.timing.lag)
    at = alarm(job.timing, showing)
    timer = None if at is None else -(-at // 1000)
    if before.timer != timer:
        if before.timer is not None and before.timer in set(store.handle.listTimers()):
            store.handle.deleteTimer(before.timer)
        if timer is not None:
            store.handle.registerTimer(timer)
    head = msgspec.structs.replace(
        head,
        version=os.urandom(12),
        identity=job.identity,
        time=BucketTime(bucket.now, highest, heard, timer, bucket.kernel.begin),
        open=bucket.open,
    )
    if change is not None:
        output = change.and_then(output)
    # After a change all that was stored is of the rules of before: a snapshot takes its place.
    head = _stored(job, store, head, bucket, arrived, anew=change is not None)
    remember(head.lineage, head.version, bucket)
    for line in lines(bucket, output, new, head.stored.size):
        yield Row(**line)


def _load(store: BucketStore, job: Job, number: int) -> tuple[BucketHead, BucketState, BucketOutput | None]:
    """The head and the bucket that are stored, and the lines of a change of its rules, if there was one."""
    stored = store.head.get()
    if stored is None:
        return BucketHead(os.urandom(12), b"", job.identity), start(job, number), None
    head = head_from(bytes(stored[0]), job)
    before = None if head.identity == job.identity else job.predecessor(head.identity)
    known = recall(head.lineage, head.version)
    if known is None:
        parts = [bytes(part[0]) for part in store.parts.get()]
        known = bucket_from(before or job, number, head, parts)
    if before is None:
        return head, counted(job, known), None
    known, change = changed(job, before, known)
    return head, counted(job, known), change


def _stored(
    job: Job,
    store: BucketStore,
    head: BucketHead,
    bucket: BucketState,
    new: Mapping[str, DatedRows],
    *,
    anew: bool,
) -> BucketHead:
    """Writes the changes and the head, which is returned as it was written."""
    fresh = {name: each.rows for name, each in new.items() if each.rows.num_rows}
    count = sum(table.num_rows for table in fresh.values())
    if anew or is_due(bucket, head.stored.appended, count):
        parts = snapshot(job, bucket)
        store.parts.put([(part,) for part in parts])
        head = head.after(parts, bucket.held, anew=True)
    elif fresh:
        parts = [appendix(name, table) for name, table in fresh.items()]
        store.parts.appendList([(part,) for part in parts])
        head = head.after(parts, head.stored.appended + count, anew=False)
    store.head.update((head_to_bytes(head),))
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
    _known.clear()
