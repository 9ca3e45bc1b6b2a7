"""The values of aggregates over time, as lines of derivations have them.

count(Fail(wt2, _, 0..9)) >= 8     1 from 0 on, 2 from 1 on, 3 from 2 on, ...
quarters                           2 are reached at 1, 4 at 3, 6 at 6, 8 at 7
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, Self

import numpy as np

from antelog.engine.columns.column_set import ColumnSet
from antelog.engine.columns.tables import NEVER, Column, changed, combined, in_order, marked, sorting
from antelog.engine.values.numbers import Numbers


@dataclass(frozen=True, eq=False)
class TickTable:
    """The ticks at which something changes for aggregates, row by row: the first is before all others."""

    row: Column
    tick: Column

    @classmethod
    def of(cls, row: Column, tick: Column) -> Self:
        """These ticks of rows, each once; what never happens is left out."""
        some = marked(tick < NEVER)
        row, tick = row.take(some), tick.take(some)
        order = in_order([row, tick + 1])
        row, tick = row.take(order), tick.take(order)
        fresh = marked(changed(row) | changed(tick))
        return cls(row.take(fresh), tick.take(fresh))

    def up_to(self, row: Column, tick: Column) -> UpTo:
        """For each row at its tick, the entries that are given for it from that tick or an earlier one on."""
        rows, ticks = np.concatenate([row, self.row]), np.concatenate([tick, self.tick]) + 1
        key = combined([rows, ticks])
        own, here = key[: len(row)], key[len(row) :]
        order = sorting(own)
        sequence = row.take(order)
        return UpTo(
            order,
            sequence,
            np.searchsorted(sequence, self.row),
            np.searchsorted(sequence, self.row, "right"),
            np.searchsorted(own.take(order), here, "right"),
        )


@dataclass(frozen=True, eq=False)
class UpTo:
    """The entries of rows by some ticks: in the `order` of rows and ticks from `first` to before `end`.

    `row` has the row of each, in that order; `last` is where those of the tick's row end.
    """

    order: Column
    row: Column
    first: Column
    last: Column
    end: Column


class AmountSoFar(Protocol):
    """The values of an aggregate over time, for some rows."""

    def values(self, row: Column, tick: Column) -> Numbers:
        """The values in some rows at some ticks; not a number where there is none."""
        ...


@dataclass(frozen=True, eq=False)
class AmountTable:
    """The values at the ticks at which they change."""

    at: TickTable
    now: Numbers

    def values(self, row: Column, tick: Column) -> Numbers:
        rows = np.concatenate([self.at.row, row])
        key = combined([rows, np.concatenate([self.at.tick, tick]) + 1])
        place = np.searchsorted(key[: len(self.at.row)], key[len(self.at.row) :], "right") - 1
        return self.now.take(place)


@dataclass(frozen=True, eq=False)
class AmountLine(ColumnSet):
    """The value of an aggregate over time, for derivations: `which` of the rows of `so_far` each has.

    `literal` is the number of the literal in its pattern, `quarters` has the tick of each quarter reached.
    """

    axis = -1
    shared = frozenset({"so_far"})

    literal: int
    which: Column
    so_far: AmountSoFar
    quarters: Column

    def values(self, row: Column, tick: Column) -> Numbers:
        """The values in some rows at some ticks; not a number where there is none."""
        return self.so_far.values(self.which.take(row), tick)
