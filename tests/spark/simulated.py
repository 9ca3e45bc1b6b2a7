"""Spark without Spark: the functions it would call, called in its stead, in this process."""

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import pyarrow as pa
from pyspark.sql import Row

from antelog.spark.bucket.packing import PACKED
from antelog.spark.bucket.packing import packed as packets_of
from antelog.spark.bucket.processor import BucketProcessor
from antelog.spark.bucket.state import CHANGES, COUNTED, OUTPUT, REJECTED, ender, reasoner
from antelog.spark.bucket.stream import remembered
from antelog.spark.bucket.unpacking import columns_of, message_reader, reject_reader, unpacked
from antelog.spark.job.job import Job

Frames = Mapping[str, pa.Table]


class _Value:
    def __init__(self) -> None:
        self._content: tuple[Any, ...] | None = None

    def get(self) -> tuple[Any, ...] | None:
        return self._content

    def update(self, content: tuple[Any, ...]) -> None:
        self._content = content


class _List:
    def __init__(self) -> None:
        self._content: list[tuple[Any, ...]] = []

    def get(self) -> Iterator[tuple[Any, ...]]:
        return iter(self._content)

    def put(self, content: list[tuple[Any, ...]]) -> None:
        self._content = list(content)

    def appendList(self, content: list[tuple[Any, ...]]) -> None:  # noqa: N802 - Spark's name
        self._content = [*self._content, *content]


@dataclass
class _Store:
    """What Spark keeps for one bucket."""

    values: dict[str, Any] = field(default_factory=dict)
    timers: set[int] = field(default_factory=set)

    def getValueState(self, name: str, _: object) -> Any:  # noqa: N802 - Spark's name
        return self.values.setdefault(name, _Value())

    def getListState(self, name: str, _: object) -> Any:  # noqa: N802 - Spark's name
        return self.values.setdefault(name, _List())

    def registerTimer(self, at: int) -> None:  # noqa: N802 - Spark's name
        self.timers.add(at)

    def deleteTimer(self, at: int) -> None:  # noqa: N802 - Spark's name
        self.timers.remove(at)

    def listTimers(self) -> Iterator[int]:  # noqa: N802 - Spark's name
        return iter(self.timers)


@dataclass(frozen=True)
class _Times:
    wall: int

    def getCurrentProcessingTimeInMs(self) -> int:  # noqa: N802 - Spark's name
        return self.wall


@dataclass(frozen=True, eq=False)
class Seen:
    """What a run gives: rows as dicts."""

    changes: list[dict[str, Any]]
    rejects: list[dict[str, Any]]
    counts: list[dict[str, Any]]


class Stream:
    """A stream's buckets, micro-batch by micro-batch."""

    def __init__(self, job: Job, chance: random.Random) -> None:
        self._job, self._chance = job, chance
        self._stores = {number: _Store() for number in job.numbers}

    def continue_as(self, job: Job) -> None:
        self._job = job

    def stored(self, number: int) -> tuple[bytes, list[bytes]]:
        """What is kept of a bucket: its head, and the parts."""
        values = self._stores[number].values
        return values["head"].get()[0], [part for (part,) in values["parts"].get()]

    def store(self, number: int, head: bytes, parts: Sequence[bytes]) -> None:
        """Puts this in the place of what is kept of a bucket, and lets the worker forget it."""
        remembered.clear()
        values = self._stores[number].values
        values["head"].update((head,))
        values["parts"].put([(part,) for part in parts])

    def batch(self, frames: Frames, wall: int = -1) -> Seen:
        """A micro-batch that begins at some time of the wall clock, in milliseconds."""
        reported = []
        packed = dealt(self._job, frames, self._chance)
        for number, store in self._stores.items():
            if self._chance.random() < 0.5:
                remembered.clear()
            keeper = BucketProcessor(self._job)
            keeper.init(cast(Any, store))  # as much of a handle as the keeper needs
            rows = [Row(**line) for line in packed if line["bucket"] == number]
            if rows:
                reported += list(keeper.handleInputRows((number,), iter(rows), _Times(wall)))
            for at in sorted(timer for timer in store.timers if timer <= wall):
                times = _Times(wall)
                reported += keeper.handleExpiredTimer(key=(number,), timerValues=times, expiredTimerInfo=None)
                store.timers.discard(at)
        return seen(self._job, [row.asDict() for row in reported])


def run_batch(job: Job, frames: Frames, chance: random.Random, *, answers: bool = False) -> Seen:
    """All rows at once; in any order, and where buckets have to agree on the end, they are asked first."""
    packed = [*dealt(job, frames, chance), *_to_everyone(job, {})]
    if job.ends_together and not answers:
        ends = [row["end"] for row in _each(job, packed, ender(job))]
        packed += _to_everyone(job, {"end": max(ends)})
        chance.shuffle(packed)
    return seen(job, _each(job, packed, reasoner(job, answers)))


def messages_of(job: Job, frames: Frames) -> list[dict[str, Any]]:
    """The messages that a topic gets of a batch whose end is given."""
    packed = [*dealt(job, frames, random.Random(0)), *_to_everyone(job, {})]
    reported = _each(job, packed, reasoner(job, False))
    return _rows(message_reader(job, _batches(reported, CHANGES, ["query", "payload"])))


def _to_everyone(job: Job, row: dict[str, Any]) -> list[dict[str, Any]]:
    return [dict.fromkeys(PACKED.names) | row | {"bucket": number} for number in job.numbers]


def _each(
    job: Job, packed: Sequence[dict[str, Any]], run: Callable[[pa.Table], pa.Table]
) -> list[dict[str, Any]]:
    reported: list[dict[str, Any]] = []
    for number in job.numbers:
        rows = [line for line in packed if line["bucket"] == number]
        reported += run(pa.Table.from_pylist(rows, PACKED)).to_pylist()
    return reported


def dealt(job: Job, frames: Frames, chance: random.Random) -> list[dict[str, Any]]:
    """The rows of frames, dealt to tasks in any order, and packed by them."""
    packed = []
    for name, table in frames.items():
        order = list(range(table.num_rows))
        chance.shuffle(order)
        shuffled = table.take(pa.array(order, pa.int64()))
        for task in range(3):
            own = shuffled.take(pa.array(range(task, table.num_rows, 3), pa.int64()))
            batches = own.to_batches(max_chunksize=2)
            for batch in packets_of(job, name, iter(batches)):
                packed += batch.to_pylist()
    chance.shuffle(packed)
    return packed


def seen(job: Job, reported: Sequence[dict[str, Any]]) -> Seen:
    changes = unpacked(job, columns_of(job), _batches(reported, CHANGES, ["query", "payload"]))
    rejects = reject_reader(_batches(reported, REJECTED, ["payload"]))
    return Seen(_rows(changes), _rows(rejects), [line for line in reported if line["what"] == COUNTED])


def _batches(reported: Iterable[dict[str, Any]], what: str, names: list[str]) -> Iterator[pa.RecordBatch]:
    table = pa.Table.from_pylist([line for line in reported if line["what"] == what], OUTPUT)
    return iter(table.select(names).to_batches())


def _rows(batches: Iterator[pa.RecordBatch]) -> list[dict[str, Any]]:
    return [row for batch in batches for row in batch.to_pylist()]
