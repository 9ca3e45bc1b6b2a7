"""Tables of whole numbers: keys, groups and joins over NumPy columns.

Every column of the engine is an array of int64: values are cells (see `values`), ticks are
ticks. Rows are compared by *keys*, one number a row, equal if and only if the rows are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Column = NDArray[np.int64]
Mask = NDArray[np.bool_]

NEVER = np.int64(2**62)
"""The tick at which nothing happens any more."""

_ROOM = 2**62


def columns(count: int, length: int = 0) -> list[Column]:
    return [np.zeros(length, np.int64) for _ in range(count)]


def keys_of(tables: Sequence[Sequence[Column]]) -> list[Column]:
    """Keys for the rows of several tables with the same columns, comparable between them."""
    lengths = [len(table[0]) for table in tables]
    key = np.zeros(sum(lengths), np.int64)
    size = 1
    for parts in zip(*tables, strict=True):
        codes, count = _dense(np.concatenate(parts))
        if size > _ROOM // max(count, 1):
            key, size = _dense(key)
        key = key * count + codes
        size *= count
    return np.split(key, np.cumsum(lengths)[:-1])


def _dense(column: Column) -> tuple[Column, int]:
    """Small numbers in place of a column's values, equal where they are, and how many may occur."""
    if len(column) == 0:
        return column, 1
    low = int(column.min())
    spread = int(column.max()) - low + 1
    if spread <= 8 * len(column) + 1024:
        return column - low, spread
    values, codes = np.unique(column, return_inverse=True)
    return codes.astype(np.int64), len(values)


def sorting(key: Column) -> Column:
    """The order that sorts keys; equal keys stay in their order."""
    shift = len(key).bit_length()
    if len(key) and int(key.max()) < 2 ** (62 - shift):
        # Sorting plain numbers is much faster than sorting positions by them.
        packed = np.sort((key << shift) | np.arange(len(key)))
        return packed & ((1 << shift) - 1)
    return np.argsort(key, kind="stable")


def distinct(column: Column) -> Column:
    """The different numbers of a column, in order; sorting them all is faster than hashing them."""
    ordered = np.sort(column)
    return ordered[np.r_[True, ordered[1:] != ordered[:-1]]] if len(ordered) else ordered


@dataclass(frozen=True)
class Groups:
    """Rows of equal keys side by side: `order` puts them so, `starts` says where each group begins."""

    order: Column
    starts: Column

    @property
    def count(self) -> int:
        return len(self.starts)

    @property
    def sizes(self) -> Column:
        return np.diff(self.starts, append=len(self.order))

    @property
    def first(self) -> Column:
        """The first row of each group."""
        return self.order[self.starts]

    @property
    def numbers(self) -> Column:
        """For each row, in the original order, the number of its group."""
        numbers = np.empty(len(self.order), np.int64)
        numbers[self.order] = np.repeat(np.arange(self.count), self.sizes)
        return numbers

    def least(self, column: Column) -> Column:
        return np.minimum.reduceat(column[self.order], self.starts) if self.count else column[:0]

    def most(self, column: Column) -> Column:
        return np.maximum.reduceat(column[self.order], self.starts) if self.count else column[:0]

    def any(self, mask: Mask) -> Mask:
        return np.logical_or.reduceat(mask[self.order], self.starts) if self.count else mask[:0]


def groups(key: Column) -> Groups:
    order = sorting(key)
    ordered = key[order]
    starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]]) if len(key) else order
    return Groups(order, starts.astype(np.int64))


def pairs(left: Column, right: Column) -> tuple[Column, Column]:
    """The rows of two tables whose keys are equal: positions on the left and on the right."""
    order = sorting(right)
    ordered = right[order]
    first = np.searchsorted(ordered, left, "left")
    counts = np.searchsorted(ordered, left, "right") - first
    return np.repeat(np.arange(len(left)), counts), order[spread(first, counts)]


def spread(first: Column, counts: Column) -> Column:
    """The numbers `first, first + 1, …`, as many as `counts` says, for each in turn."""
    total = int(counts.sum())
    before = np.cumsum(counts) - counts
    return np.arange(total) - np.repeat(before - first, counts)


def find(left: Column, right: Column) -> Column:
    """For each key on the left, the position of an equal one on the right, or -1."""
    if len(right) == 0:
        return np.full(len(left), -1, np.int64)
    order = sorting(right)
    ordered = right[order]
    at = np.minimum(np.searchsorted(ordered, left), len(right) - 1)
    return np.where(ordered[at] == left, order[at], -1)
