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

    def latest(self, ticks: Column) -> Column:
        """The latest of the ticks that the atoms of each range have; -1 if it has none."""
        found = np.full(len(self.counts), np.int64(-1))
        np.maximum.at(found, np.repeat(np.arange(len(found)), self.counts), ticks)
        return found


DOUBTS = 10
"""Of a range, one tick in so many may be in doubt."""


@dataclass(frozen=True, eq=False)
class TickTruths:
    """The truth of the atoms that rows ask for: one a row, or `counts` of them side by side.

    With `doubts`, some of them may stay open, and the others are enough to conclude that none is true.
    """

    truth: Truth
    counts: Column | None = None
    doubts: bool = False

    @property
    def some(self) -> Truth:
        """The truth of "some of these atoms"."""
        if self.counts is None:
            return self.truth
        found = some(self.truth, self.counts)
        if not self.doubts or not len(self.truth.true_at):
            return found
        row = np.repeat(np.arange(len(self.counts)), self.counts)
        falling = self.truth.false_at.take(np.lexsort([-self.truth.false_at, row]))
        enough = np.cumsum(self.counts) - self.counts + self.counts // DOUBTS
        enough = falling.take(np.minimum(enough, len(falling) - 1))
        return found._replace(false_at=np.where(found.true_at == NEVER, enough, found.false_at))


def latest(fitting: TickTruths, of_slot: TickTruths) -> Truth:
    """The truth of "the latest atom of the slot fits", given that of the atoms that fit, and of all in it."""
    counts, (fits, slot) = fitting.counts, (fitting.truth, of_slot.truth)
    counts = np.ones(len(fits.true_at), np.int64) if counts is None else counts
    row = np.repeat(np.arange(len(counts)), counts)
    # Of the later atoms of a range: the last tick at which one is false, the first at which one is true.
    last_false = -_least_after(-slot.false_at, row, np.int64(1))
    first_true = _least_after(slot.true_at, row, np.int64(NEVER))
    true_at, false_at, decided = (np.full(len(counts), tick, np.int64) for tick in (NEVER, -1, -1))
    there = marked(counts > 0)
    if len(there):
        starts = (np.cumsum(counts) - counts).take(there)
        true_at[there] = np.minimum.reduceat(np.maximum(fits.true_at, last_false), starts)
        false_at[there] = np.maximum.reduceat(np.minimum(fits.false_at, first_true), starts)
        decided[there] = np.maximum.reduceat(np.maximum(fits.decided, slot.decided), starts)
    return Truth(true_at, np.where(true_at < NEVER, NEVER, false_at), decided)


def _least_after(ticks: Column, row: Column, none: np.int64) -> Column:
    """For each tick the least of those after it in its row; `none` for the last one."""
    count = len(ticks)
    if count == 0:
        return ticks
    order = np.argsort(ticks, kind="stable")
    rank = np.empty(count, np.int64)
    rank[order] = np.arange(count)
    # From behind, where each row that follows has lower numbers than all before it.
    backwards = rank[::-1] + row[::-1] * count
    least = (np.minimum.accumulate(backwards) - row[::-1] * count)[::-1]
    found = np.full(count, none)
    inner = marked(row[:-1] == row[1:])
    found[inner] = ticks.take(order.take(least.take(inner + 1)))
    return found


def some(found: Truth, counts: Column) -> Truth:
    """The truth of "some atom of the range", for ranges with so many atoms each."""
    true_at, false_at, decided = (np.full(len(counts), tick, np.int64) for tick in (NEVER, -1, -1))
    there = marked(counts > 0)
    if len(there):
        starts = (np.cumsum(counts) - counts).take(there)
        true_at[there] = np.minimum.reduceat(found.true_at, starts)
        false_at[there] = np.maximum.reduceat(found.false_at, starts)
        decided[there] = np.maximum.reduceat(found.decided, starts)
    return Truth(true_at, false_at, decided)
