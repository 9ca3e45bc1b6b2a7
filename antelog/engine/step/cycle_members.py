"""Aggregates of atoms in a cycle: their members have numbers before it is decided which are true.

    Alarm(X, E, T) :- Fail(X, E, T), count(Alarm(X, _, T-60..T-1)) < 3.

Alarm(wt2, E, 5) with any E has a number, too, for until when one that nobody knows yet may come. That rests
on the alarms before it as well: after three of them none can come.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from antelog.compile.literals.aggregate import Aggregation
from antelog.engine.columns.tables import Column
from antelog.engine.step.amounts import compared
from antelog.engine.step.cycle_numbers import NumberedMembers, Numbering
from antelog.engine.step.derivations import Atoms, Knowledge, Truth, atoms_of
from antelog.engine.step.members import AskedAtoms, members
from antelog.engine.step.rows import Rows
from antelog.engine.values.values import Values


@dataclass(frozen=True, eq=False)
class UnnumberedAggregation:
    """An aggregate in derivations, before the atoms that it asks for have numbers."""

    node: Aggregation
    rows: Rows
    values: Values
    asked: tuple[AskedAtoms, ...]

    @classmethod
    def of(
        cls, node: Aggregation, rows: Rows, known: Knowledge, since: Column | None
    ) -> UnnumberedAggregation:
        names = sorted(node.variables & rows.bound.keys())
        some = Rows({name: rows.bound[name] for name in names}, rows.count, as_of=rows.as_of)
        aggregates = (each.with_any(some.bound.keys()) for each in node.aggregates)
        asked = (
            AskedAtoms.of(known, each, atoms_of(each.inside.reference, rows, known.values), since)
            for each in aggregates
        )
        return cls(node, some, known.values, tuple(asked))

    @property
    def atoms(self) -> Sequence[Atoms]:
        return [each.atoms for each in self.asked]

    def numbered(self, numbers: Numbering) -> NumberedAggregation:
        return NumberedAggregation(self, tuple(numbers.members(each) for each in self.asked))


@dataclass(frozen=True, eq=False)
class NumberedAggregation:
    """An aggregate in derivations that rests on atoms which have numbers."""

    asked: UnnumberedAggregation
    members: tuple[NumberedMembers, ...]

    @property
    def by_row(self) -> Sequence[tuple[Column, Column]]:
        return [pair for each in self.members for pair in each.by_row]

    def truth(self, known: Truth, row: Column) -> Truth:
        """Its truth in some rows, once the atoms of all lower levels are known."""
        node, rows, values = self.asked.node, self.asked.rows.take(row), self.asked.values
        found = [
            members(aggregate.with_any(rows.bound.keys()), *each.for_rows(row).decided(known), rows, values)
            for aggregate, each in zip(node.aggregates, self.members, strict=True)
        ]
        truth = compared(node, found, rows, values).truth
        # By when one with open variables is decided has been found out where it waits for them.
        is_open = not node.variables <= rows.bound.keys()
        return truth._replace(decided=np.full_like(row, -1)) if is_open else truth
