"""Ranges of ticks: whether some atom is true at one of them.

    not Ack(d1, _, 3..5)    Ack(d1, _, 3), Ack(d1, _, 4) and Ack(d1, _, 5) are asked for

It is true with the first of these atoms that is true, and false with the last that is false. Ticks before 0
have no atoms; a range without ticks is false from the start.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from antelog.engine.columns.joins import make_room, spread
from antelog.engine.columns.tables import NEVER, Column, marked
from antelog.engine.step.derivations import Atoms, Truth


@dataclass(frozen=True, eq=False)
class AtomsByTick:
    """Atoms at each tick of ranges, those of a range side by side: `counts` says how many each has."""

    atoms: Atoms
    counts: Column

    @classmethod
    def of(cls, ranges: Atoms) -> AtomsByTick:
        assert ranges.last is not None
        first = np.maximum(ranges.time, 0)
        counts = np.maximum(ranges.last - first + 1, 0)
        make_room(counts)
        row, ticks = spread(first, counts)
        arguments = tuple(None if column is None else column.take(row) for column in ranges.arguments)
        as_of = None if ranges.as_of is None else ranges.as_of.take(row)
        return cls(Atoms(ranges.relation, arguments, ticks, None, as_of), counts)


def some(found: Truth, counts: Column) -> Truth:
    """The truth of "some atom of the range", for ranges with so many atoms each."""
    true_at, false_at, settled = (np.full(len(counts), tick, np.int64) for tick in (NEVER, -1, -1))
    there = marked(counts > 0)
    if len(there):
        starts = (np.cumsum(counts) - counts).take(there)
        true_at[there] = np.minimum.reduceat(found.true_at, starts)
        false_at[there] = np.maximum.reduceat(found.false_at, starts)
        settled[there] = np.maximum.reduceat(found.settled, starts)
    return Truth(true_at, false_at, settled)
