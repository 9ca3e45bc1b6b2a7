"""A bucket of a batch: all its rows at once, in one call of the kernel."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa

from antelog.spark.bucket.standing import (
    Batch,
    Standing,
    arriving,
    beginning_of,
    begun,
    end_of,
    finish,
    finish_with_answers,
    start,
)
from antelog.spark.bucket.telling import TOLD, lines
from antelog.spark.job.job import Job
from antelog.spark.transport.receiving import PACKED_NAMES, Received, received

END = pa.schema([("end", pa.int64())])
"""What is asked of buckets that have to agree on where they end."""


def reasoner(job: Job, answers: bool) -> Callable[[pa.Table], pa.Table]:
    """Runs a bucket, for `applyInArrow`: its changes, or its answers at the end."""

    def run(packed: pa.Table) -> pa.Table:
        number, new, standing, batch = batch_of(job, packed)
        standing, told = (finish_with_answers if answers else finish)(job, standing, batch, number)
        return pa.Table.from_pylist(list(lines(number, standing, told, new, 0)), TOLD)

    return run


def ender(job: Job) -> Callable[[pa.Table], pa.Table]:
    """What finds out, for `applyInArrow`, when nothing is open any more in a bucket."""

    def run(packed: pa.Table) -> pa.Table:
        number, _, standing, batch = batch_of(job, packed)
        return pa.table([[end_of(job, standing, batch, number)]], END)

    return run


def batch_of(job: Job, packed: pa.Table) -> tuple[int, Received, Standing, Batch]:
    """The number of a bucket, what it has received, and how it stands before its batch."""
    number: int = packed.column("bucket")[0].as_py()
    columns = (packed.column(name).to_pylist() for name in PACKED_NAMES)
    new = received(zip(*columns, strict=True))
    standing = start(job, number)
    standing = begun(job, standing, beginning_of(standing, new.earliest))
    rows = {name: arriving(job, name, table, standing.now) for name, table in new.facts.items()}
    return number, new, standing, Batch(rows, -1 if new.reading is None else new.reading, new.end)
