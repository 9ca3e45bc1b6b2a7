"""What a bucket tells of a batch, packed: its changes, its rejects and its counts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict

import pyarrow as pa

from antelog.spark.bucket.standing import Standing, Tables, Told
from antelog.spark.settings import COUNTS
from antelog.spark.transport.blobs import to_blob
from antelog.spark.transport.packing import REJECTS
from antelog.spark.transport.receiving import Received

CHANGES, REJECTED, COUNTED = "changes", "rejects", "counts"

TOLD = pa.schema(
    [
        ("bucket", pa.int32()),
        ("what", pa.string()),
        ("query", pa.string()),
        ("payload", pa.binary()),
        *((name, pa.int64()) for name in COUNTS),
    ]
)
"""The rows everything else is read from; `what` says which, and so which of the columns matter."""

PIECE = 100_000
"""The most rows in one payload."""

Line = dict[str, object]
_EMPTY: Line = dict.fromkeys(TOLD.names)


def lines(number: int, standing: Standing, told: Told, new: Received, state_bytes: int) -> Iterator[Line]:
    """What the bucket of a number tells of what it has received."""
    apart = list(new.set_aside)
    counts = asdict(told.counts + new.counts) | {
        # Not the sum of their fates: of rows that are held now nobody knows it, and of others only now.
        "given": new.given,
        "held": standing.held,
        "kept": standing.kept,
        "state_bytes": state_bytes,
        "open": standing.open,
        "changes": sum(table.num_rows for table in told.log.values()),
        "now": standing.now if standing.now >= 0 else None,
    }
    yield _EMPTY | counts | {"bucket": number, "what": COUNTED}
    yield from _payloads(number, CHANGES, told.log)
    if told.rejects.num_rows:
        no_rows = pa.nulls(told.rejects.num_rows, pa.string())
        apart.append(told.rejects.append_column("row", no_rows).cast(REJECTS))
    if apart:
        yield from _payloads(number, REJECTED, {None: pa.concat_tables(apart)})


def _payloads(number: int, what: str, tables: Tables | dict[None, pa.Table]) -> Iterator[Line]:
    for query, table in tables.items():
        for start in range(0, table.num_rows, PIECE):
            payload = to_blob(table.slice(start, PIECE).combine_chunks())
            yield _EMPTY | {"bucket": number, "what": what, "query": query, "payload": payload}
