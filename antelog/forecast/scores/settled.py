"""Scored lines: lines of the change log whose answers are decided by now.

    answer  told  chance  settled  confirmed
    7       3     0.6     5        yes          told at tick 3 with 60 %, confirmed at tick 5
    7       4     0.9     5        yes          the same answer, told again at tick 4

All parts of a score are sums over such lines.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Self

import numpy as np

from antelog.engine.columns.tables import Column, Mask, Numbers
from antelog.forecast.column_set import ColumnSet

UNIT = 2**30
"""What 1 is as a whole number."""


def exactly(numbers: Numbers) -> Column:
    return np.rint(numbers * UNIT).astype(np.int64)


class Sums:
    """A dataclass of sums, which are added one by one."""

    def __add__(self, other: Self) -> Self:
        names = [each.name for each in fields(self)]  # type: ignore[arg-type]  # subclasses are dataclasses
        return type(self)(*(getattr(self, name) + getattr(other, name) for name in names))


@dataclass(frozen=True, eq=False)
class ScoredLines(ColumnSet):
    """A row for each told line of answers of one query that are now settled.

    answer      which answer: any numbers, equal for the lines of one answer
    told        the tick of the line
    chance      what it was told with; NaN where none was told
    settled     the tick at which the answer was confirmed, or finally not
    confirmed   what became of it
    """

    answer: Column
    told: Column
    chance: Numbers
    settled: Column
    confirmed: Mask

    @property
    def count(self) -> int:
        return len(self.answer)


def with_chance(settled: ScoredLines) -> ScoredLines:
    """The lines that were told with a chance. Raises ValueError if they cannot be right."""
    lines = settled.take(~np.isnan(settled.chance))
    if not np.all((lines.chance >= 0) & (lines.chance <= 1)):
        raise ValueError("a chance is below 0 or above 1")
    if np.any(lines.told > lines.settled):
        raise ValueError("an answer was told after it was settled")
    return lines
