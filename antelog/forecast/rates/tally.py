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
from antelog.engine.columns.joins import KeyTicks, RowIndex, find, find_by, index_of, last_before
from antelog.engine.columns.tables import Column, Mask, Numbers, RowSet

_LENGTH = 32  # the rows of a block of running sums: to go through them takes as many calls
_FEWER = 8  # what is as many times fewer than all keys must not take as long as these
_WAITING = 8  # entries wait until their number squared is as many times that of all keys

HalfLife: TypeAlias = float | Numbers | None
"""The ticks that halve a sum (None: it never fades), or a column of them, for sums side by side."""


@dataclass(frozen=True, eq=False)
class Tally(RowSet):
    """Sums for keys: their columns, the first and the last tick of each, and its sums as of the last."""

    keys: tuple[Column, ...]
    first: Column
    last: Column
    sums: Numbers
    forgets: int | None  # keys without counts in more ticks are as if they had never been (None: all stay)

    @cached_property
    def oldest(self) -> int:
        """The tick since which some key was not counted."""
        return int(self.last.min(initial=tables.NEVER))

    @cached_property
    def lasts(self) -> Column:
        """The ticks at which keys were counted last, in order."""
        return np.sort(self.last)

    @cached_property
    def index(self) -> RowIndex:
        return index_of(self.keys)

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
    tally = tally.take(~tally.forgotten(tick, tally.last))
    sums = faded(tally.sums, tick - tally.last, half_life)
    return replace(tally, last=np.full(tally.count, tick), sums=sums)


def merged(ledgers: Sequence[Ledger]) -> Ledger:
    """Merges the counts of several workers; sums of equal keys are as of the same tick."""
    whole = Tally.and_then(*map(latest, ledgers))
    if whole.count == 0:
        return opened(whole)
    same = tables.groups(tables.keys_of([whole.keys])[0] if whole.keys else np.zeros(whole.count, np.int64))
    sums = np.add.reduceat(whole.sums.take(same.order, axis=0), same.starts, axis=0)
    return opened(replace(whole.take(same.first), first=same.least(whole.first), sums=sums))


# ---- ledgers: the sums of a tally as of every tick of a step ----

#     in the tally   (wt2) 4 of 9, last counted at 12
#     counted        (wt2) 1 of 1 at 20, 0 of 1 at 23
#     looked up      at 19: 4 of 9, faded; at 21: with the first; at 24: with both
#
# Of a tick counts what was counted before it, never what is counted at it: so no cut of a run matters.


# A step with few entries must not copy all keys: they wait in the ledger, and get into the tally together.


@dataclass(frozen=True, eq=False)
class Ledger:
    """A tally by ticks, and entries by row and tick: the sums of rows as of later ticks."""

    tally: Tally
    fresh: tuple[Column, ...]  # the keys of the rows after those of the tally
    rows: int  # of the tally, and the fresh ones
    entries: Tally  # their rows, the first tick of each row by then, their ticks, and their sums
    counted: Numbers  # what each entry adds in this step, in every memory the same; 0 for those before it

    @cached_property
    def since(self) -> Column:
        """The ticks after which entries are used; those from before a step are used at once."""
        last = self.entries.last
        return np.where(self.counted.any(axis=1), last, last.min(initial=0) - 1)


def opened(tally: Tally) -> Ledger:
    width = tally.sums.shape[1]
    fresh = nothing_counted(len(tally.keys), 0).keys
    return Ledger(tally, fresh, tally.count, nothing_counted(1, width), np.zeros((0, width)))


def closed(ledger: Ledger, now: int) -> Ledger:
    """The ledger at the end of a step, without keys that are forgotten by then."""
    if not ledger.counted.any():
        return ledger
    entries = ledger.entries.take(tables.run_ends(ledger.entries.keys[0]))
    if entries.count**2 < _WAITING * ledger.tally.count:
        ledger = replace(ledger, entries=entries, counted=np.zeros((entries.count, ledger.counted.shape[1])))
    else:
        ledger = opened(latest(ledger))
    tally = ledger.tally
    if tally.forgets is None or now - tally.oldest <= tally.forgets:
        return ledger
    # To drop the keys that are forgotten saves room and changes nothing, so it waits until they are many.
    gone = int(np.searchsorted(tally.lasts, now - tally.forgets))  # or counted again since
    if gone * _FEWER <= ledger.rows:
        return ledger
    tally = latest(ledger)
    return opened(tally.take(~tally.forgotten(now, tally.last)))


def latest(ledger: Ledger) -> Tally:
    """The tally with the last entries of each row."""
    tally = ledger.tally
    if ledger.entries.count == 0:
        return tally
    newest = ledger.entries.take(tables.run_ends(ledger.entries.keys[0]))
    (row,) = newest.keys
    old = int(np.searchsorted(row, tally.count))
    sums = np.concatenate([tally.sums, newest.sums[old:]])
    first, last = np.append(tally.first, newest.first[old:]), np.append(tally.last, newest.last[old:])
    for whole, own in ((first, newest.first), (last, newest.last), (sums, newest.sums)):
        whole[row[:old]] = own[:old]
    is_same = ledger.rows == tally.count
    found = Tally(tally.keys if is_same else all_keys(ledger), first, last, sums, tally.forgets)
    if is_same and "index" in vars(tally):
        vars(found)["index"] = tally.index  # of the same keys
    return found


def entered(
    ledger: Ledger, tick: Column, keys: Sequence[Column], numbers: Numbers, half_life: HalfLife
) -> Ledger:
    """Enters counts, whole or parts of UNIT, at ticks after those of all before."""
    if len(tick) == 0:
        return ledger
    ledger, row = _with_keys(ledger, keys, len(tick))
    low, high = int(tick.min()), int(tick.max())
    same = tables.groups(row * (high - low + 1) + tick - low)
    row, tick, counted = row.take(same.first), tick.take(same.first), numbers.take(same.order, axis=0)
    if same.count < len(counted):
        counted = np.add.reduceat(counted, same.starts, axis=0)
    begins = tables.changed(row)
    start, before = tables.marked(begins), np.append([0], tick[:-1])
    known = _as_of(ledger, row.take(start), tick.take(start))
    before[start] = known.last
    keeps = kept(tick - before, half_life)
    anew = ledger.tally.forgotten(tick, before)
    keeps[anew] = 0
    sums = np.tile(counted, (1, keeps.shape[1]))
    earlier = np.repeat(keeps.take(start, axis=0), counted.shape[1], axis=1)
    sums[start] += earlier * known.sums
    keeps[start] = 0
    first = tick.copy()
    first[start] = np.where(anew[start], tick.take(start), known.first)
    if len(start) < len(row):
        first = first.take(np.maximum.accumulate((begins | anew) * np.arange(len(row))))
        sums = running_sums(sums, keeps)
    new = Tally((row,), first, tick, sums, None)
    if ledger.entries.count:
        new, waiting = ledger.entries.and_then(new), ledger.counted
        order = tables.in_order([new.keys[0], new.last - new.last.min()])
        new, counted = new.take(order), np.concatenate([waiting, counted]).take(order, axis=0)
    return replace(ledger, entries=new, counted=counted)


def _with_keys(ledger: Ledger, keys: Sequence[Column], count: int) -> tuple[Ledger, Column]:
    """The ledger with rows for new keys, and the row of each key."""
    at = _rows(ledger, keys, count)
    new = tables.marked(at < 0)
    if len(new) == 0:
        return ledger, at
    own = [column.take(new) for column in keys]
    same = tables.groups(tables.keys_of([own])[0] if own else np.zeros(len(new), np.int64))
    at[new] = ledger.rows + same.numbers
    more = (column.take(same.first) for column in own)
    fresh = tuple(np.concatenate(pair) for pair in zip(ledger.fresh, more, strict=True))
    return replace(ledger, fresh=fresh, rows=ledger.rows + same.count), at


def _rows(ledger: Ledger, keys: Sequence[Column], count: int) -> Column:
    """The rows that have these keys, `count` of them; -1 where none has."""
    tally = ledger.tally
    if not keys:
        return np.full(count, min(ledger.rows, 1) - 1)
    if count * _FEWER > tally.count:
        at = find(*tables.keys_of([list(keys), list(tally.keys)]))
    else:
        at = find_by(tally.index, tally.keys, keys)
    if ledger.rows > tally.count:
        left = tables.marked(at < 0)
        if len(left):
            asked, there = tables.keys_of([[column.take(left) for column in keys], list(ledger.fresh)])
            own = find(asked, there)
            at[left] = np.where(own < 0, -1, own + tally.count)
    return at


def cells(ledger: Ledger, place: int, row: Column) -> Column:
    """The cells that rows have in a column of their keys."""
    at = row - ledger.tally.count
    fresh, found = at >= 0, np.empty_like(row)
    found[fresh] = ledger.fresh[place].take(at[fresh])
    found[~fresh] = ledger.tally.keys[place].take(row[~fresh])
    return found


def all_keys(ledger: Ledger) -> tuple[Column, ...]:
    pairs = zip(ledger.tally.keys, ledger.fresh, strict=True)
    return tuple(np.concatenate(pair) for pair in pairs)


def _as_of(ledger: Ledger, row: Column, tick: Column) -> Tally:
    """The sums of rows as they were known before ticks."""
    tally, entries = ledger.tally, ledger.entries
    first, last, sums = tick.copy(), tick.copy(), np.zeros((len(row), tally.sums.shape[1]))
    old = tables.marked((row >= 0) & (row < tally.count))
    parts = [(old, tally, row.take(old))]
    if entries.count:
        entry = last_before(KeyTicks(row, tick), KeyTicks(entries.keys[0], ledger.since))
        there = tables.marked(entry >= 0)
        parts.append((there, entries, entry.take(there)))
    for at, known, place in parts:
        first[at], last[at] = known.first.take(place), known.last.take(place)
        sums[at] = known.sums.take(place, axis=0)
    return Tally((row,), first, last, sums, tally.forgets)


def as_of(ledger: Ledger, keys: Sequence[Column], tick: Column) -> Tally:
    """The sums of keys as they were known before ticks, not faded; 0 for keys without counts."""
    return _as_of(ledger, _rows(ledger, keys, len(tick)), tick)


def before(
    ledger: Ledger, keys: Sequence[Column], tick: Column, half_life: HalfLife, *, fades: bool = True
) -> Numbers:
    """The sums of keys before ticks, faded to these if it `fades`; 0 for keys without counts."""
    if not fades:
        return as_of(ledger, keys, np.full(len(tick), tables.NEVER)).sums
    return faded_to(tick, as_of(ledger, keys, tick), half_life)


def faded_to(tick: Column, known: Tally, half_life: HalfLife) -> Numbers:
    """Sums faded to ticks; 0 where they are forgotten by then."""
    sums = faded(known.sums, tick - known.last, half_life)
    gone = known.forgotten(tick, known.last)
    return np.where(gone[:, None], 0.0, sums) if gone.any() else sums


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
