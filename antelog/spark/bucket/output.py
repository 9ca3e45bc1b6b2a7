"""The output of a bucket, packed: its changes, its rejects and its counts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict

import pyarrow as pa

from antelog.arrow.arrays import to_blob
from antelog.spark.bucket.state import BucketOutput, BucketState, Tables
from antelog.spark.settings import COUNTS
from antelog.spark.transport.packets import Received
from antelog.spark.transport.packing import REJECTS

CHANGES, REJECTED, COUNTED = "changes", "rejects", "counts"

OUTPUT = pa.schema(
    [
        ("bucket", pa.int32()),
        ("what", pa.string()),
        ("query", pa.string()),
        ("payload", pa.binary()),
        *((name, pa.int64()) for name in COUNTS),
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
    yield from _payloads(bucket.number, CHANGES, output.log)
    if output.rejects.num_rows:
        no_rows = pa.nulls(output.rejects.num_rows, pa.string())
        apart.append(output.rejects.append_column("row", no_rows).cast(REJECTS))
    if apart:
        yield from _payloads(bucket.number, REJECTED, {None: pa.concat_tables(apart)})


def _payloads(number: int, what: str, tables: Tables | dict[None, pa.Table]) -> Iterator[Line]:
    for query, table in tables.items():
        for start in range(0, table.num_rows, PIECE):
            payload = to_blob(table.slice(start, PIECE).combine_chunks())
            yield _EMPTY | {"bucket": number, "what": what, "query": query, "payload": payload}
