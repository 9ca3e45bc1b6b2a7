"""Derivations: rows of a pattern, and when each of their literals becomes true or false.

Every tick that is computed here holds if nothing more arrives; up to the tick that is finished
(`now`) it holds whatever arrives later.

    Malf(X, T) with X = wt2, T = 0, delay 1                    true   false   due
    Temp(wt2, high, 0)   arrived at 0                             0   never     1
    Temp(wt2, high, 1)   not there                            never       2     2
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from antelog.compile.prepared.pattern import Prepared
from antelog.engine.columns.tables import NEVER, Column, Mask, or_never, positions
from antelog.engine.step.literals.literal import Truth
from antelog.engine.step.rows import Rows


@dataclass(frozen=True, eq=False)
class Derivations:
    """Rows of a pattern, and when each of their literals becomes true (`holds`) or false (`fails`).

    The fact literals come first, one line each, then the asked ones, if these have lines already. `settled`
    is the tick by which everything a literal depends on has arrived or never will.
    """

    prepared: Prepared
    rows: Rows
    holds: Column
    fails: Column
    settled: Column

    def take(self, at: Column | Mask) -> Derivations:
        at = positions(at)
        return Derivations(
            self.prepared,
            self.rows.take(at),
            self.holds.take(at, axis=1),
            self.fails.take(at, axis=1),
            self.settled.take(at, axis=1),
        )

    @property
    def owner(self) -> Column:
        """Which of the atoms asked for each row is a derivation of."""
        assert self.rows.owner is not None
        return self.rows.owner

    def owned_by(self, owner: Column) -> Derivations:
        return replace(self, rows=replace(self.rows, owner=owner))

    def with_lines(self, lines: Sequence[Truth]) -> Derivations:
        """Derivations with the lines of asked literals after those they have."""
        if not lines:
            return self
        true_at, false_at, settled = zip(*lines, strict=True)
        return Derivations(
            self.prepared,
            self.rows,
            np.vstack((self.holds, *true_at)),
            np.vstack((self.fails, *false_at)),
            np.vstack((self.settled, *settled)),
        )

    def as_of(self, then: Column) -> Derivations:
        """Their fact literals as of some ticks, when nothing was known of later facts."""
        facts = len(self.prepared.facts)
        due, true = self.settled[:facts], self.holds[:facts] <= then
        fails = or_never(due, true)
        if any(fact.slot is not None for fact in self.prepared.facts):
            before = self.fails[:facts]
            fails = np.where(before <= then, before, fails)
        rows = replace(self.rows, as_of=then)
        return Derivations(self.prepared, rows, or_never(self.holds[:facts], ~true), fails, due)

    @property
    def complete(self) -> Column:
        """When all literals of a row are true."""
        last: Column = self.holds.max(axis=0, initial=-1)
        return last

    @property
    def failed(self) -> Column:
        """When some literal of a row is false."""
        first: Column = self.fails.min(axis=0, initial=NEVER)
        return first

    @property
    def seen(self) -> Column | np.int64:
        """As of which ticks they are seen; -1 for now."""
        return np.int64(-1) if self.rows.as_of is None else self.rows.as_of

    @property
    def open_until(self) -> Column:
        """By when all is settled that the open literals of a row depend on; -1 where none is open.

        A literal that is false already settles the row, and is none of these.
        """
        last: Column = ((self.settled + 1) * (self.holds > self.seen)).max(axis=0, initial=0) - 1
        return last
