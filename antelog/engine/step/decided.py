"""Decided atoms of relations that rest on their own negation in the past.

Such a relation cannot be worked out from the facts about a few ticks: whether an atom is true may
depend on all ticks before it. So once all atoms about a tick are decided, the true ones are
remembered for as long as a rule may ask for them, and the facts behind them forgotten.

    Off: known up to tick 7; true at 3 and 5, so false at all others
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from antelog.engine.columns.column_set import ColumnSet
from antelog.engine.columns.joins import find_rows
from antelog.engine.columns.tables import Column, Mask
from antelog.engine.values.encoding import OTHERS

ALWAYS = -1
"""Before the first tick."""


@dataclass(frozen=True)
class DecidedAtoms(ColumnSet):
    """The remembered atoms of a relation, whose truth is known for all ticks up to `until`.

    An atom that is not among them is as the one with "all others" in place of one of its values, if
    that one is there, and false otherwise. They are true, or false, from some tick on (ALWAYS where
    nobody can still ask `when`).
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
        general = [i for i, column in enumerate(self.columns) if np.any(column == OTHERS)]
        for others in (None, *general):
            asked = [np.full_like(c, OTHERS) if i == others else c for i, c in enumerate(columns)]
            at = find_rows([*asked, ticks], [*self.columns, self.ticks])
            hit = undecided & (at >= 0)
            result[hit], when[hit] = self.true[at[hit]], self.when[at[hit]]
            undecided &= ~hit
        return result, when

    def since(self, first: int) -> DecidedAtoms:
        """The decided atoms without those about earlier ticks."""
        return self.take(self.ticks >= first)


def nothing_decided(width: int) -> DecidedAtoms:
    empty = np.zeros(0, np.int64)
    return DecidedAtoms(-1, (empty,) * width, empty, np.zeros(0, np.bool_), empty)
