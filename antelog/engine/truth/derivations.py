"""Derivations, and when each of their literals becomes true or false.

Every tick that is computed here holds if nothing more arrives; up to the tick that is finished
(`now`) it holds whatever arrives later.

    Malf(X, T) with X = wt2, T = 0, delay 1                    true   false   due
    Temp(wt2, high, 0)   arrived at 0                             0   never     1
    Temp(wt2, high, 1)   not there                            never       2     2
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from antelog.compile.prepared.pattern import Prepared
from antelog.engine.columns.tables import NEVER, Column, Mask, or_never, positions
from antelog.engine.matching.knowledge import Knowledge
from antelog.engine.matching.partials import Partial
from antelog.engine.matching.rows import AS_OF, Rows
from antelog.engine.truth.deadlines import Delays, deadline, taken


@dataclass(frozen=True, eq=False)
class Derivations:
    """Rows of a pattern, and when each of their literals becomes true (`holds`) or false (`fails`).

    The fact literals come first, then the negated ones, one line each. `settled` is the tick by
    which everything a literal depends on has arrived or never will.
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
    def complete(self) -> Column:
        """When all literals of a row are true."""
        last: Column = self.holds.max(axis=0, initial=-1)
        return last

    @property
    def failed(self) -> Column:
        """When some literal of a row is false."""
        first: Column = self.fails.min(axis=0, initial=NEVER)
        return first


def with_facts(known: Knowledge, prepared: Prepared, partial: Partial) -> Derivations:
    """Rows with the lines of their fact literals; nothing is known of the negated ones yet.

    Rows with a column AS_OF are looked at as of these ticks: what arrived later is not there.
    """
    rows, count = partial.rows, len(prepared.facts)
    lines = np.full((3, count + len(prepared.asked), rows.count), NEVER)
    holds, fails, settled = lines
    as_of, delays = rows.bound.get(AS_OF), Delays()
    for i, fact in enumerate(prepared.facts):
        arrived = partial.arrived[i]
        settled[i] = deadline(known, prepared, fact, rows, delays)
        late = taken(known, fact, rows)
        if as_of is not None:
            arrived = or_never(arrived, arrived > as_of)
            late = None if late is None else or_never(late, late > as_of)
        holds[i] = arrived
        fails[i] = settled[i] if late is None else np.minimum(settled[i], late)
        fails[i] = or_never(fails[i], arrived != NEVER)
    settled[count:] = -1
    return Derivations(prepared, rows, holds, fails, settled)


def looked_back(known: Knowledge, found: Derivations, then: Column) -> Derivations:
    """The same derivations as of some ticks, which is less than to find them again.

    What is known of their negated literals is left out.
    """
    prepared, facts = found.prepared, len(found.prepared.facts)
    rows = Rows({**found.rows.bound, AS_OF: then}, found.rows.count)
    if any(fact.slot is not None for fact in prepared.facts):
        return with_facts(known, prepared, Partial(rows, found.holds[:facts]))
    holds, fails = np.full((2, *found.holds.shape), NEVER)
    settled = np.full_like(found.settled, -1)
    settled[:facts] = found.settled[:facts]
    holds[:facts] = or_never(found.holds[:facts], found.holds[:facts] > then)
    fails[:facts] = or_never(settled[:facts], holds[:facts] != NEVER)
    return Derivations(prepared, rows, holds, fails, settled)
