"""What starts Spark's Python workers on this machine: it imports what they need first, once for all of them.

Comes in: what Spark asks of it. Goes out: workers, which are copies of this process. Spark's own has next
to nothing in it, so that each worker imports NumPy, Arrow, pandas and the kernel for itself.
"""

from __future__ import annotations

import pyarrow as pa
from pyspark.daemon import manager

from antelog.spark.bucket import batch, keeping  # noqa: F401 - to have them imported
from antelog.spark.endpoints import csv_source, parquet_sink  # noqa: F401 - as well

pa.array([1])  # loads pandas

if __name__ == "__main__":
    manager()
