"""Tables as bytes: whole Arrow tables travel through Spark as one value each.

Spark hands Python's stateful operators their rows one by one. So rows are put together before
they are shuffled, and the operator sees a few values, each with thousands of rows in it.
"""

from __future__ import annotations

import pyarrow as pa


def to_blob(table: pa.Table | pa.RecordBatch) -> bytes:
    """A table as a stream in Arrow's format."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write(table)
    content: bytes = sink.getvalue().to_pybytes()
    return content


def from_blob(blob: bytes) -> pa.Table:
    return pa.ipc.open_stream(blob).read_all()
