"""Runs a bucket of a batch: all its rows at once, in one call of the kernel."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa

from antelog.spark.bucket.output import OUTPUT, lines
from antelog.spark.bucket.state import (
    BatchRows,
    BucketState,
    arriving,
    beginning_of,
    begun,
    end_of,
    finish,
    finish_with_answers,
    start,
)
from antelog.spark.job.job import Job
from antelog.spark.transport.packets import PACKED_NAMES, Received, received

END = pa.schema([("end", pa.int64())])
"""The tick at which a bucket would end, for buckets that have to agree on one."""


def reasoner(job: Job, answers: bool) -> Callable[[pa.Table], pa.Table]:
    """A function for `applyInArrow` that returns a bucket's changes, or its answers at the end."""

    def run(packed: pa.Table) -> pa.Table:
        bucket, batch, new = received_by(job, packed)
        bucket, output = (finish_with_answers if answers else finish)(job, bucket, batch)
        return pa.Table.from_pylist(list(lines(bucket, output, new, 0)), OUTPUT)

    return run


def ender(job: Job) -> Callable[[pa.Table], pa.Table]:
    """A function for `applyInArrow` that returns the tick after which a bucket has no open answers."""

    def run(packed: pa.Table) -> pa.Table:
        bucket, batch, _ = received_by(job, packed)
        return pa.table([[end_of(job, bucket, batch)]], END)

    return run


def received_by(job: Job, packed: pa.Table) -> tuple[BucketState, BatchRows, Received]:
    """The bucket before its batch, the rows of the batch, and the unpacked packets."""
    columns = (packed.column(name).to_pylist() for name in PACKED_NAMES)
    new = received(zip(*columns, strict=True))
    bucket = start(job, packed.column("bucket")[0].as_py())
    bucket = begun(job, bucket, beginning_of(bucket, new.earliest))
    rows = {name: arriving(job, name, table, bucket.now) for name, table in new.facts.items()}
    return bucket, BatchRows(rows, -1 if new.reading is None else new.reading, new.end), new
