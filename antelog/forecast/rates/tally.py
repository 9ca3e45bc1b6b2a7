"""Tallies: counts for each key, tick by tick, with older ones counting less.

What is counted at a tick is used after it, once all that it rests on is decided: so what is known at a tick
does not depend on how a run is cut. Ticks may be stretches of these on a fixed grid.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeAlias

import numpy as np

from antelog.engine.columns import tables
from antelog.engine.columns.joins import KeyTicks, find, last_before
from antelog.engine.columns.tables import Column, ColumnSet, Mask, Numbers

_LENGTH = 32  # the rows of a block of running sums: to go through them takes as many calls

HalfLife: TypeAlias = float | Numbers | None
"""The ticks that halve a sum (None: it never fades), or a column of them, for sums side by side."""


@dataclass(frozen=True, eq=False)
class Tally(ColumnSet):
    """Sums for keys: their columns, the first and the last tick of each, and its sums as of the last."""

    keys: tuple[Column, ...]
    first: Column
    last: Column
    sums: Numbers
    forgets: int | None  # keys without counts in more ticks are as if they had never been (None: all stay)

    @property
    def count(self) -> int:
        return len(self.last)

    @cached_property
    def oldest(self) -> int:
        """The tick since which some key was not counted."""
        return int(self.last.min())

    def forgotten(self, tick: int | Column, last: Column) -> Mask:
        """Whether keys that were counted last at these ticks are forgotten at another."""
        return np.zeros(len(last), np.bool_) if self.forgets is None else tick - last > self.forgets


def nothing_counted(keys: int, sums: int, *, forgets: int | None = None) -> Tally:
    empty = np.zeros(0, np.int64)
    return Tally((empty,) * keys, empty, empty, np.zeros((0, sums)), forgets)


def kept(ticks: Column, half_life: HalfLife) -> Numbers:
    """The shares that are left of sums after numbers of ticks, a column for each half-life."""
    half_lives = np.atleast_1d(np.inf if half_life is None else half_life)
    # To halve takes long, and few numbers are different.
    different, which = tables.numbered(np.maximum(ticks, 0))
    shares: Numbers = np.exp2(-different[:, None] / half_lives).take(which, axis=0)
    return shares


def faded(sums: Numbers, ticks: Column, half_life: HalfLife) -> Numbers:
    """Sums, faded by a number of ticks; with several half-lives, as many columns each fade by one."""
    if half_life is None:
        return sums
    shares = kept(ticks, half_life)
    return sums * np.repeat(shares, sums.shape[-1] // shares.shape[1], axis=-1)


def summed(keys: Sequence[Column], numbers: Numbers) -> tuple[tuple[Column, ...], Numbers]:
    """Each key once, and its sums: of whole numbers, or parts of a whole UNIT, in whatever order."""
    if not keys:
        return (), numbers.sum(axis=0)[None, :]
    # Numbered one by one, keys lie close together, and need not be sorted.
    (key,) = tables.keys_of([[tables.numbered(column)[1] for column in keys]])
    first, which = tables.once(key)
    sums = [np.bincount(which, column, len(first)) for column in numbers.T]
    return tuple(column.take(first) for column in keys), np.stack(sums, axis=1)


def at_tick(tally: Tally, tick: int, half_life: HalfLife) -> Tally:
    """Fades a tally to a tick, without the keys that are forgotten by then."""
    tally = without_old(tally, tick)
    sums = faded(tally.sums, tick - tally.last, half_life)
    return replace(tally, last=np.full(tally.count, tick), sums=sums)


def merged(tallies: Sequence[Tally]) -> Tally:
    """Merges the tallies of several workers; sums of equal keys are as of the same tick."""
    whole = Tally.and_then(*tallies)
    if whole.count == 0:
        return whole
    same = tables.groups(tables.keys_of([whole.keys])[0] if whole.keys else np.zeros(whole.count, np.int64))
    sums = np.add.reduceat(whole.sums.take(same.order, axis=0), same.starts, axis=0)
    return replace(whole.take(same.first), first=same.least(whole.first), sums=sums)


def matched(keys: Sequence[Column], count: int, tally: Tally) -> Column:
    """The rows of a tally that have these keys, `count` of them; -1 where none has."""
    if not keys:
        return np.full(count, min(tally.count, 1) - 1)
    asked, there = tables.keys_of([list(keys), list(tally.keys)])
    return find(asked, there)


def without_old(tally: Tally, tick: int) -> Tally:
    """Drops the keys that are forgotten, which saves room and changes nothing."""
    if tally.forgets is None or tally.count == 0 or tick - tally.oldest <= tally.forgets:
        return tally
    return tally.take(np.flatnonzero(~tally.forgotten(tick, tally.last)))


# ---- ledgers: the sums of a tally as of every tick of a step ----

#     in the tally   (wt2) 4 of 9, last counted at 12
#     counted        (wt2) 1 of 1 at 20, 0 of 1 at 23
#     looked up      at 19: 4 of 9, faded; at 21: with the first; at 24: with both
#
# Of a tick counts what was counted before it, never what is counted at it: so no cut of a run matters.


@dataclass(frozen=True, eq=False)
class Ledger:
    """A tally by ticks, and the entries of a step by row and tick: the sums of rows as of later ticks."""

    tally: Tally
    row: Column
    tick: Column
    sums: Numbers
    counted: Numbers  # the amount that each entry adds to its sums, in every memory the same


def opened(tally: Tally) -> Ledger:
    empty = np.zeros(0, np.int64)
    none = np.zeros((0, tally.sums.shape[1]))
    return Ledger(tally, empty, empty, none, none)


def closed(ledger: Ledger, now: int) -> Ledger:
    """The ledger at the end of a step, without the keys that are forgotten by then."""
    tally = without_old(latest(ledger), now)
    return ledger if tally is ledger.tally else opened(tally)


def latest(ledger: Ledger) -> Tally:
    """The tally with the last entries of each row."""
    tally = ledger.tally
    if len(ledger.row) == 0:
        return tally
    end = tables.marked(tables.run_ends(ledger.row))
    at = ledger.row.take(end)
    last, sums = tally.last.copy(), tally.sums.copy()
    last[at], sums[at] = ledger.tick.take(end), ledger.sums.take(end, axis=0)
    return replace(tally, last=last, sums=sums)


def entered(
    ledger: Ledger, tick: Column, keys: Sequence[Column], numbers: Numbers, half_life: HalfLife
) -> Ledger:
    """Enters counts, whole or parts of UNIT, into an empty ledger at ticks after those of the tally."""
    if len(tick) == 0:
        return ledger
    tally, row = _with_keys(ledger.tally, keys, tick)
    low, high = int(tick.min()), int(tick.max())
    same = tables.groups(row * (high - low + 1) + tick - low)
    row, tick, counted = row.take(same.first), tick.take(same.first), numbers.take(same.order, axis=0)
    if same.count < len(counted):
        counted = np.add.reduceat(counted, same.starts, axis=0)
    begins = tables.changed(row)
    before = np.where(begins, tally.last.take(row), np.append([0], tick[:-1]))
    keeps = kept(tick - before, half_life)
    gone = tables.marked(tally.forgotten(tick, before))
    keeps[gone] = 0
    sums = np.tile(counted, (1, keeps.shape[1]))
    start = tables.marked(begins)
    earlier = np.repeat(keeps.take(start, axis=0), counted.shape[1], axis=1)
    sums[start] += earlier * tally.sums.take(row.take(start), axis=0)
    keeps[start] = 0
    if len(gone):  # these begin anew
        first = tally.first.copy()
        first[row.take(gone)] = tick.take(gone)
        tally = replace(tally, first=first)
    return Ledger(tally, row, tick, running_sums(sums, keeps), counted)


def _with_keys(tally: Tally, keys: Sequence[Column], tick: Column) -> tuple[Tally, Column]:
    """The tally with rows for new keys, and the row of each key."""
    at = matched(keys, len(tick), tally)
    fresh = np.flatnonzero(at < 0)
    if len(fresh) == 0:
        return tally, at
    own = tuple(column.take(fresh) for column in keys)
    same = tables.groups(tables.keys_of([own])[0] if own else np.zeros(len(fresh), np.int64))
    at[fresh] = tally.count + same.numbers
    first = same.least(tick.take(fresh))
    sums = np.zeros((same.count, tally.sums.shape[1]))
    more = Tally(tuple(column.take(same.first) for column in own), first, first, sums, tally.forgets)
    return tally.and_then(more), at


def before(ledger: Ledger, keys: Sequence[Column], tick: Column, half_life: HalfLife) -> Numbers:
    """The sums of keys before ticks, faded to these; 0 for keys without counts."""
    tally = ledger.tally
    sums = np.zeros((len(tick), tally.sums.shape[1]))
    if tally.count == 0 or len(tick) == 0:
        return sums
    at = matched(keys, len(tick), tally)
    known = np.flatnonzero(at >= 0)
    row, tick = at.take(known), tick.take(known)
    last, found = tally.last.take(row), tally.sums.take(row, axis=0)
    if len(ledger.row):
        entry = last_before(KeyTicks(row, tick), KeyTicks(ledger.row, ledger.tick))
        there = np.flatnonzero(entry >= 0)
        last[there] = ledger.tick.take(entry.take(there))
        found[there] = ledger.sums.take(entry.take(there), axis=0)
    found = faded(found, tick - last, half_life)
    found[tally.forgotten(tick, last)] = 0
    sums[known] = found
    return sums


def unfaded(ledger: Ledger, keys: Sequence[Column], count: int) -> Numbers:
    """The sums of `count` keys as they are, whatever the tick; 0 for keys without counts."""
    tally = ledger.tally
    at = matched(keys, count, tally)
    none: Numbers = np.zeros((1, tally.sums.shape[1]))
    return np.concatenate([tally.sums, none]).take(at, axis=0)


def running_sums(numbers: Numbers, keeps: Numbers) -> Numbers:
    """The sums after each row, which keeps a share of the one before, and adds its own number.

        numbers  1  0  1  1     keeps  0  .5  .5  0     sums  1  .5  1.25  1

    Blocks of rows are added up side by side; then each gets the sum that the one before has left.
    """
    if not keeps[1:].any():
        return numbers
    count, columns = keeps.shape
    length = min(len(numbers), _LENGTH)
    left = _by_block(keeps, length)[:, :, None]
    sums = _by_block(numbers, length).reshape(length, columns, -1, left.shape[-1])
    for row in range(1, length):
        sums[row] += left[row] * sums[row - 1]
        left[row] *= left[row - 1]
    if count > length:
        ends = sums[-1].reshape(-1, sums.shape[-1]).T, left[-1, :, 0].T
        before = np.ascontiguousarray(running_sums(*ends)[:-1].T).reshape(columns, -1, sums.shape[-1] - 1)
        for row in range(length):
            sums[row, ..., 1:] += left[row, ..., 1:] * before
    found: Numbers = (
        sums.reshape(length, numbers.shape[1], -1).transpose(2, 0, 1).reshape(-1, numbers.shape[1])
    )
    return found[:count]


def _by_block(rows: Numbers, length: int) -> Numbers:
    """The rows of all blocks side by side: by row in the block, column, block; filled up with 0."""
    count, width = rows.shape
    whole = count // length * length
    found = np.zeros((length, width, -(-count // length)))
    found[..., : whole // length] = rows[:whole].reshape(-1, length, width).transpose(1, 2, 0)
    found[: count - whole, :, whole // length :] = rows[whole:, :, None]
    return found
