"""What a bucket receives: the rows that tasks have packed for it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import pyarrow as pa

from antelog.accounts import Counts
from antelog.spark.blobs import from_blob

Packed = tuple[str | None, int | None, int | None, int | None, bytes | None, bytes | None]
"""Of a packed row: the input, the highest tick on its clock, how many were passed over as of no use or as
arriving after the end, facts, rejects."""

PACKED_NAMES = ("input", "reading", "unneeded", "after_until", "facts", "rejects")


@dataclass(frozen=True, eq=False)
class Received:
    """The highest tick on the clock, if any; the rows of each input; those set aside on the way.

    `counts` are of all rows that came, and of what is known to have become of them.
    """

    reading: int | None
    facts: Mapping[str, pa.Table]
    set_aside: tuple[pa.Table, ...]
    counts: Counts


def received(rows: Iterable[Packed]) -> Received:
    readings: list[int] = []
    facts: dict[str, list[pa.Table]] = {}
    set_aside = []
    passed_over = Counts()
    for name, reading, unneeded, after_until, blob, rejected in rows:
        passed_over += Counts(unneeded=unneeded or 0, after_until=after_until or 0)
        if reading is not None:
            readings.append(reading)
        if name is not None and blob is not None:
            facts.setdefault(name, []).append(from_blob(blob))
        if rejected is not None:
            set_aside.append(from_blob(rejected))
    joint = {name: pa.concat_tables(tables) for name, tables in facts.items()}
    known = passed_over + Counts(malformed=_rows(set_aside))
    counts = replace(known, given=_rows(joint.values()) + known.accounted)
    return Received(max(readings, default=None), joint, tuple(set_aside), counts)


def _rows(tables: Iterable[pa.Table]) -> int:
    return sum(int(table.num_rows) for table in tables)
