"""Tables of whole numbers: keys, order and groups over NumPy columns of int64, which are cells or ticks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache
from itertools import accumulate
from typing import Any, ClassVar, Self

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

Column = NDArray[np.int64]
Mask = NDArray[np.bool_]
Numbers = NDArray[np.float64]

NEVER = np.int64(2**62)  # a tick at which nothing happens any more
ROOM = 2**62  # the upper bound of keys
FEW = 64  # up to this many rows stay in Python, where twenty numbers take as long as a call into NumPy


def columns(count: int, length: int = 0) -> list[Column]:
    return [np.zeros(length, np.int64) for _ in range(count)]


def keys_of(tables: Sequence[Sequence[Column]]) -> list[Column]:
    """Keys for the rows of tables with the same columns: numbers, equal exactly where the rows are."""
    lengths = [len(table[0]) for table in tables]
    if sum(lengths) <= FEW and tables[0]:
        return _few_keys(tables)
    key, size = None, 1
    for parts in zip(*tables, strict=True):
        codes, count = _dense(parts[0] if len(parts) == 1 else np.concatenate(parts))
        if key is None:
            key, size = codes, count
            continue
        if size > ROOM // max(count, 1):
            key, size = _dense(key)
        key = key * count + codes
        size *= count
    if key is None:
        key = np.zeros(sum(lengths), np.int64)
    ends = list(accumulate(lengths))
    return [key[end - length : end] for end, length in zip(ends, lengths, strict=True)]


def _few_keys(tables: Sequence[Sequence[Column]]) -> list[Column]:
    rows = [[*zip(*(column.tolist() for column in table), strict=True)] for table in tables]
    number = {row: at for at, row in enumerate(sorted({row for each in rows for row in each}))}
    return [np.array([number[row] for row in each], np.int64) for each in rows]


def _dense(column: Column) -> tuple[Column, int]:
    """Replaces numbers by small ones, equal where they are; returns these, and how many there may be."""
    if len(column) == 0:
        return column, 1
    low, count = extent(column)
    if count > roomy(len(column)) and _apart(low, count):
        column = _together(column)
        low, count = extent(column)
    if count <= roomy(len(column)):
        return column - low, count
    encoded = pa.array(column).dictionary_encode()
    return encoded.indices.to_numpy().astype(np.int64), len(encoded.dictionary)


def digests(columns: Sequence[Column]) -> Column:
    """Hashes: equal for equal rows, and seldom for others."""
    mixed = np.zeros(len(columns[0]), np.uint64)
    for column in columns:
        mixed = (mixed ^ column.view(np.uint64)) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(29)
    return mixed.view(np.int64)


def roomy(length: int) -> int:
    """The largest range of numbers for which a lookup table is faster than sorting `length` of them."""
    return 8 * length + 1024


_IDS = -(2**51)  # the first cell of an id, far from the marks -1, -2, … that stand for no value


def _apart(low: int, count: int) -> bool:
    """Whether a column has ids as well as marks, with nothing between them."""
    return _IDS <= low < _IDS // 2 <= low + count - 1 < 0


def _together(column: Column) -> Column:
    """Moves the marks of a column to just before its ids, where no cell is."""
    return column + (column >= _IDS // 2) * _IDS


def extent(column: Column) -> tuple[int, int]:
    """The least number of a non-empty column, and the size of its range."""
    low = int(np.minimum.reduce(column))  # `min` is the same, by a longer way
    return low, int(np.maximum.reduce(column)) - low + 1


def sorting(key: Column) -> Column:
    return np.arange(len(key)) if np.all(key[1:] >= key[:-1]) else ordered(key)[0]


_BITS = 64


def ordered(key: Column) -> tuple[Column, Column]:
    """The stable order that sorts keys, and the sorted keys."""
    if len(key) > FEW:  # NumPy sorts faster than it finds an order: rows are sorted within the lowest bits
        low, count = extent(key)
        bits = (len(key) - 1).bit_length()
        if (count - 1).bit_length() + bits < _BITS:
            both = key - low
            both <<= bits
            both |= np.arange(len(key))
            both.sort()
            order = both & ((1 << bits) - 1)
            both >>= bits
            both += low
            return order, both
    order = np.argsort(key, kind="stable")
    return order, key.take(order)


def marked(mask: Mask) -> Column:
    return mask.nonzero()[0]


def or_never(ticks: Column, mask: Mask) -> Column:
    """Ticks, or NEVER where a mask is true; much faster than `where`, as such masks have no pattern."""
    return np.maximum(ticks, mask * NEVER)


def positions(at: Column | Mask) -> Column:
    """Row positions from positions or a mask; taking by positions is several times faster."""
    return at.nonzero()[0] if at.dtype == np.bool_ else at.astype(np.int64, copy=False)


def places(at: Column, count: int) -> Column:
    """The index of each position among those given; undefined for other positions."""
    place = np.empty(count, np.int64)
    place[at] = np.arange(len(at))
    return place


def distinct(column: Column) -> Column:
    """The distinct numbers of a column, sorted: faster than hashing them."""
    if len(column) <= FEW:
        return np.array(sorted(set(column.tolist())), np.int64)
    low, count = extent(column)
    if count <= roomy(len(column)):
        there = np.zeros(count, np.bool_)
        there[column - low] = True
        return marked(there) + low
    sequence = np.sort(column)
    return sequence.take(marked(changed(sequence)))


def numbered(column: Column) -> tuple[Column, Column]:
    """The distinct numbers of a column in order, and the position of each row's number among them."""
    if len(column) <= FEW:
        given = column.tolist()
        place = {number: at for at, number in enumerate(sorted(set(given)))}
        return np.array([*place], np.int64), np.array([place[number] for number in given], np.int64)
    low, count = extent(column)
    if count > roomy(len(column)) and _apart(low, count):
        different, which = numbered(_together(column))
        marks = int(np.searchsorted(different, _IDS))  # which come last, where they belong
        different = np.concatenate([different[marks:], different[:marks] - _IDS])
        which -= marks
        which += (which < 0) * len(different)
        return different, which
    if count <= roomy(len(column)):
        at = column - low
        there = np.zeros(count, np.bool_)
        there[at] = True
        different = marked(there)
        return different + low, places(different, count).take(at)
    order, sequence = ordered(column)
    fresh = changed(sequence)
    which = np.empty(len(column), np.int64)
    which[order] = ordinals(fresh)
    return sequence.take(marked(fresh)), which


def once(key: Column) -> tuple[Column, Column]:
    """One row for each distinct key, in the order of the keys, and the number of each row's key."""
    if len(key) == 0:
        return key, key
    low, count = extent(key)
    if count <= roomy(len(key)):
        at = key - low
        row = np.full(count, -1, np.int64)
        row[at] = np.arange(len(key))
        different = marked(row >= 0)
        return row.take(different), places(different, count).take(at)
    same = groups(key)
    return same.first, same.numbers


def inverse(order: Column) -> Column:
    return places(order, len(order))


def in_order(columns: Sequence[Column]) -> Column:
    """The order that sorts rows of natural numbers column by column."""
    return sorting(combined(columns))


def combined(columns: Sequence[Column]) -> Column:
    """One number for each row of natural numbers, in the order of the rows."""
    key, size = columns[0], int(columns[0].max(initial=0)) + 1
    for column in columns[1:]:
        count = int(column.max(initial=0)) + 1
        if size > ROOM // count:
            different, key = numbered(key)
            size = len(different)
        if size > ROOM // count:
            different, column = numbered(column)  # noqa: PLW2901 - the same, closer together
            count = len(different)
        key, size = key * count + column, size * count
    return key


def changed(ordered: NDArray[np.integer[Any]]) -> Mask:
    """Masks the rows at which a sorted column changes."""
    fresh = np.empty(len(ordered), np.bool_)
    fresh[:1] = True
    np.not_equal(ordered[1:], ordered[:-1], out=fresh[1:])
    return fresh


def run_ends(ordered: NDArray[np.integer[Any]]) -> Mask:
    """Masks the last row of each run of equal numbers in a sorted column."""
    last = np.empty(len(ordered), np.bool_)
    last[-1:] = True
    np.not_equal(ordered[1:], ordered[:-1], out=last[:-1])
    return last


def ordinals(fresh: Mask) -> Column:
    """The rank of each row's number in a sorted column, given where the numbers change."""
    which = fresh.astype(np.int64)
    which[:1] = 0
    return which.cumsum(out=which)  # in place, which takes less than half of the time


@dataclass(frozen=True)
class Groups:
    """Groups of rows with equal keys, side by side in `order` from `starts` on; or each row `alone`."""

    order: Column
    starts: Column
    alone: bool = False

    @property
    def count(self) -> int:
        return len(self.starts)

    @property
    def sizes(self) -> Column:
        return np.diff(self.starts, append=len(self.order))

    @property
    def first(self) -> Column:
        return self.order.take(self.starts)

    @property
    def numbers(self) -> Column:
        """The group of each row, in the original order."""
        fresh = np.zeros(len(self.order), np.bool_)
        fresh[self.starts] = True
        numbers = np.empty(len(self.order), np.int64)
        numbers[self.order] = ordinals(fresh)
        return numbers

    def least(self, column: Column) -> Column:
        return np.minimum.reduceat(column.take(self.order), self.starts) if self.count else column[:0]

    def most(self, column: Column) -> Column:
        return np.maximum.reduceat(column.take(self.order), self.starts) if self.count else column[:0]

    def any(self, mask: Mask) -> Mask:
        return np.logical_or.reduceat(mask[self.order], self.starts) if self.count else mask[:0]


def groups(key: Column) -> Groups:
    order, sequence = ordered(key)
    return Groups(order, marked(changed(sequence)))


# ---- frozen dataclasses of columns with one row per thing, whose rows can be selected and joined ----


class ColumnSet:
    """Columns of equal length, named by subclasses.

    A field is an array with rows along `axis`, a column set, or a tuple or mapping of such. Other fields, and
    those in `shared`, describe all rows together and stay as they are.
    """

    axis: ClassVar[int] = 0
    shared: ClassVar[frozenset[str]] = frozenset()

    def take(self, at: Column | Mask) -> Self:
        kind: Any = type(self)
        rows, own, axis = positions(at), self.__dict__, kind.axis
        taken = [own[n] if n in kind.shared else _taken(own[n], rows, axis) for n in _names(kind)]
        found: Self = kind(*taken)
        return found

    def and_then(self, *others: Self) -> Self:
        """Appends the rows of other sets; shared fields are those of the last set."""
        kind: Any = type(self)
        values = {name: [getattr(each, name) for each in (self, *others)] for name in _names(kind)}
        joined = (v[-1] if name in kind.shared else _joined(v, kind.axis) for name, v in values.items())
        return kind(*joined) if others else self


class RowSet(ColumnSet):
    """A column set that knows how many rows it has, by its first column."""

    @property
    def count(self) -> int:
        return next(len(each) for each in vars(self).values() if type(each) is np.ndarray)


@cache
def _names(kind: Any) -> tuple[str, ...]:
    return tuple(each.name for each in fields(kind))


def _taken(value: Any, rows: Column, axis: int) -> Any:
    if type(value) is np.ndarray:
        return value.take(rows, axis)
    if isinstance(value, ColumnSet):
        return value.take(rows)
    if type(value) is tuple:
        return tuple([_taken(each, rows, axis) for each in value])
    if isinstance(value, Mapping):
        return {name: _taken(each, rows, axis) for name, each in value.items()}
    return value


def _joined(values: list[Any], axis: int) -> Any:
    last = values[-1]
    if type(last) is np.ndarray:
        return np.concatenate(values, axis)
    if isinstance(last, ColumnSet):
        return values[0].and_then(*values[1:])
    if type(last) is tuple:
        return tuple(_joined([*each], axis) for each in zip(*values, strict=True))
    if isinstance(last, Mapping):
        return {name: _joined([each[name] for each in values], axis) for name in last}
    return last
