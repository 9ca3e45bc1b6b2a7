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


@dataclass(frozen=True)
class Settled:
    """The remembered atoms of a relation, whose truth is known for all ticks up to `until`.

    An atom not among them is false, unless one is that differs from it only by having, in the
    place of some values, the cells that stand for values nobody has named.
    """

    until: int
    columns: tuple[Column, ...]
    ticks: Column
    true: Mask

    def lookup(self, columns: list[Column], ticks: Column) -> Mask:
        """Whether atoms about ticks up to `until` are true."""
        result = np.zeros(len(ticks), np.bool_)
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
                result[hit] = self.true[at[hit]]
                undecided &= ~hit
        return result

    def since(self, first: int) -> Settled:
        """Without the atoms about earlier ticks."""
        kept = self.ticks >= first
        return Settled(self.until, tuple(c[kept] for c in self.columns), self.ticks[kept], self.true[kept])


def nothing_settled(width: int) -> Settled:
    empty = np.zeros(0, np.int64)
    return Settled(-1, (empty,) * width, empty, np.zeros(0, np.bool_))


def is_open(column: Column) -> Mask:
    """Which cells stand for values nobody has named."""
    mask: Mask = (column <= ANYONE) & (column > LAST_ID)
    return mask


def canonical(column: Column) -> Column:
    """The same cell for all that stand for values nobody has named."""
    return np.where(is_open(column), ANYONE, column)
