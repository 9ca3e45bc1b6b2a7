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

from antelog.engine.columns.tables import Column, Numbers, changed, groups, in_order, keys_of, marked
from antelog.forecast.rates.tally import Cells, HalfLife, Tally, faded, matched, summed, without_old


@dataclass(frozen=True, eq=False)
class Ledger:
    """A tally by ticks, and the entries of a step: the sums of rows of the tally as of later ticks.

    Entries are in the order of rows, and of ticks within a row. `counted` is what each adds to its sums.
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
    """The ledger at the end of a step: its last entries are those of the tally."""
    tally = ledger.tally
    if len(ledger.row):
        end = marked(np.append(ledger.row[1:] != ledger.row[:-1], [True]))
        at = ledger.row.take(end)
        last, sums = tally.last.copy(), tally.sums.copy()
        last[at], sums[at] = ledger.tick.take(end), ledger.sums.take(end, axis=0)
        tally = replace(tally, last=last, sums=sums)
    tally = without_old(tally, now)
    return ledger if tally is ledger.tally else opened(tally)


def entered(
    ledger: Ledger, tick: Column, keys: Sequence[Column], numbers: Numbers, half_life: HalfLife
) -> Ledger:
    """The ledger with what was counted at ticks, each after those of the tally. It has no entries yet."""
    if len(tick) == 0:
        return ledger
    tally = ledger.tally
    (*keys, tick), numbers = summed((*keys, tick), numbers)
    tally, row = _with_keys(tally, keys, tick)
    order = in_order([row, tick - int(tick.min())])
    row, tick, numbers = row.take(order), tick.take(order), numbers.take(order, axis=0)
    counted, begins = numbers.copy(), changed(row)
    before = np.where(begins, tally.last.take(row), np.append([0], tick[:-1]))
    gone = tally.forgotten(tick, before)
    keeps = faded(np.ones((len(tick), numbers.shape[1])), tick - before, half_life)
    keeps[gone] = 0
    start = marked(begins)
    numbers[start] += keeps[start] * tally.sums.take(row.take(start), axis=0)
    keeps[start] = 0
    return Ledger(tally, row, tick, _running(numbers, keeps), counted)


def _running(numbers: Numbers, keeps: Numbers) -> Numbers:
    """Sums of which each keeps a share of the one before, and adds its own number.

    Each round adds what twice as many rows before have left, until nothing of them is left any more.
    """
    distance, alive = 1, np.flatnonzero(keeps.any(axis=1))
    sums = numbers
    while len(alive):
        more = keeps[alive] * sums[alive - distance]
        left = keeps[alive] * keeps[alive - distance]
        sums[alive] += more
        keeps[alive] = left
        distance *= 2
        alive = alive[left.any(axis=1)]
    return sums


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
        entry = _entries(ledger, row, tick)
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


def _entries(ledger: Ledger, row: Column, tick: Column) -> Column:
    """For each row and tick the last entry before it, or -1."""
    first = int(ledger.tick.min())
    size = int(ledger.tick.max()) - first + 2
    code = ledger.row * size + (ledger.tick - first)
    at = np.searchsorted(code, row * size + np.clip(tick - first, 0, size - 1)) - 1
    return np.where(ledger.row.take(np.maximum(at, 0)) == row, at, -1)
