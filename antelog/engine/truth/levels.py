"""Truth in the order of levels, where atoms rest on the negation of earlier ones.

Atoms are numbers here. A row is a derivation of one: when its other literals are all true and
when one of them is false, and the atoms it negates. As negation leads into the past, atoms of one
level rest on those of lower levels only, and all of a level are decided at once.

    Off(3) rests on not Off(2), that on not Off(1): first Off(1), then Off(2), then Off(3)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from antelog.engine.columns.tables import NEVER, Column, Mask

FALSE, OPEN, FIRST = range(3)
"""Atoms that are false and unknown whatever happens, and the number of the first other one."""


@dataclass(frozen=True)
class Recalled:
    """Numbers of atoms that are decided already: two for each tick, from the `first` on."""

    first: int
    ticks: Column

    def numbers(self, true: Mask, when: Column) -> Column:
        """Those of atoms that are true, or else false, from some ticks on."""
        numbers: Column = self.first + 2 * np.searchsorted(self.ticks, when) + true
        return numbers


@dataclass(frozen=True)
class Rests:
    """Derivations of atoms and what they rest on; `asks` has a column for each negated atom.

    `level` and `rank` are those of the derived atom. `then` is the tick as of which to look.
    """

    atom: Column
    level: Column
    rank: Column
    complete: Column
    failed: Column
    settled: Column
    then: Column
    asks: Column


def decide(recalled: Recalled, rests: Rests) -> tuple[Column, Column, Column]:
    """When each atom becomes true, when false, and by when that is certain."""
    first, count = recalled.first, recalled.first + 2 * len(recalled.ticks)
    true_at, false_at, settled = (
        np.full(count, NEVER),
        np.full(count, np.int64(-1)),
        np.full(count, np.int64(-1)),
    )
    false_at[OPEN], settled[OPEN] = NEVER, NEVER
    false_at[first::2], false_at[first + 1 :: 2] = recalled.ticks, NEVER
    true_at[first + 1 :: 2] = recalled.ticks
    order = np.lexsort((rests.rank, rests.level))
    level, rank = rests.level[order], rests.rank[order]
    new = np.flatnonzero(np.r_[True, (level[1:] != level[:-1]) | (rank[1:] != rank[:-1])])
    ends = np.append(new[1:], len(order))
    for start, end in zip(new.tolist(), ends.tolist(), strict=True):
        at = order[start:end]
        atom, asks, then = rests.atom[at], rests.asks[at], rests.then[at]
        holds, fails = false_at[asks], true_at[asks]
        complete = np.maximum(rests.complete[at], holds.max(axis=1))
        failed = np.minimum(rests.failed[at], fails.min(axis=1))
        last = np.where(holds > then[:, None], settled[asks], -1).max(axis=1)
        last = np.where(failed > then, np.maximum(last, rests.settled[at]), -1)
        np.minimum.at(true_at, atom, complete)
        np.maximum.at(false_at, atom, failed)
        np.maximum.at(settled, atom, last)
        false_at[atom[true_at[atom] < NEVER]] = NEVER
    return true_at, false_at, settled
