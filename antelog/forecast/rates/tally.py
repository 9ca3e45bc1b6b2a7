"""Tallies: counts for each key, epoch by epoch, with older epochs counting less.

    key (wt2), epoch 3: 5 ticks hot, 4 of them after a hot one
    epochs 0 to 3 with a half-life of 250 epochs: the sums of each key, those of epoch 0 halved at 250

An epoch is a stretch of ticks on a fixed grid. Its counts are used only from an epoch on by which all
that they rest on is decided; so it is clear at any tick what was known, however a run is cut.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeAlias

import numpy as np

from antelog.engine.columns.joins import find
from antelog.engine.columns.tables import Column, Mask, Numbers, groups, keys_of, numbered, once

EPOCH = 20
"""So many ticks an epoch has, unless told otherwise."""

FORGOTTEN = 100
"""A key that nothing was counted for in so many epochs is forgotten, where keys are."""


@dataclass(frozen=True)
class KnownEpoch:
    """The epoch up to which counts are used, and their half-life in epochs.

    The sums over all keys may stay as they were in an earlier epoch, `still`; if that is None, they are
    learned like those of a key.
    """

    epoch: int
    half_life: float | None
    still: int | None = None

    @property
    def by_key(self) -> tuple[int, float | None]:
        """The epoch and half-life of the counts of single keys."""
        return self.epoch, self.half_life

    @property
    def shared(self) -> tuple[int, float | None]:
        """The epoch and half-life of the sums over all keys."""
        return self.epoch if self.still is None else self.still, self.half_life


Cells: TypeAlias = Callable[[Column], Column]
"""A function that rewrites cells for other values."""


@dataclass(frozen=True, eq=False)
class Tally:
    """Sums for keys: their columns, the first and the last epoch of each, and its sums as of the last.

    If it `forgets`, keys that were not counted for long are as if they had never been: a device is gone.
    What all keys share stays, however long nothing happens.
    """

    keys: tuple[Column, ...]
    first: Column
    last: Column
    sums: Numbers
    forgets: bool

    @property
    def count(self) -> int:
        return len(self.last)

    @cached_property
    def oldest(self) -> int:
        """The epoch since which some key was not counted."""
        return int(self.last.min())

    def take(self, at: Column) -> Tally:
        keys = tuple(column.take(at) for column in self.keys)
        return replace(
            self,
            keys=keys,
            first=self.first.take(at),
            last=self.last.take(at),
            sums=self.sums.take(at, axis=0),
        )

    def with_cells(self, cells: Cells, first: int = 0) -> Tally:
        """A copy with rewritten cells in its keys, from the column `first` on."""
        return replace(self, keys=_with_cells(self.keys, cells, first))

    def forgotten(self, epoch: int, last: Column) -> Mask:
        """Whether keys are forgotten at an epoch that were counted last at these."""
        return (epoch - last > FORGOTTEN) & self.forgets


def nothing_counted(keys: int, sums: int, *, forgets: bool = False) -> Tally:
    empty = np.zeros(0, np.int64)
    return Tally((empty,) * keys, empty, empty, np.zeros((0, sums)), forgets)


@dataclass(frozen=True, eq=False)
class Counted:
    """The counts of one epoch: keys, which may repeat, and numbers for each."""

    epoch: int
    keys: tuple[Column, ...]
    numbers: Numbers

    def with_cells(self, cells: Cells, first: int = 0) -> Counted:
        """A copy with rewritten cells in its keys, as of a tally."""
        return replace(self, keys=_with_cells(self.keys, cells, first))


def _with_cells(keys: tuple[Column, ...], cells: Cells, first: int) -> tuple[Column, ...]:
    return (*keys[:first], *map(cells, keys[first:]))


def faded(sums: Numbers, epochs: Column | int, half_life: float | None) -> Numbers:
    """Sums, faded by a number of epochs."""
    if half_life is None:
        return sums
    return sums * np.exp2(-np.maximum(epochs, 0) / half_life)[..., None]


def added(tally: Tally, counted: Counted, half_life: float | None) -> Tally:
    """The tally with the counts of an epoch added; epochs come in order."""
    if len(counted.numbers) == 0:
        return tally
    new, numbers = summed(counted.keys, counted.numbers)
    at = find(*_together(new, len(numbers), tally.keys, tally.count))
    fresh, known = np.flatnonzero(at < 0), np.flatnonzero(at >= 0)
    sums, last, first = tally.sums.copy(), tally.last.copy(), tally.first.copy()
    there = at.take(known)
    gone = tally.forgotten(counted.epoch, last.take(there))
    older = faded(sums.take(there, axis=0), counted.epoch - last.take(there), half_life)
    sums[there] = np.where(gone[:, None], 0, older) + numbers.take(known, axis=0)
    first[there[gone]] = last[there] = counted.epoch
    epoch = np.full(len(fresh), counted.epoch)
    return Tally(
        tuple(np.concatenate([old, own.take(fresh)]) for old, own in zip(tally.keys, new, strict=True)),
        np.concatenate([first, epoch]),
        np.concatenate([last, epoch]),
        np.concatenate([sums, numbers.take(fresh, axis=0)]),
        tally.forgets,
    )


def summed(keys: Sequence[Column], numbers: Numbers) -> tuple[tuple[Column, ...], Numbers]:
    """Each key once, and its sums: of whole numbers, or parts of a whole UNIT, in whatever order."""
    if not keys:
        return (), numbers.sum(axis=0)[None, :]
    # Numbered one by one, keys lie close together, and need not be sorted.
    (key,) = keys_of([[numbered(column)[1] for column in keys]])
    first, which = once(key)
    sums = [np.bincount(which, column, len(first)) for column in numbers.T]
    return tuple(column.take(first) for column in keys), np.stack(sums, axis=1)


def at_epoch(tally: Tally, epoch: int, half_life: float | None) -> Tally:
    """The tally faded to an epoch, without the keys that are forgotten by then."""
    tally = without_old(tally, epoch)
    sums = faded(tally.sums, epoch - tally.last, half_life)
    return replace(tally, last=np.full(tally.count, epoch), sums=sums)


def merged(tallies: Sequence[Tally]) -> Tally:
    """One tally from those of several workers; sums of equal keys are as of the same epoch."""
    keys = tuple(np.concatenate(columns) for columns in zip(*(each.keys for each in tallies), strict=True))
    first, last, sums = (
        np.concatenate([getattr(each, name) for each in tallies]) for name in ("first", "last", "sums")
    )
    if len(last) == 0:
        return tallies[0]
    same = groups(_key(keys, len(last)))
    return Tally(
        tuple(column.take(same.first) for column in keys),
        same.least(first),
        last.take(same.first),
        np.add.reduceat(sums.take(same.order, axis=0), same.starts, axis=0),
        tallies[0].forgets,
    )


def _key(columns: Sequence[Column], count: int) -> Column:
    return keys_of([list(columns)])[0] if columns else np.zeros(count, np.int64)


def _together(one: Sequence[Column], count: int, other: Sequence[Column], size: int) -> tuple[Column, Column]:
    if not one:
        return np.zeros(count, np.int64), np.zeros(size, np.int64)
    first, second = keys_of([list(one), list(other)])
    return first, second


@dataclass(frozen=True, eq=False)
class TallySums:
    """The sums of some keys as of an epoch (0 where nothing was counted), and their first epochs."""

    sums: Numbers
    first: Column


def looked_up(
    tally: Tally, keys: Sequence[Column], count: int, epoch: int, half_life: float | None
) -> TallySums:
    """The sums of keys as of an epoch."""
    sums = np.zeros((count, tally.sums.shape[1]))
    first = np.full(count, epoch)
    if tally.count == 0 or count == 0:
        return TallySums(sums, first)
    at = find(*_together(keys, count, tally.keys, tally.count))
    known = np.flatnonzero((at >= 0) & ~tally.forgotten(epoch, tally.last.take(at)))
    there = at.take(known)
    sums[known] = faded(tally.sums.take(there, axis=0), epoch - tally.last.take(there), half_life)
    first[known] = tally.first.take(there)
    return TallySums(sums, first)


def alive(tally: Tally, epoch: int) -> int:
    """The number of keys that are not forgotten at an epoch."""
    return int(np.count_nonzero(~tally.forgotten(epoch, tally.last)))


def without_old(tally: Tally, epoch: int) -> Tally:
    """The tally without the keys that are forgotten, which saves room and changes nothing."""
    if not tally.forgets or tally.count == 0 or epoch - tally.oldest <= FORGOTTEN:
        return tally
    return tally.take(np.flatnonzero(~tally.forgotten(epoch, tally.last)))


@dataclass(frozen=True, eq=False)
class Waiting:
    """A tally, and the counts of epochs that are not in use yet, in order."""

    tally: Tally
    later: tuple[Counted, ...] = ()

    def and_then(self, counted: Counted) -> Waiting:
        """With the counts of an epoch; they may come in several parts."""
        later = (*self.later, counted)
        if self.later and counted.epoch < self.later[-1].epoch:
            later = tuple(sorted(later, key=lambda each: each.epoch))
        return Waiting(self.tally, later)

    def up_to(self, epoch: int, half_life: float | None) -> Waiting:
        """Adds the counts of epochs up to this one to the tally."""
        tally, used = self.tally, 0
        while used < len(self.later) and self.later[used].epoch <= epoch:
            same = [each for each in self.later[used:] if each.epoch == self.later[used].epoch]
            tally = added(tally, _one(same), half_life)
            used += len(same)
        tally = without_old(tally, epoch)
        return self if tally is self.tally and not used else Waiting(tally, self.later[used:])


def _one(parts: Sequence[Counted]) -> Counted:
    """One epoch's counts from several parts."""
    keys = zip(*(part.keys for part in parts), strict=True)
    return Counted(
        parts[0].epoch,
        tuple(np.concatenate(columns) for columns in keys),
        np.concatenate([part.numbers for part in parts]),
    )
