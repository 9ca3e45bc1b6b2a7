"""Joins of tables by equal keys or bands of numbers; beyond a budget of memory they raise TooLargeError."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from antelog.engine.columns import tables
from antelog.engine.columns.tables import Column, ColumnSet, ordered

BUDGET = 256 * 2**20  # the bytes that a table may take by default
_A_ROW = 80  # the bytes of a row of about ten columns

_budget: ContextVar[int] = ContextVar("budget", default=BUDGET)


class TooLargeError(Exception):
    """Raised when a table would exceed the budget; `where` names the rule."""

    def __init__(self, rows: int, where: str = "") -> None:
        super().__init__(f"{rows} rows")
        self.rows, self.where = rows, where


@contextmanager
def budget(size: int | None = None, *, times: int = 1) -> Iterator[None]:
    """Limits the bytes of each table within a context (None: to the present limit), `times` over."""
    token = _budget.set(times * (_budget.get() if size is None else size))
    try:
        yield
    finally:
        _budget.reset(token)


def make_room(counts: NDArray[np.int64]) -> None:
    """Raises TooLargeError if a table with these numbers of rows would exceed the budget."""
    rows = int(counts.sum())
    if rows > max(_budget.get() // _A_ROW, 1):
        raise TooLargeError(rows)


def pairs(left: Column, right: Column) -> tuple[Column, Column]:
    """Joins two tables on equal keys; returns row positions on the left and on the right."""
    if len(left) == 0 or len(right) == 0:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    order, sequence = ordered(right)
    starts = tables.marked(tables.changed(sequence))
    at = _sought(left, sequence.take(starts))
    # What is not there has the last place, which is that of a group with nothing in it.
    starts = np.append(starts, len(sequence))
    counts = np.diff(starts, append=len(sequence)).take(at)
    make_room(counts)
    here, there = spread(starts.take(at), counts)
    return here, order.take(there)


def _sought(keys: Column, different: Column) -> Column:
    """Finds each key among distinct sorted ones; returns its position, or -1."""
    low, count = int(different[0]), int(different[-1] - different[0]) + 1
    if count <= tables.roomy(len(keys) + len(different)):
        position = np.full(count + 2, -1, np.int64)
        position[different - (low - 1)] = np.arange(len(different))
        return position.take(np.minimum(np.maximum(keys - (low - 1), 0), count + 1))
    # What is sought is sorted first, for then it is found in one place after the other.
    order, sequence = ordered(keys)
    at = np.minimum(np.searchsorted(different, sequence), len(different) - 1)
    position = np.empty(len(keys), np.int64)
    position[order] = np.where(different.take(at) == sequence, at, -1)
    return position


def spread(first: Column, counts: Column) -> tuple[Column, Column]:
    """Counts up from `first`, `counts` times for each row; returns each number's row, and the numbers."""
    whose = np.repeat(np.arange(len(counts)), counts)
    before = np.cumsum(counts) - counts
    return whose, np.arange(len(whose)) + (first - before).take(whose)


def find_rows(left: Sequence[Column], right: Sequence[Column]) -> Column:
    """Finds each row of the left in the right; returns the position of the first equal row, or -1."""
    if len(left[0]) + len(right[0]) > tables.FEW:
        return find(*tables.keys_of([left, right]))
    one, other = ([*zip(*(column.tolist() for column in side), strict=True)] for side in (left, right))
    first = {row: at for at, row in reversed([*enumerate(other)])}
    return np.array([first.get(row, -1) for row in one], np.int64)


def find(left: Column, right: Column) -> Column:
    """Finds each key of the left in the right; returns the position of the first equal key, or -1."""
    if len(left) + len(right) <= tables.FEW:
        first = {number: at for at, number in reversed([*enumerate(right.tolist())])}
        return np.array([first.get(number, -1) for number in left.tolist()], np.int64)
    if len(left) == 0 or len(right) == 0:
        return np.full(len(left), -1, np.int64)
    low, count = tables.extent(right)
    if count <= tables.roomy(len(left) + len(right)):
        position = np.full(count + 2, -1, np.int64)
        # Of several assignments to one place the last one stays.
        position[right[::-1] - (low - 1)] = np.arange(len(right) - 1, -1, -1)
        return position[np.minimum(np.maximum(left - (low - 1), 0), count + 1)]
    order, sequence = ordered(right)
    starts = tables.marked(tables.changed(sequence))
    at = _sought(left, sequence.take(starts))
    return np.where(at < 0, -1, order.take(starts.take(at)))


RowIndex: TypeAlias = tuple[Column, Column]
"""The digests of different rows in order, and the rows: made once for the look-ups of many steps."""


def index_of(columns: Sequence[Column]) -> RowIndex:
    row, digests = ordered(tables.digests(columns))
    return digests, row


def find_by(index: RowIndex, columns: Sequence[Column], sought: Sequence[Column]) -> Column:
    """Finds rows in the columns that an index is of; returns their positions, or -1."""
    (known, row), digests = index, tables.digests(sought)
    found, left = np.full(len(digests), -1), np.arange(len(digests))
    at = np.searchsorted(known, digests)
    while len(left):  # different rows with the same digest lie side by side
        left = left.take(tables.marked(at.take(left) < len(known)))
        left = left.take(tables.marked(known.take(at.take(left)) == digests.take(left)))
        here = row.take(at.take(left))
        same = np.ones(len(left), np.bool_)
        for column, own in zip(columns, sought, strict=True):
            same &= column.take(here) == own.take(left)
        found[left[same]] = here[same]
        left = left[~same]
        at[left] += 1
    return found


@dataclass(frozen=True, eq=False)
class KeyTicks:
    key: Column
    tick: Column

    @property
    def count(self) -> int:
        return len(self.key)


def find_moments(asked: KeyTicks, given: KeyTicks) -> Column:
    """Finds each key and tick; returns the position of the first given row with both, or -1."""
    if asked.count == 0 or given.count == 0:
        return np.full(asked.count, -1)
    low, count = tables.extent(given.tick)
    if count > tables.ROOM // max(tables.extent(given.key)[1], 1):
        return find_rows([asked.key, asked.tick], [given.key, given.tick])
    # Before and after all ticks there is one more, which nothing has.
    moment = np.minimum(np.maximum(asked.tick - (low - 1), 0), count + 1)
    moment += asked.key * (count + 2)
    return find(moment, given.key * (count + 2) + (given.tick - (low - 1)))


def last_before(asked: KeyTicks, given: KeyTicks) -> Column:
    """Finds the last row of the same key before a tick, or -1; rows are sorted by key and tick."""
    if asked.count == 0 or given.count == 0:
        return np.full(asked.count, -1)
    low, size = tables.extent(given.tick)
    size += 1
    code = given.key * size + (given.tick - low)
    at = _last_below(code, asked.key * size + np.minimum(np.maximum(asked.tick - low, 0), size - 1))
    return np.where(given.key.take(np.maximum(at, 0)) == asked.key, at, -1)


def _last_below(ordered: Column, sought: Column) -> Column:
    low, count = int(ordered[0]), int(ordered[-1] - ordered[0]) + 1
    if count > tables.roomy(len(ordered) + len(sought)) or len(sought) <= tables.FEW:
        return np.searchsorted(ordered, sought) - 1
    below = np.full(count + 1, -1)
    below[ordered - low + 1] = np.arange(len(ordered))
    np.maximum.accumulate(below, out=below)
    return below.take(np.minimum(np.maximum(sought - low, 0), count))


@dataclass(frozen=True)
class TickRange(ColumnSet):
    """The first and the last tick of a range, for each row."""

    first: Column
    last: Column


def band_pairs(left: Column, right: Column, band: TickRange, number: Column) -> tuple[Column, Column]:
    """Joins two tables on equal keys where the right row's number lies in the left row's band."""
    if len(left) == 0 or len(right) == 0:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    order, start, end = _in_bands(left, right, band, number)
    counts = np.maximum(end - start, 0)
    make_room(counts)
    which, at = spread(start, counts)
    return which, order.take(at)


def records(
    left: Column, right: Column, band: TickRange, number: Column, since: Column
) -> tuple[Column, Column]:
    """Joins as `band_pairs`, in order, but only with rows that are there before all with a smaller number."""
    nothing = np.zeros(0, np.int64)
    if len(left) == 0 or len(right) == 0:
        return nothing, nothing
    order, start, end = _in_bands(left, right, band, number)
    after = _next_less(right.take(order), since.take(order))
    row = tables.marked(start < end)
    at, rows, places = start.take(row), [nothing], [nothing]
    while len(row):
        rows.append(row)
        places.append(at)
        at = after.take(at)
        going = tables.marked(at < end.take(row))
        row, at = row.take(going), at.take(going)
    row, at = np.concatenate(rows), np.concatenate(places)
    sequence = np.lexsort((at, row)) if len(rows) > 2 else np.arange(len(row))
    return row.take(sequence), order.take(at.take(sequence))


def _next_less(key: Column, number: Column) -> Column:
    """For each number the place of the next one of its key that is less; the count if there is none."""
    count = len(number)
    after = np.arange(1, count + 2)
    after[count] = count
    after[tables.marked(key[1:] != key[:-1])] = count
    number = np.append(number, np.iinfo(np.int64).min)
    left = tables.marked(number.take(after[:-1]) >= number[:-1])
    while len(left):
        # What lies before the next less one of another that is not less is not less either.
        after[left] = after.take(after.take(left))
        left = left.take(tables.marked(number.take(after.take(left)) >= number.take(left)))
    return after


def _in_bands(left: Column, right: Column, band: TickRange, number: Column) -> tuple[Column, Column, Column]:
    """Sorts the right by keys and numbers; returns the order, and where each row's band begins and ends."""
    first = int(number.min())
    size = int(number.max()) - first + 2
    _, keys = tables.numbered(np.concatenate([left, right]))
    here, there = keys[: len(left)], keys[len(left) :]
    if int(keys.max()) >= tables.ROOM // size:
        values, number = tables.numbered(number)
        band = TickRange(np.searchsorted(values, band.first), np.searchsorted(values, band.last, "right") - 1)
        first, size = 0, len(values) + 1
    place = there * size + (number - first)
    order = tables.sorting(place)
    ordered = place.take(order)
    least = np.clip(band.first - first, 0, size - 1)
    beyond = np.clip(band.last - first + 1, 0, size - 1)
    start = np.searchsorted(ordered, here * size + least)
    return order, start, np.searchsorted(ordered, here * size + beyond)


# ---- rows that are repeated, by their digests ----
#
# Each row puts its number into a table, at a place that its digest names, and only rows that meet there are
# compared: mostly none. Sorting all digests takes more than twice as long.


_PLACES = 8  # the least number of places per fact
_APART = 32  # the least number of places per known fact, when others are compared with those


def alike(digests: Column) -> Column:
    """The rows whose digest another row has too, in order."""
    bits = max(_PLACES * len(digests) - 1, 1).bit_length()
    place, numbers = _place(digests, bits), np.arange(len(digests), dtype=np.int32)
    table = np.empty(1 << bits, np.int32)  # only what is written is read
    table[place] = numbers
    lost = tables.marked(table.take(place) != numbers)
    if len(lost) == 0:
        return lost
    rows = _placed(digests, digests.take(lost), bits)
    order = rows.take(np.argsort(digests.take(rows)))
    sequence = digests.take(order)
    same = sequence[1:] == sequence[:-1]
    twice = np.zeros(len(rows), np.bool_)
    twice[1:] = same
    twice[:-1] |= same
    return np.sort(order.take(tables.marked(twice)))


def among(digests: Column, known: Column) -> Column:
    """The rows whose digest is among those known, in order."""
    bits = max(_APART * len(known) - 1, 1).bit_length()
    rows = _placed(digests, known, bits)
    if len(rows) == 0:
        return rows
    suspects = digests.take(rows)
    return rows.take(tables.marked(np.isin(suspects, known.take(_placed(known, suspects, bits)))))


def _placed(digests: Column, others: Column, bits: int) -> Column:
    """The rows whose place in the table one of the others has, too."""
    there = np.zeros(1 << bits, np.bool_)
    there[_place(others, bits)] = True
    return tables.marked(there.take(_place(digests, bits)))


def _place(digests: Column, bits: int) -> Column:
    return (digests.view(np.uint64) >> np.uint64(64 - bits)).view(np.int64)
