"""Runs a bucket of a batch, all its rows in one call of the kernel, and packs the output of any bucket."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict

import pyarrow as pa

from antelog.arrow.arrays import to_blob
from antelog.spark.bucket.packing import PACKED_NAMES, REJECTS, Received, received
from antelog.spark.bucket.state import (
    BucketOutput,
    BucketState,
    Tables,
    beginning_of,
    begun,
    end_of,
    finish,
    finish_with_answers,
    start,
)
from antelog.spark.job.job import Job
from antelog.spark.settings import COUNTS

CHANGES, REJECTED, COUNTED, SHOWN = "changes", "rejects", "counts", "clocks"

OUTPUT = pa.schema(
    [
        ("bucket", pa.int32()),
        ("what", pa.string()),
        ("query", pa.string()),
        ("payload", pa.binary()),
        *((name, pa.int64()) for name in (*COUNTS, "local", "twice")),
    ]
)
"""The rows that everything else is read from; `what` says which columns matter."""

PIECE = 100_000
"""The most rows in one payload."""

Line = dict[str, object]
_EMPTY: Line = dict.fromkeys(OUTPUT.names)


def lines(bucket: BucketState, output: BucketOutput, new: Received, state_bytes: int) -> Iterator[Line]:
    """The packed output of a bucket for the rows it has received."""
    apart = list(new.set_aside)
    counts = asdict(output.counts + new.counts) | {
        # Not the sum of their fates: rows that are held now have none yet, and others have theirs only now.
        "given": new.given,
        "held": bucket.held,
        "kept": bucket.kept,
        "state_bytes": state_bytes,
        "open": bucket.open,
        "changes": sum(table.num_rows for table in output.log.values()),
        "now": bucket.now if bucket.now >= 0 else None,
    }
    yield _EMPTY | counts | {"bucket": bucket.number, "what": COUNTED}
    for name, local in new.local.items():
        about = {"bucket": bucket.number, "what": SHOWN, "query": name}
        yield _EMPTY | about | {"local": local, "twice": new.twice.get(name, 0)}
    yield from _payloads(bucket.number, CHANGES, output.log)
    if output.rejects.num_rows:
        no_rows = pa.nulls(output.rejects.num_rows, pa.string())
        apart.append(output.rejects.append_column("row", no_rows).cast(REJECTS))
    if apart:
        yield from _payloads(bucket.number, REJECTED, {None: pa.concat_tables(apart)})


def _payloads(number: int, what: str, tables: Tables | dict[None, pa.Table]) -> Iterator[Line]:
    for query, table in tables.items():
        for first in range(0, table.num_rows, PIECE):
            payload = to_blob(table.slice(first, PIECE).combine_chunks())
            yield _EMPTY | {"bucket": number, "what": what, "query": query, "payload": payload}


END = pa.schema([("end", pa.int64())])
"""The tick at which a bucket would end, for buckets that have to agree on one."""


def reasoner(job: Job, answers: bool) -> Callable[[pa.Table], pa.Table]:
    """A function for `applyInArrow` that returns a bucket's changes, or its answers at the end."""

    def run(packed: pa.Table) -> pa.Table:
        bucket, new = received_by(job, packed)
        bucket, output = (finish_with_answers if answers else finish)(job, bucket, new)
        return pa.Table.from_pylist(list(lines(bucket, output, new, 0)), OUTPUT)

    return run


def ender(job: Job) -> Callable[[pa.Table], pa.Table]:
    """A function for `applyInArrow` that returns the tick after which a bucket has no open answers."""

    def run(packed: pa.Table) -> pa.Table:
        return pa.table([[end_of(job, *received_by(job, packed))]], END)

    return run


def received_by(job: Job, packed: pa.Table) -> tuple[BucketState, Received]:
    """The bucket before its batch, and the rows of the batch."""
    columns = (packed.column(name).to_pylist() for name in PACKED_NAMES)
    new = received(zip(*columns, strict=True))
    bucket = start(job, packed.column("bucket")[0].as_py())
    return begun(job, bucket, beginning_of(bucket, new.earliest)), new
