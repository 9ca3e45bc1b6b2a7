"""The answers whose chances are asked for, as columns, and what each one's conditions say.

X    T  asked at     Malf(wt2, 0) at tick 1: its cells, tick 0, 1 tick old
wt2  0  1
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from antelog.compile.literals.background import StaticAtom
from antelog.compile.literals.terms import Const, Term, Var
from antelog.engine.columns.joins import find_rows
from antelog.engine.columns.tables import Column, Mask
from antelog.engine.values.comparing import holds
from antelog.engine.values.encoding import UNBOUND
from antelog.engine.values.values import Values
from antelog.forecast.formulas.formulas import WHEN, Condition

Tables = Mapping[str, Sequence[Column]]
"""The background: the columns of each static predicate in the forecast's cells; none if it has no facts."""


@dataclass(frozen=True, eq=False)
class Asked:
    """Answers of a query: the cells of their variables, their ticks (0 where the query fixes it), and
    the ticks as of which their chances are asked."""

    cells: Mapping[str, Column]
    tick: Column
    as_of: Column

    @property
    def count(self) -> int:
        return len(self.tick)

    @property
    def age(self) -> Column:
        """How many ticks after its own each is asked about; negative before."""
        age: Column = self.as_of - self.tick
        return age

    @property
    def whole(self) -> Mask:
        """Which have no open variable."""
        whole = self.tick >= 0
        for column in self.cells.values():
            whole &= column != UNBOUND
        return whole

    def take(self, at: Column) -> Asked:
        return Asked({n: c.take(at) for n, c in self.cells.items()}, self.tick.take(at), self.as_of.take(at))


def met(condition: Condition, asked: Asked, tables: Tables, values: Values) -> Mask:
    """For which answers a condition holds."""
    if isinstance(condition, StaticAtom):
        return _there(condition, asked, tables, values) ^ condition.negated
    return holds(condition, {**asked.cells, WHEN: asked.tick}, asked.count, values)


def _there(atom: StaticAtom, asked: Asked, tables: Tables, values: Values) -> Mask:
    """For which answers the background has a fact; where the atom says nothing, any value does."""
    columns = tables[atom.predicate]
    given = [(i, argument) for i, argument in enumerate(atom.arguments) if argument is not None]
    if not columns or not given:
        return np.full(asked.count, bool(columns))
    table = [columns[i] for i, _ in given]
    sought = [term_column(argument, asked, values) for _, argument in given]
    found: Mask = find_rows(sought, table) >= 0
    return found


def term_column(term: Term, asked: Asked, values: Values) -> Column:
    match term:
        case Var(name):
            return asked.cells[name]
        case Const(value):
            return np.full(asked.count, values.cell(value), np.int64)
