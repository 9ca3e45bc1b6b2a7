"""Facts of the inputs as columns by key and tick, and what lies in a range of ticks before each moment.

A *moment* is a tick at which a key has a fact of the densest input: there a rule may hold.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from antelog.compile.nodes.plan import Input, Plan
from antelog.engine.columns.tables import Column, Mask, Numbers, changed
from antelog.language.printer import value_text

MOST_TEXTS = 40  # a column with more different texts has names, not kinds


@dataclass(frozen=True, eq=False)
class Kinds:
    """A column of texts that come again: the number of each, and the texts, the most frequent first."""

    code: Column
    texts: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Stream:
    """The facts of an input by key and tick."""

    source: Input
    key_at: int | None  # the position of the key among its columns
    key: Column
    tick: Column
    values: Mapping[str, Numbers]
    kinds: Mapping[str, Kinds]

    @cached_property
    def code(self) -> Column:
        """Numbers that order facts by key and tick, far enough apart for ranges that go back."""
        return _code(self.key, self.tick)

    @property
    def has_latest(self) -> bool:
        """Whether there is a latest fact for each key: one a tick, at most."""
        key = () if self.key_at is None else (self.key_at,)
        return self.source.slot is not None and tuple(self.source.slot) == key


APART = 1 << 40  # more ticks than there are


def _code(key: Column, tick: Column) -> Column:
    return key * APART + tick


@dataclass(frozen=True, eq=False)
class Moments:
    """The moments at which rules may hold, by key and tick; `base` is the stream that has a fact at each.

    Of many moments a sample is looked at; `weight` is how many moments each stands for.
    """

    key: Column
    tick: Column
    base: Stream
    weight: Numbers

    @property
    def count(self) -> int:
        return len(self.key)

    @cached_property
    def code(self) -> Column:
        return _code(self.key, self.tick)

    @classmethod
    def of(cls, streams: Sequence[Stream]) -> Moments:
        base = max(streams, key=lambda each: int(np.count_nonzero(changed(each.code))))
        fresh = changed(base.code)
        return cls(base.key[fresh], base.tick[fresh], base, np.ones(int(np.count_nonzero(fresh))))

    def take(self, rows: Column, weight: Numbers) -> Moments:
        return Moments(self.key[rows], self.tick[rows], self.base, weight)

    def slices(self, stream: Stream, ticks: int, *, before: int = 0) -> tuple[Column, Column]:
        """For each moment the facts of a stream in the last ticks, from row to before row."""
        first = np.searchsorted(stream.code, self.code - ticks + 1)
        end = np.searchsorted(stream.code, self.code - before, "right")
        return first, np.maximum(first, end)


def stream_of(source: Input, table: pa.Table, key_at: int | None, keys: dict[str, int]) -> Stream:
    """The facts of an input as columns; `keys` has the numbers of keys, and gets new ones."""
    names = source.columns[:-1]
    if source.slot is None:  # equal facts of a tick are one
        table = table.select(list(source.columns)).group_by(list(source.columns)).aggregate([])
    key = np.zeros(table.num_rows, np.int64)
    if key_at is not None:
        coded = pc.dictionary_encode(_texts(table.column(names[key_at])))
        known = [keys.setdefault(each, len(keys)) for each in coded.dictionary.to_pylist()]
        key = np.array(known, np.int64)[coded.indices.to_numpy()]
    tick = table.column(source.columns[-1]).to_numpy()
    order = np.lexsort((tick, key))
    values, kinds = dict[str, Numbers](), dict[str, Kinds]()
    for position, name in enumerate(names):
        if position == key_at:
            continue
        column = table.column(name).combine_chunks()
        if pa.types.is_integer(column.type) or pa.types.is_floating(column.type):
            values[name] = pc.fill_null(pc.cast(column, pa.float64()), np.nan).to_numpy()[order]
        elif (found := _kinds(column)) is not None:
            kinds[name] = Kinds(found.code[order], found.texts)
    return Stream(source, key_at, key[order], tick[order], values, kinds)


def _kinds(column: pa.Array) -> Kinds | None:
    coded = pc.dictionary_encode(_texts(column))
    if len(coded.dictionary) > MOST_TEXTS:
        return None
    count = np.bincount(coded.indices.to_numpy(), minlength=len(coded.dictionary))
    order = np.argsort(-count, kind="stable")
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    texts = coded.dictionary.to_pylist()
    return Kinds(rank[coded.indices.to_numpy()], tuple(texts[i] for i in order))


def _texts(column: pa.Array | pa.ChunkedArray) -> pa.Array:
    array = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    try:
        return pc.fill_null(pc.cast(array, pa.string()), "")
    except pa.ArrowException:
        return pa.array(["" if each is None else str(each) for each in array.to_pylist()], pa.string())


def key_positions(plan: Plan) -> dict[str, int]:
    return {each.name: each.position for each in plan.key.positions} if plan.key else {}


# ---- what lies in ranges ----


def counts(slices: tuple[Column, Column], mask: Mask | None = None) -> Column:
    first, end = slices
    if mask is None:
        return end - first
    total = np.append(0, np.cumsum(mask))
    found: Column = total[end] - total[first]
    return found


def means(slices: tuple[Column, Column], values: Numbers) -> Numbers:
    """The mean of each slice; NaN where it is empty."""
    first, end = slices
    usable = ~np.isnan(values)
    total = np.append(0.0, np.cumsum(np.where(usable, values, 0.0)))
    number = counts(slices, usable)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(number > 0, (total[end] - total[first]) / number, np.nan)


def highest(slices: tuple[Column, Column], values: Numbers) -> Numbers:
    """The largest number of each slice; NaN where it is empty. From the largest of stretches of 2, 4, 8, …"""
    first, end = slices
    length = end - first
    found = np.full(len(first), -np.inf)
    level, size = np.where(np.isnan(values), -np.inf, values), 1
    while size <= max(int(length.max(initial=0)), 1):
        at = np.flatnonzero((length >= size) & (length < 2 * size))
        if len(at):
            found[at] = np.maximum(level[first[at]], level[end[at] - size])
        level = np.maximum(level[:-size], level[size:]) if len(level) > size else level[:0]
        size *= 2
    return np.where(np.isinf(found), np.nan, found)


def latest(slices: tuple[Column, Column], values: Numbers) -> Numbers:
    """The last number of each slice; NaN where it is empty."""
    first, end = slices
    return np.where(end > first, values[np.maximum(end - 1, 0)] if len(values) else np.nan, np.nan)


def number_text(number: float) -> str:
    return value_text(int(number) if float(number).is_integer() else float(number))
