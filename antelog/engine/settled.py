"""What has been settled for good, of relations that rest on their own negation in the past.

Such a relation cannot be worked out from the facts about a few ticks: whether an atom is true
may depend on all ticks before it. So once all atoms about a tick are settled, the true ones are
remembered for as long as a rule may ask for them, and the facts behind them forgotten.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from antelog.engine.encoding import LAST_ID
from antelog.engine.layout import ANYONE
from antelog.engine.tables import Column, Mask, find, keys_of

ALWAYS = -1
"""Before the first tick."""


@dataclass(frozen=True)
class Settled:
    """The remembered atoms of a relation, whose truth is known for all ticks up to `until`.

    An atom not among them is false, unless one is that differs from it only by having, in the
    place of some values, the cells that stand for values nobody has named. They are true, or false,
    from some tick on (ALWAYS where nobody can still ask `when`).
    """

    until: int
    columns: tuple[Column, ...]
    ticks: Column
    true: Mask
    when: Column

    def lookup(self, columns: list[Column], ticks: Column) -> tuple[Mask, Column]:
        """Whether atoms about ticks up to `until` are true, and from when on they are true, or false."""
        result, when = np.zeros(len(ticks), np.bool_), np.full(len(ticks), ALWAYS)
        undecided = np.ones(len(ticks), np.bool_)
        positions = range(len(self.columns))
        for size in range(len(self.columns) + 1):
            for open_ in combinations(positions, size):
                if size and not any(is_open(self.columns[i]).any() for i in open_):
                    continue
                asked = [
                    np.full(len(ticks), ANYONE) if i in open_ else canonical(columns[i]) for i in positions
                ]
                at = find(*keys_of([[*asked, ticks], [*self.columns, self.ticks]]))
                hit = undecided & (at >= 0)
                result[hit], when[hit] = self.true[at[hit]], self.when[at[hit]]
                undecided &= ~hit
        return result, when

    def since(self, first: int) -> Settled:
        """Without the atoms about earlier ticks."""
        return self.take(self.ticks >= first)

    def take(self, kept: Mask) -> Settled:
        """With some of the atoms."""
        columns = tuple(column[kept] for column in self.columns)
        return Settled(self.until, columns, self.ticks[kept], self.true[kept], self.when[kept])

    def and_more(self, new: Settled) -> Settled:
        """With atoms about later ticks, which are known now."""
        columns = (np.concatenate(both) for both in zip(self.columns, new.columns, strict=True))
        old_rest, rest = (self.ticks, self.true, self.when), (new.ticks, new.true, new.when)
        ticks, true, when = (np.concatenate(both) for both in zip(old_rest, rest, strict=True))
        return Settled(new.until, tuple(columns), ticks, true, when)


def nothing_settled(width: int) -> Settled:
    empty = np.zeros(0, np.int64)
    return Settled(-1, (empty,) * width, empty, np.zeros(0, np.bool_), empty)


def is_open(column: Column) -> Mask:
    """Which cells stand for values nobody has named."""
    mask: Mask = (column <= ANYONE) & (column > LAST_ID)
    return mask


def canonical(column: Column) -> Column:
    """The same cell for all that stand for values nobody has named."""
    return np.where(is_open(column), ANYONE, column)
