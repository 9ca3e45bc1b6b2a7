"""A bucket in Spark's state store: a snapshot and the rows since.

A micro-batch appends its rows, or writes a new snapshot once that is smaller than the rows since the last
one. A worker without the bucket in memory reads the snapshot and the rows, and advances once.

The head is sealed (see `antelog.engine.sealed`), and has the digest of all parts, in their order.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import replace

import msgspec
import pyarrow as pa

from antelog.arrow.arrays import from_blob, to_blob
from antelog.engine import saving, sealed
from antelog.errors import StateError
from antelog.spark.bucket.state import BucketState, advance, arriving, begun, start
from antelog.spark.job.job import Job, WantedLines, differences

ROOM = 20_000
"""Rows that may be appended however small the snapshot is."""

SMALL = 500
"""Rows that are appended even if the snapshot has fewer: a snapshot is more work."""

MOST = 16 * 2**30
"""The most bytes a snapshot may unpack to; Spark keeps no value of over 2 GiB."""

_HEAD, _SNAPSHOT, _PARTS = (
    f"{what} the checkpoint keeps of a bucket" for what in ("the head", "the snapshot", "what")
)


class BucketTime(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The time of a bucket.

    now         the last finished tick
    highest     the highest tick on the clock so far
    heard       the time of the latest rows, in microseconds of the wall clock
    timer       the time of the timer, in milliseconds
    begin       the first tick, if time has begun
    """

    now: int = -1
    highest: int = -1
    heard: int = 0
    timer: int | None = None
    begin: int | None = None


class Stored(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The size of the store: rows since the snapshot, bytes; and the digest of the parts in their order."""

    appended: int = 0
    size: int = 0
    digest: bytes = b""


class BucketHead(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The part of a stored bucket that is read first.

    lineage     identifies this bucket of this run of the program
    version     changes with each micro-batch
    identity    the run the state belongs to
    open        the number of open answers, if known
    """

    lineage: bytes
    version: bytes
    identity: dict[str, str]
    time: BucketTime = BucketTime()
    stored: Stored = Stored()
    open: int | None = None

    def after(self, parts: Sequence[bytes], appended: int, *, anew: bool) -> BucketHead:
        """The head after parts were written: in place of all others (`anew`), or after them."""
        size, before = (0, b"") if anew else (self.stored.size, self.stored.digest)
        size += sum(map(len, parts))
        return msgspec.structs.replace(self, stored=Stored(appended, size, _digest(parts, before)))


def _digest(parts: Iterable[bytes], before: bytes = b"") -> bytes:
    """The digest of parts that follow those with the digest `before`."""
    for part in parts:
        before = hashlib.sha256(before + hashlib.sha256(part).digest()).digest()
    return before


def head_to_bytes(head: BucketHead) -> bytes:
    return sealed.seal(msgspec.msgpack.encode(head))


def head_from(content: bytes, job: Job) -> BucketHead:
    """The stored head. Raises StateError if it is damaged or belongs to another program."""
    try:
        head = msgspec.msgpack.decode(sealed.unseal(content, _HEAD), type=BucketHead)
    except msgspec.MsgspecError as error:
        raise StateError(f"{_HEAD} cannot be read: {error}. {sealed.AGAIN}") from None
    differing = differences(head.identity, job.identity)
    if differing is not None and job.predecessor(head.identity) is None:
        raise StateError(
            f"the checkpoint was written for {differing}. Go on with what wrote it, "
            "or start anew with an empty checkpoint and replay the facts"
        )
    return head


def is_due(bucket: BucketState, before: int, fresh: int) -> bool:
    """Whether a snapshot is due, given the number of rows since the last one, and of `fresh` ones."""
    rows = bucket.kept + bucket.held
    if bucket.forecasting is not None:
        from antelog.spark.bucket import forecasting  # noqa: PLC0415 - not loaded without chances

        rows += forecasting.rows(bucket.forecasting)
    return before + fresh > max(ROOM, rows) or fresh > max(SMALL, rows)


def snapshot(job: Job, bucket: BucketState) -> list[bytes]:
    """The parts of a bucket: the states of the kernel and of forecasts, then the waiting rows."""
    saved = saving.SavedEngine(job.plan, bucket.kernel, job.data.background, {}, {}, None)
    if bucket.forecasting is not None:
        from antelog.spark.bucket import forecasting  # noqa: PLC0415 - not loaded without chances

        saved = replace(saved, forecast=forecasting.members(job, bucket.forecasting))
    waiting = [appendix(name, table) for name, table in bucket.waiting.items() if table.num_rows]
    return [saving.to_bytes(saved), *waiting]


def appendix(name: str, rows: pa.Table) -> bytes:
    """Rows of an input with their arrivals, as bytes."""
    return to_blob(rows.combine_chunks().replace_schema_metadata({"input": name}))


def bucket_from(job: Job, number: int, head: BucketHead, parts: Sequence[bytes]) -> BucketState:
    """The stored bucket: its snapshot, if there is one, and all rows since."""
    if _digest(parts) != head.stored.digest:
        raise StateError(f"{_PARTS} is damaged: it is not as it was written. {sealed.AGAIN}")
    bucket = begun(job, start(job, number), head.time.begin)
    rest: Iterable[bytes] = parts
    if parts and sealed.is_sealed(parts[0]):
        saved = saving.from_bytes(parts[0], _SNAPSHOT, job.plan, MOST, job.data.functions)
        bucket = replace(bucket, kernel=saved.state)
        if job.forecasts is not None:
            from antelog.spark.bucket import forecasting  # noqa: PLC0415 - not loaded without chances

            bucket = replace(bucket, forecasting=forecasting.resumed(job, number, saved.forecast))
        rest = parts[1:]
    tables: dict[str, list[pa.Table]] = {}
    for table in map(from_blob, rest):
        name = table.schema.metadata[b"input"].decode()
        if table.schema != bucket.waiting[name].schema:
            raise StateError(f"{_PARTS} has facts of {name} whose columns had other types. {sealed.AGAIN}")
        tables.setdefault(name, []).append(table)
    new = {name: arriving(job, name, pa.concat_tables(each), bucket.now) for name, each in tables.items()}
    bucket, _ = advance(replace(job, wanted=WantedLines(())), bucket, new, head.time.now)
    return replace(bucket, open=head.open)
