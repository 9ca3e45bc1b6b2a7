"""Facts of the inputs as columns by key and tick, and what lies in a range of rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from antelog.compile.nodes.plan import Input, Plan
from antelog.engine.columns.tables import Column, Mask, Numbers
from antelog.incidents.incident_list import numbers_of, texts
from antelog.language.printer import value_text

APART = 1 << 40  # more ticks than there are
_MOST_TEXTS = 40  # a column with more different texts has names, not kinds


@dataclass(frozen=True, eq=False)
class InputColumns:
    """The facts of an input by key and tick: columns of numbers, and columns of texts that come again."""

    source: Input
    key_at: int | None  # the position of the key among its columns
    key: Column
    tick: Column
    values: Mapping[str, Numbers]
    kinds: Mapping[str, Sequence[str]]  # the texts of a column, the most frequent first
    coded: Mapping[str, Column]  # and the number of each of its texts

    @classmethod
    def of(cls, source: Input, table: pa.Table, key_at: int | None, keys: dict[str, int]) -> InputColumns:
        """The facts of a table; `keys` has the numbers of keys, and gets new ones."""
        names = source.columns[:-1]
        if source.slot is None:  # equal facts of a tick are one
            table = table.select(list(source.columns)).group_by(list(source.columns)).aggregate([])
        key = np.zeros(table.num_rows, np.int64)
        if key_at is not None:
            key = numbers_of(texts(table.column(names[key_at]), ""), keys)
        tick = table.column(source.columns[-1]).to_numpy()
        order = np.lexsort((tick, key))
        found = cls(source, key_at, key[order], tick[order], values := {}, kinds := {}, codes := {})
        for name in (each for at, each in enumerate(names) if at != key_at):
            column = table.column(name).combine_chunks()
            if pa.types.is_integer(column.type) or pa.types.is_floating(column.type):
                values[name] = pc.fill_null(pc.cast(column, pa.float64()), np.nan).to_numpy()[order]
                continue
            known = dict[str, int]()
            code = numbers_of(texts(column, ""), known)
            if len(known) <= _MOST_TEXTS:
                often = np.argsort(-np.bincount(code), kind="stable")
                kinds[name] = [[*known][each] for each in often]
                codes[name] = np.argsort(often)[code][order]
        return found

    @cached_property
    def code(self) -> Column:
        """A number for each fact, which sorts by key, then tick; no range of ticks reaches another key."""
        return self.key * APART + self.tick

    @property
    def has_latest(self) -> bool:
        """Whether there is a latest fact for each key: one a tick, at most."""
        key = () if self.key_at is None else (self.key_at,)
        return self.source.slot is not None and tuple(self.source.slot) == key

    def are(self, column: str, kind: str) -> Mask:
        """Which facts have a text in a column."""
        found: Mask = self.coded[column] == self.kinds[column].index(kind)
        return found


def key_positions(plan: Plan) -> dict[str, int]:
    return {each.name: each.position for each in plan.key.positions} if plan.key else {}


def number_text(number: float) -> str:
    return value_text(int(number) if float(number).is_integer() else float(number))


# ---- what lies from a row to before another one ----


def counts(first: Column, end: Column, mask: Mask | None = None) -> Column:
    if mask is None:
        return end - first
    total = np.append(0, np.cumsum(mask))
    found: Column = total[end] - total[first]
    return found


def means(first: Column, end: Column, values: Numbers) -> Numbers:
    """The mean of each range; NaN where it is empty."""
    usable = ~np.isnan(values)
    total = np.append(0.0, np.cumsum(np.where(usable, values, 0.0)))
    number = counts(first, end, usable)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(number > 0, (total[end] - total[first]) / number, np.nan)


def highest(first: Column, end: Column, values: Numbers) -> Numbers:
    """The largest number of each range; NaN where it is empty. From those of runs of 2, 4, 8, … rows."""
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


def latest(first: Column, end: Column, values: Numbers) -> Numbers:
    """The last number of each range; NaN where it is empty."""
    return np.where(end > first, values[np.maximum(end - 1, 0)] if len(values) else np.nan, np.nan)
