"""Tallies: counts for each key, epoch by epoch, with older epochs counting less.

    key (wt2), epoch 3: 5 ticks hot, 4 of them after a hot one
    epochs 0 to 3 with a half-life of 250 epochs: the sums of each key, those of epoch 0 halved at 250

An epoch is a stretch of ticks on a fixed grid. Its counts are used only from an epoch on by which all
that they rest on is decided; so it is clear at any tick what was known, however a run is cut.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property
from typing import TypeAlias

import numpy as np

from antelog.engine.columns.column_set import ColumnSet
from antelog.engine.columns.joins import find
from antelog.engine.columns.tables import Column, Mask, Numbers, groups, keys_of, numbered, once

EPOCH = 20
"""So many ticks an epoch has, by default."""

FORGOTTEN = 100
"""A key that nothing was counted for in so many epochs is forgotten, where keys are."""

HalfLife: TypeAlias = float | Numbers | None
"""How many epochs halve a sum (None: it never fades), or a column of them, for sums side by side."""


class Learns(Enum):
    """The extent of learning while a stream runs: nothing, what is known of single keys, or all."""

    NOTHING, KEYS, ALL = range(3)


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
class Tally(ColumnSet):
    """Sums for keys: their columns, the first and the last epoch of each, and its sums as of the last.

    Keys that were not counted for so many epochs as `forgets` says are as if they had never been: a device
    is gone. What all keys share stays, however long nothing happens (None).
    """

    keys: tuple[Column, ...]
    first: Column
    last: Column
    sums: Numbers
    forgets: int | None

    @property
    def count(self) -> int:
        return len(self.last)

    @cached_property
    def oldest(self) -> int:
        """The epoch since which some key was not counted."""
        return int(self.last.min())

    def with_cells(self, cells: Cells, first: int = 0) -> Tally:
        """A copy with rewritten cells in its keys, from the column `first` on."""
        return replace(self, keys=(*self.keys[:first], *map(cells, self.keys[first:])))

    def forgotten(self, epoch: int | Column, last: Column) -> Mask:
        """Whether keys are forgotten at an epoch that were counted last at these."""
        gone: Mask = np.zeros(len(last), np.bool_) if self.forgets is None else epoch - last > self.forgets
        return gone


def nothing_counted(keys: int, sums: int, *, forgets: int | None = None) -> Tally:
    empty = np.zeros(0, np.int64)
    return Tally((empty,) * keys, empty, empty, np.zeros((0, sums)), forgets)


def kept(epochs: Column, half_life: HalfLife) -> Numbers:
    """The shares that are left of sums after numbers of epochs, a column for each half-life."""
    half_lives = np.atleast_1d(np.inf if half_life is None else half_life)
    different, which = numbered(np.maximum(epochs, 0))  # to halve takes long, and few numbers are different
    shares: Numbers = np.exp2(-different[:, None] / half_lives).take(which, axis=0)
    return shares


def faded(sums: Numbers, epochs: Column | int, half_life: HalfLife) -> Numbers:
    """Sums, faded by a number of epochs; with several half-lives, as many columns each fade by one."""
    if half_life is None:
        return sums
    if not isinstance(epochs, np.ndarray):
        return sums * np.exp2(-max(epochs, 0) / half_life)
    shares = kept(epochs, half_life)
    result: Numbers = sums * np.repeat(shares, sums.shape[-1] // shares.shape[1], axis=-1)
    return result


def summed(keys: Sequence[Column], numbers: Numbers) -> tuple[tuple[Column, ...], Numbers]:
    """Each key once, and its sums: of whole numbers, or parts of a whole UNIT, in whatever order."""
    if not keys:
        return (), numbers.sum(axis=0)[None, :]
    # Numbered one by one, keys lie close together, and need not be sorted.
    (key,) = keys_of([[numbered(column)[1] for column in keys]])
    first, which = once(key)
    sums = [np.bincount(which, column, len(first)) for column in numbers.T]
    return tuple(column.take(first) for column in keys), np.stack(sums, axis=1)


def at_epoch(tally: Tally, epoch: int, half_life: HalfLife) -> Tally:
    """The tally faded to an epoch, without the keys that are forgotten by then."""
    tally = without_old(tally, epoch)
    sums = faded(tally.sums, epoch - tally.last, half_life)
    return replace(tally, last=np.full(tally.count, epoch), sums=sums)


def merged(tallies: Sequence[Tally]) -> Tally:
    """One tally from those of several workers; sums of equal keys are as of the same epoch."""
    whole = Tally.and_then(*tallies)
    if whole.count == 0:
        return whole
    same = groups(keys_of([whole.keys])[0] if whole.keys else np.zeros(whole.count, np.int64))
    sums = np.add.reduceat(whole.sums.take(same.order, axis=0), same.starts, axis=0)
    return replace(whole.take(same.first), first=same.least(whole.first), sums=sums)


def matched(keys: Sequence[Column], count: int, tally: Tally) -> Column:
    """The rows of a tally that have these keys, of which there are so many; -1 where none has."""
    if not keys:
        return np.full(count, min(tally.count, 1) - 1)
    asked, there = keys_of([list(keys), list(tally.keys)])
    return find(asked, there)


def alive(tally: Tally, epoch: int) -> int:
    """The number of keys that are not forgotten at an epoch."""
    return int(np.count_nonzero(~tally.forgotten(epoch, tally.last)))


def without_old(tally: Tally, epoch: int) -> Tally:
    """The tally without the keys that are forgotten, which saves room and changes nothing."""
    if tally.forgets is None or tally.count == 0 or epoch - tally.oldest <= tally.forgets:
        return tally
    return tally.take(np.flatnonzero(~tally.forgotten(epoch, tally.last)))
