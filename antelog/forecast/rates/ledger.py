"""A ledger: the sums of a tally as of every tick of a step, so that all its rows are looked up at once.

    in the tally   (wt2) 4 of 9, last counted at 12
    counted        (wt2) 1 of 1 at 20, 0 of 1 at 23
    looked up      at 19: 4 of 9, faded; at 21: with the first; at 24: with both

Sums may fade differently from column to column. Of a tick counts what was counted before it, never what is
counted at it: so it makes no difference how a run is cut into steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from antelog.engine.columns.joins import KeyTicks, last_before
from antelog.engine.columns.tables import Column, Numbers, changed, groups, keys_of, marked, run_ends
from antelog.forecast.rates.tally import Cells, HalfLife, Tally, faded, kept, matched, without_old


@dataclass(frozen=True, eq=False)
class Ledger:
    """A tally by ticks, and the entries of a step: the sums of rows of the tally as of later ticks.

    Entries are in the order of rows, and of ticks within a row. `counted` is what each adds to its sums, in
    every memory the same.
    """

    tally: Tally
    row: Column
    tick: Column
    sums: Numbers
    counted: Numbers

    def with_cells(self, cells: Cells, first: int = 0) -> Ledger:
        """A copy with rewritten cells in the keys, from the column `first` on."""
        return replace(self, tally=self.tally.with_cells(cells, first))


def opened(tally: Tally) -> Ledger:
    """A ledger without entries."""
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
    end = marked(run_ends(ledger.row))
    at = ledger.row.take(end)
    first, last, sums = tally.first.copy(), tally.last.copy(), tally.sums.copy()
    again = tally.forgotten(ledger.tick.take(end), last.take(at))
    last[at], sums[at] = ledger.tick.take(end), ledger.sums.take(end, axis=0)
    first[at[again]] = last[at[again]]
    return replace(tally, first=first, last=last, sums=sums)


def entered(
    ledger: Ledger, tick: Column, keys: Sequence[Column], numbers: Numbers, half_life: HalfLife
) -> Ledger:
    """The ledger with what was counted at ticks, each after those of the tally. It has no entries yet.

    The numbers are whole, or parts of a whole UNIT; with several half-lives they count in each memory.
    """
    if len(tick) == 0:
        return ledger
    tally, row = _with_keys(ledger.tally, keys, tick)
    low, high = int(tick.min()), int(tick.max())
    same = groups(row * (high - low + 1) + tick - low)
    row, tick, counted = row.take(same.first), tick.take(same.first), numbers.take(same.order, axis=0)
    if same.count < len(counted):
        counted = np.add.reduceat(counted, same.starts, axis=0)
    begins = changed(row)
    before = np.where(begins, tally.last.take(row), np.append([0], tick[:-1]))
    keeps = kept(tick - before, half_life)
    keeps[tally.forgotten(tick, before)] = 0
    sums = np.tile(counted, (1, keeps.shape[1]))
    start = marked(begins)
    earlier = np.repeat(keeps.take(start, axis=0), counted.shape[1], axis=1)
    sums[start] += earlier * tally.sums.take(row.take(start), axis=0)
    keeps[start] = 0
    return Ledger(tally, row, tick, running_sums(sums, keeps), counted)


def _with_keys(tally: Tally, keys: Sequence[Column], tick: Column) -> tuple[Tally, Column]:
    """The tally with rows for new keys, and the row of each key."""
    at = matched(keys, len(tick), tally)
    fresh = np.flatnonzero(at < 0)
    if len(fresh) == 0:
        return tally, at
    own = [column.take(fresh) for column in keys]
    same = groups(keys_of([own])[0] if own else np.zeros(len(fresh), np.int64))
    at[fresh] = tally.count + same.numbers
    first = same.least(tick.take(fresh))
    more = [column.take(same.first) for column in own]
    return (
        replace(
            tally,
            keys=tuple(np.concatenate(pair) for pair in zip(tally.keys, more, strict=True)),
            first=np.concatenate([tally.first, first]),
            last=np.concatenate([tally.last, first]),
            sums=np.concatenate([tally.sums, np.zeros((len(first), tally.sums.shape[1]))]),
        ),
        at,
    )


def before(ledger: Ledger, keys: Sequence[Column], tick: Column, half_life: HalfLife) -> Numbers:
    """The sums of keys before ticks, faded to these; 0 of what was not counted."""
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
    """The sums of so many keys as they are, whatever the tick; 0 of what was not counted."""
    tally = ledger.tally
    at = matched(keys, count, tally)
    none: Numbers = np.zeros((1, tally.sums.shape[1]))
    return np.concatenate([tally.sums, none]).take(at, axis=0)


_LENGTH = 32
"""So many rows a block has: to go through them takes as many calls."""


def running_sums(numbers: Numbers, keeps: Numbers) -> Numbers:
    """The sums after each row, which keeps a share of the one before, and adds its own number.

        numbers  1  0  1  1     keeps  0  .5  .5  0     sums  1  .5  1.25  1

    Blocks of rows are added up side by side; then each gets what the one before has left. As many columns of
    numbers, side by side, share a column of `keeps`.
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
