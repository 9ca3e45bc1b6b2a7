"""A bucket of a stream: the kernel moves it on, with the state that Spark keeps for it."""

from __future__ import annotations

import os
import pickle
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import msgspec
from pyspark.sql import Row
from pyspark.sql.streaming.stateful_processor import StatefulProcessorHandle

from antelog.accounts import Counts
from antelog.run.clock import Showing, alarm, shown
from antelog.spark.bucket import caching
from antelog.spark.bucket.standing import (
    Arrived,
    Standing,
    advance,
    arriving,
    beginning_of,
    begun,
    counted,
    start,
)
from antelog.spark.bucket.storing import (
    Head,
    Moment,
    appendix,
    head_from,
    head_to_bytes,
    is_due,
    snapshot,
    standing_from,
)
from antelog.spark.bucket.telling import lines
from antelog.spark.job.job import Job
from antelog.spark.transport.receiving import PACKED_NAMES, Received, received

_SILENCE = Received(None, None, None, {}, (), Counts())


@lru_cache(maxsize=8)
def unpacked(pickled: bytes) -> Job:
    """The job of a keeper: one object for all tasks of a worker, as it remembers what it has worked out."""
    job: Job = pickle.loads(pickled)
    return job


@dataclass(frozen=True, eq=False)
class Kept:
    """What Spark keeps of the bucket it is busy with: the head, and a list, of a snapshot and more."""

    job: Job
    handle: StatefulProcessorHandle
    head: Any
    parts: Any

    def with_rows(self, number: int, rows: Iterator[Row], wall: int) -> Iterator[Row]:
        """A bucket's part of a micro-batch that began at `wall`, in microseconds."""
        return self._run(number, received(tuple(row[name] for name in PACKED_NAMES) for row in rows), wall)

    def without_rows(self, number: int, wall: int) -> Iterator[Row]:
        """The same when the alarm has gone off."""
        return self._run(number, _SILENCE, wall)

    def _run(self, number: int, new: Received, wall: int) -> Iterator[Row]:
        job = self.job
        head, standing = self._load(number)
        before = head.moment
        highest = before.highest if new.reading is None else max(before.highest, new.reading)
        heard = before.heard if new is _SILENCE else wall
        showing = Showing(heard, wall)
        tick = shown(job.timing, highest, showing)
        latest = tick if job.timing.clock == "processing" else None
        standing = begun(job, standing, beginning_of(standing, new.earliest, latest))
        arrived = {name: arriving(job, name, t, standing.now, latest) for name, t in new.facts.items()}
        moved, told = advance(job, standing, arrived, tick - job.timing.lag, number)
        at = alarm(job.timing, showing)
        timer = None if at is None else -(-at // 1000)
        self._set_alarm(before.alarm, timer)
        head = msgspec.structs.replace(
            head,
            version=os.urandom(12),
            identity=job.identity,
            moment=Moment(moved.now, highest, heard, timer, moved.state.begin),
            open=moved.open,
        )
        head = self._store(head, moved, arrived)
        caching.remember(head.lineage, head.version, moved)
        for line in lines(number, moved, told, new, head.stored.size):
            yield Row(**line)

    def _load(self, number: int) -> tuple[Head, Standing]:
        stored = self.head.get()
        if stored is None:
            return Head.first(os.urandom(12), self.job.identity), start(self.job, number)
        head = head_from(bytes(stored[0]), self.job)
        known = caching.recall(head.lineage, head.version)
        if known is None:
            known = standing_from(self.job, number, head, [bytes(part[0]) for part in self.parts.get()])
        return head, counted(self.job, known, number)

    def _store(self, head: Head, standing: Standing, new: Mapping[str, Arrived]) -> Head:
        """Writes what has changed, and the head, which is returned as it was written."""
        fresh = {name: each.rows for name, each in new.items() if each.rows.num_rows}
        count = sum(table.num_rows for table in fresh.values())
        if is_due(standing, head.stored.appended, count):
            parts = snapshot(self.job, standing)
            self.parts.put([(part,) for part in parts])
            head = head.after(parts, standing.held, anew=True)
        elif fresh:
            parts = [appendix(name, table) for name, table in fresh.items()]
            self.parts.appendList([(part,) for part in parts])
            head = head.after(parts, head.stored.appended + count, anew=False)
        self.head.update((head_to_bytes(head),))
        return head

    def _set_alarm(self, old: int | None, new: int | None) -> None:
        if old != new:
            if old is not None and old in set(self.handle.listTimers()):
                self.handle.deleteTimer(old)
            if new is not None:
                self.handle.registerTimer(new)
