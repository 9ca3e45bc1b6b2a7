"""A filter on lines: those of unlikely open answers are left out, and the least likely of too many.

    min_chance = 5%    Malf(wt2, 0) possible with 64 %, revised with 3 %    the second line is left out
    most = 100         101 lines of open answers at a tick                  the least likely is left out

Lines of alerts and of confirmed answers are never left out. A `rejected` line is left out if every line of
its answer before it had too small a chance. Nothing of this is part of a state: limits do not change it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from antelog.engine.columns.tables import Column, Mask, Numbers, groups, in_order
from antelog.engine.step.query import REJECT, REVISED, Kinds
from antelog.errors import DataError
from antelog.forecast.alerts import ROUNDED


@dataclass(frozen=True)
class Limits:
    """The least chance of a line, and the number of lines for each query and tick (None: no limit)."""

    min_chance: float | None = None
    most: int | None = None

    def __post_init__(self) -> None:
        if self.min_chance is not None and not 0 <= self.min_chance <= 1:
            raise DataError(f"min_chance is {self.min_chance}, and a chance is from 0 to 1")
        if self.most is not None and self.most < 1:
            raise DataError(f"most is {self.most}, but at least one answer has to be shown")

    def __bool__(self) -> bool:
        return self.min_chance is not None or self.most is not None


NO_LIMITS = Limits()


@dataclass(frozen=True)
class LeftOut:
    """The number of lines of open answers that were left out, and the sum of their chances."""

    lines: int = 0
    chances: float = 0.0

    def __add__(self, other: LeftOut) -> LeftOut:
        return LeftOut(self.lines + other.lines, self.chances + other.chances)


def filtered(lines: pa.Table, kind: Kinds, likeliest: Numbers, limits: Limits) -> tuple[pa.Table, LeftOut]:
    """Lines of these kinds of changes within the limits, and a count of those left out.

    `likeliest` is for each line the largest chance that its answer had in lines before: 1 if one of them had
    no chance, NaN if there was none.
    """
    if not limits or lines.num_rows == 0:
        return lines, LeftOut()
    chance, tick = lines.column("chance").to_numpy(), lines.column("tick").to_numpy()
    out = left_out_of(kind <= REVISED, chance, tick, limits)
    left_out = LeftOut(int(out.sum()), float(np.nansum(chance[out])))
    if limits.min_chance is not None:
        # Of rejected answers all lines before had too small a chance.
        out |= (kind == REJECT) & (likeliest < limits.min_chance - ROUNDED)
    return lines.filter(pa.array(~out)) if out.any() else lines, left_out


def open_within(table: pa.Table, open_: Mask, limits: Limits) -> pa.Table:
    """A table of open and confirmed answers within the limits."""
    if not limits or table.num_rows == 0:
        return table
    tick = np.zeros(table.num_rows, np.int64)
    out = left_out_of(open_, table.column("chance").to_numpy(), tick, limits)
    return table.filter(pa.array(~out)) if out.any() else table


def left_out_of(open_: Mask, chance: Numbers, tick: Column, limits: Limits) -> Mask:
    """The lines of open answers that limits leave out; a line without a chance counts as the likeliest."""
    out = np.zeros(len(open_), np.bool_)
    if limits.min_chance is not None:
        out = open_ & (chance < limits.min_chance - ROUNDED)
    if limits.most is not None:
        rows = np.flatnonzero(open_ & ~out)
        known = np.where(np.isnan(chance), 2.0, chance).take(rows)
        rank = np.round((2.0 - known) / ROUNDED).astype(np.int64)
        when = tick.take(rows)
        order = in_order([when - when.min(initial=0), rank])
        same = groups(when.take(order))
        place = np.arange(len(rows)) - same.starts.take(same.numbers) if len(rows) else rows
        out[rows.take(order[place >= limits.most])] = True
    return out
