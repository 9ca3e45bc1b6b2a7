"""The values of aggregates over time, as lines of derivations have them.

count(Fail(wt2, _, 0..9)) >= 8     1 from 0 on, 2 from 1 on, 3 from 2 on, ...
quarters                           2 are reached at 1, 4 at 3, 6 at 6, 8 at 7
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from antelog.engine.columns.column_set import ColumnSet
from antelog.engine.columns.tables import Column
from antelog.engine.values.numbers import Numbers


class AmountSoFar(Protocol):
    """The values of an aggregate over time, for some rows."""

    def values(self, row: Column, tick: Column) -> Numbers:
        """The values in some rows at some ticks; not a number where there is none."""
        ...


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
