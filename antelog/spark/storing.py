"""A bucket in Spark's state store: its past as one snapshot, and what has come since.

A micro-batch writes what is less: a snapshot, or what it brings, which is appended. A worker that
does not know the bucket reads the snapshot and applies the rest in one go. When the rest is as large
as a snapshot would be, a new one is written.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import msgspec
import pyarrow as pa

from antelog.engine import saving
from antelog.errors import StateError
from antelog.spark.blobs import from_blob, to_blob
from antelog.spark.job import Job, differences
from antelog.spark.standing import Standing, advance, arriving, start

ROOM = 20_000
"""Rows that may be appended however small the snapshot is."""

SMALL = 500
"""So few rows are appended even if the snapshot has fewer: it is more work to write and to read."""


class Head(msgspec.Struct, frozen=True):
    """What has to be known of a bucket first.

    lineage     tells this bucket of this run of the program from all others
    version     another one with each micro-batch
    now         the last finished tick
    highest     the highest tick on the clock so far
    heard       when rows came last, in milliseconds of the wall clock
    alarm       when the timer is to go off, likewise
    appended    rows since the snapshot
    size        bytes in the store
    identity    what the state is of use for
    open        how many answers are open, if that is known
    """

    lineage: bytes
    version: bytes
    now: int
    highest: int
    heard: int
    alarm: int | None
    appended: int
    size: int
    identity: dict[str, str]
    open: int | None = None

    @classmethod
    def first(cls, lineage: bytes, identity: dict[str, str]) -> Head:
        return cls(lineage, b"", -1, -1, 0, None, 0, 0, identity)

    def after(self, parts: Sequence[bytes], appended: int, *, anew: bool) -> Head:
        """The head when parts have been written, in place of all others or to go with them."""
        size = sum(map(len, parts)) + (0 if anew else self.size)
        return msgspec.structs.replace(self, appended=appended, size=size)


def head_to_bytes(head: Head) -> bytes:
    return msgspec.msgpack.encode(head)


def head_from(content: bytes, job: Job) -> Head:
    """The head that was stored; StateError if it is another program's."""
    head = msgspec.msgpack.decode(content, type=Head)
    differing = differences(head.identity, job.identity)
    if differing is not None:
        raise StateError(
            f"the checkpoint was written for {differing}. Go on with what wrote it, "
            "or start anew with an empty checkpoint and replay the facts"
        )
    return head


def is_due(standing: Standing, before: int, fresh: int) -> bool:
    """Whether it is time for a snapshot, after so many rows since the last one and so many new ones."""
    rows = standing.kept + standing.held
    return before + fresh > max(ROOM, rows) or fresh > max(SMALL, rows)


def snapshot(job: Job, standing: Standing) -> list[bytes]:
    """All of a bucket: the kernel's state, then the rows that wait."""
    saved = saving.Saved(job.plan, standing.state, _given(job), {}, {}, None)
    waiting = [appendix(name, table) for name, table in standing.waiting.items() if table.num_rows]
    return [saving.to_bytes(saved), *waiting]


def appendix(name: str, rows: pa.Table) -> bytes:
    """Rows of an input, with their arrivals."""
    return to_blob(rows.combine_chunks().replace_schema_metadata({"input": name}))


def standing_from(job: Job, head: Head, parts: Sequence[bytes]) -> Standing:
    """The bucket as it was: its snapshot, if there is one, and all that came since."""
    standing = start(job)
    rest: Iterable[bytes] = parts
    if parts and parts[0].startswith(b"PK"):
        saved = saving.from_bytes(parts[0])
        standing = replace(standing, state=saved.state)
        rest = parts[1:]
    tables: dict[str, list[pa.Table]] = {}
    for blob in rest:
        table = from_blob(blob)
        tables.setdefault(table.schema.metadata[b"input"].decode(), []).append(table)
    new = {
        name: arriving(job, name, pa.concat_tables(each), standing.now, None) for name, each in tables.items()
    }
    standing, _ = advance(replace(job, only=()), standing, new, head.now, job.numbers[0])
    return replace(standing, open=head.open)


def _given(job: Job) -> dict[str, list[tuple[str | int | float, ...]]]:
    return {name: list(rows) for name, rows in job.given.items()}
