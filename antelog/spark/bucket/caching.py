"""What a worker remembers of its buckets, so that it need not read their states again.

Spark may send a bucket to another worker in each micro-batch, and may do a micro-batch again. So
what is remembered counts only if it has the very version that is in Spark's store.
"""

from __future__ import annotations

from collections import OrderedDict

from antelog.spark.bucket.standing import Standing

_LIMIT = 256
"""At most this many buckets are remembered."""

_known: OrderedDict[bytes, tuple[bytes, Standing]] = OrderedDict()


def recall(lineage: bytes, version: bytes) -> Standing | None:
    """What the bucket of this lineage was in this version, if this worker knows."""
    known = _known.get(lineage)
    return known[1] if known is not None and known[0] == version else None


def remember(lineage: bytes, version: bytes, standing: Standing) -> None:
    _known[lineage] = (version, standing)
    _known.move_to_end(lineage)
    while len(_known) > _LIMIT:
        _known.popitem(last=False)


def forget() -> None:
    """Nothing is remembered any more."""
    _known.clear()
