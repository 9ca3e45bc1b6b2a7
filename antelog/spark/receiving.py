"""What a bucket receives: the rows that tasks have packed for it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import pyarrow as pa

from antelog.spark.blobs import from_blob

Packed = tuple[str | None, int | None, int | None, bytes | None, bytes | None]
"""Of a packed row: the input, the highest tick on its clock, how many were passed over, facts, rejects."""

PACKED_NAMES = ("input", "reading", "unneeded", "facts", "rejects")


@dataclass(frozen=True, eq=False)
class Received:
    """The highest tick on the clock, if any; the rows of each input; those passed over, and set aside."""

    reading: int | None
    facts: Mapping[str, pa.Table]
    unneeded: int
    set_aside: tuple[pa.Table, ...]

    @property
    def given(self) -> int:
        """How many rows came, whatever has become of them since."""
        tables = (*self.facts.values(), *self.set_aside)
        return self.unneeded + sum(int(table.num_rows) for table in tables)


def received(rows: Iterable[Packed]) -> Received:
    readings: list[int] = []
    facts: dict[str, list[pa.Table]] = {}
    set_aside = []
    unneeded = 0
    for name, reading, passed_over, blob, rejected in rows:
        unneeded += passed_over or 0
        if reading is not None:
            readings.append(reading)
        if name is not None and blob is not None:
            facts.setdefault(name, []).append(from_blob(blob))
        if rejected is not None:
            set_aside.append(from_blob(rejected))
    joint = {name: pa.concat_tables(tables) for name, tables in facts.items()}
    return Received(max(readings, default=None), joint, unneeded, tuple(set_aside))
