"""A bucket of a stream: Spark's stateful operator keeps it, the kernel moves it on."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
from pyspark.sql import Row
from pyspark.sql.streaming.stateful_processor import StatefulProcessor, StatefulProcessorHandle
from pyspark.sql.types import BinaryType, StructField, StructType

from antelog.spark import caching, workers
from antelog.spark.clocks import next_alarm, tick_on_clock
from antelog.spark.job import Job
from antelog.spark.receiving import PACKED_NAMES, Received, received
from antelog.spark.standing import Arrived, Standing, advance, arriving, counted, start
from antelog.spark.storing import Head, appendix, head_from, head_to_bytes, is_due, snapshot, standing_from
from antelog.spark.telling import lines

_BYTES = StructType([StructField("content", BinaryType())])
_SILENCE = Received(None, {}, 0, ())


class Keeper(StatefulProcessor):
    """Runs the buckets of a stream. The state is one value, the head, and a list: a snapshot and more."""

    def __init__(self, job: Job) -> None:
        self._job = job

    def init(self, handle: StatefulProcessorHandle) -> None:
        workers.spare()
        self._handle = handle
        self._head = handle.getValueState("head", _BYTES)
        self._parts = handle.getListState("parts", _BYTES)

    # The names of the methods and their arguments are Spark's, which calls them by keyword.
    def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:  # noqa: N802, N803
        new = received(tuple(row[name] for name in PACKED_NAMES) for row in rows)
        return self._run(key[0], new, timerValues.getCurrentProcessingTimeInMs())

    def handleExpiredTimer(self, key: Any, timerValues: Any, expiredTimerInfo: Any) -> Iterator[Row]:  # noqa: ARG002, N802, N803
        return self._run(key[0], _SILENCE, timerValues.getCurrentProcessingTimeInMs())

    def close(self) -> None:
        """Nothing is open."""

    def _run(self, number: int, new: Received, wall: int) -> Iterator[Row]:
        """A bucket's part of a micro-batch that began at `wall`, in milliseconds."""
        job = self._job
        head, standing = self._load(number)
        highest = head.highest if new.reading is None else max(head.highest, new.reading)
        heard = head.heard if new is _SILENCE else wall
        tick = tick_on_clock(job, highest, heard, wall)
        latest = tick if job.clock == "processing" else None
        arrived = {name: arriving(job, name, t, standing.now, latest) for name, t in new.facts.items()}
        moved, told = advance(job, standing, arrived, tick - job.lag, number)
        alarm = next_alarm(job, heard, wall)
        self._set_alarm(head.alarm, alarm)
        head = msgspec.structs.replace(
            head,
            version=os.urandom(12),
            now=moved.now,
            highest=highest,
            heard=heard,
            alarm=alarm,
            identity=job.identity,
            open=moved.open,
        )
        head = self._store(head, moved, arrived)
        caching.remember(head.lineage, head.version, moved)
        for line in lines(number, moved, told, new, head.size):
            yield Row(**line)

    def _load(self, number: int) -> tuple[Head, Standing]:
        stored = self._head.get()
        if stored is None:
            return Head.first(os.urandom(12), self._job.identity), start(self._job)
        head = head_from(bytes(stored[0]), self._job)
        known = caching.recall(head.lineage, head.version)
        if known is None:
            known = standing_from(self._job, head, [bytes(part[0]) for part in self._parts.get()])
        return head, counted(self._job, known, number)

    def _store(self, head: Head, standing: Standing, new: Mapping[str, Arrived]) -> Head:
        """Writes what has changed, and the head, which is returned as it was written."""
        fresh = {name: each.rows for name, each in new.items() if each.rows.num_rows}
        count = sum(table.num_rows for table in fresh.values())
        if is_due(standing, head.appended, count):
            parts = snapshot(self._job, standing)
            self._parts.put([(part,) for part in parts])
            head = head.after(parts, standing.held, anew=True)
        elif fresh:
            parts = [appendix(name, table) for name, table in fresh.items()]
            self._parts.appendList([(part,) for part in parts])
            head = head.after(parts, head.appended + count, anew=False)
        self._head.update((head_to_bytes(head),))
        return head

    def _set_alarm(self, old: int | None, new: int | None) -> None:
        if old != new:
            if old is not None and old in set(self._handle.listTimers()):
                self._handle.deleteTimer(old)
            if new is not None:
                self._handle.registerTimer(new)
