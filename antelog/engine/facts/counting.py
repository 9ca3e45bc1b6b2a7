"""The counts and the status of an engine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pyarrow as pa

from antelog.accounts import Counts


def total(*counts: int | None) -> int | None:
    """The sum of counts; None if one is unknown."""
    known = [count for count in counts if count is not None]
    return sum(known) if len(known) == len(counts) else None


@dataclass(frozen=True)
class Dropped:
    """The facts of an input that were given up, as there was no room, and the ticks they are about."""

    facts: int
    first: int
    last: int

    def __add__(self, other: Dropped) -> Dropped:
        return Dropped(self.facts + other.facts, min(self.first, other.first), max(self.last, other.last))


@dataclass(frozen=True)
class Status:
    """An engine at a glance.

    now                     the last finished tick
    counts                  the rows of all inputs by fate
    dropped                 the admitted facts that were given up later, because there was no room
    open_answers            the number of open answers by query
    state_rows, state_bytes the kept facts, and the memory they and their values take
    seen_values             the values that unguarded variables have answers for, which only grow
    """

    now: int
    counts: Counts
    dropped: int
    open_answers: Mapping[str, int]
    state_rows: int
    state_bytes: int
    seen_values: int


DROPPED = pa.schema(
    [("input", pa.string()), ("facts", pa.int64()), ("first", pa.int64()), ("last", pa.int64())]
)


def dropped_table(dropped: Mapping[str, Dropped]) -> pa.Table:
    """For each input that lost facts how many, and the first and the last tick they were about."""
    rows = [(name, each.facts, each.first, each.last) for name, each in dropped.items()]
    columns = zip(*rows, strict=True) if rows else ((),) * len(DROPPED)
    return pa.table([pa.array(c, f.type) for c, f in zip(columns, DROPPED, strict=True)], schema=DROPPED)
