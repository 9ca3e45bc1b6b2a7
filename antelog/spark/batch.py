"""A bucket of a batch: all its rows at once, in one call of the kernel."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa

from antelog.spark.job import Job
from antelog.spark.receiving import PACKED_NAMES, received
from antelog.spark.standing import arriving, finish, finish_with_answers, start
from antelog.spark.telling import TOLD, lines


def reasoner(job: Job, answers: bool) -> Callable[[pa.Table], pa.Table]:
    """What runs a bucket, for `applyInArrow`: it tells the changes, or the answers at the end."""

    def run(packed: pa.Table) -> pa.Table:  # Spark reads these types
        return _run(job, answers, packed)

    return run


def _run(job: Job, answers: bool, packed: pa.Table) -> pa.Table:
    number = packed.column("bucket")[0].as_py()
    columns = (packed.column(name).to_pylist() for name in PACKED_NAMES)
    new = received(zip(*columns, strict=True))
    standing = start(job)
    rows = {name: arriving(job, name, table, standing.now, None) for name, table in new.facts.items()}
    last = -1 if new.reading is None else new.reading
    standing, told = (finish_with_answers if answers else finish)(job, standing, rows, last, number)
    return pa.Table.from_pylist(list(lines(number, standing, told, new, 0)), TOLD)
