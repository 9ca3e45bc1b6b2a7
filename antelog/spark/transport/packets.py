"""Packets: Arrow tables as bytes, packed for buckets and unpacked by them.

Spark hands Python's stateful operators their rows one by one. So rows are packed before they are
shuffled, and the operator gets a few values, each with thousands of rows in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from antelog.accounts import Counts
from antelog.arrow.arrays import from_blob
from antelog.engine.facts.rejects import EARLY

Number = int | None
Packed = tuple[str | None, Number, Number, Number, Number, Number, bytes | None, bytes | None]
"""A packed row, in the order of these names; `packing.PACKED` has the meanings."""

PACKED_NAMES = ("input", "reading", "earliest", "end", "unneeded", "after_until", "facts", "rejects")


@dataclass(frozen=True, eq=False)
class Received:
    """The rows of each input, the rejects among them, and their time.

    reading     the highest tick on the clock, if any
    earliest    the arrival of the first fact of any bucket, if any, and if needed
    end         the tick at which all buckets end, if they have to agree

    `counts` has the rows with known fates.
    """

    reading: int | None
    earliest: int | None
    end: int | None
    facts: Mapping[str, pa.Table]
    set_aside: tuple[pa.Table, ...]
    counts: Counts

    @property
    def given(self) -> int:
        """The number of rows that came."""
        return _rows(self.facts.values()) + self.counts.given


def received(rows: Iterable[Packed]) -> Received:
    readings, arrivals, ends = list[int](), list[int](), list[int]()
    facts: dict[str, list[pa.Table]] = {}
    set_aside = []
    passed_over = Counts()
    for name, reading, earliest, end, unneeded, after_until, blob, rejected in rows:
        passed_over += Counts(unneeded=unneeded or 0, after_until=after_until or 0)
        for heard, tick in ((readings, reading), (arrivals, earliest), (ends, end)):
            if tick is not None:
                heard.append(tick)
        if name is not None and blob is not None:
            facts.setdefault(name, []).append(from_blob(blob))
        if rejected is not None:
            set_aside.append(from_blob(rejected))
    joint = {name: pa.concat_tables(tables) for name, tables in facts.items()}
    early = sum(pc.sum(pc.equal(each.column("reason"), EARLY)).as_py() for each in set_aside)
    counts = passed_over + Counts(malformed=_rows(set_aside) - early, early=early)
    times = max(readings, default=None), min(arrivals, default=None), max(ends, default=None)
    return Received(*times, joint, tuple(set_aside), counts)


def _rows(tables: Iterable[pa.Table]) -> int:
    return sum(int(table.num_rows) for table in tables)
