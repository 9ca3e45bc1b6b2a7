"""Atoms that literals with open variables may ask for, and the conditions on these variables.

P(X, T) :- A(X, T), B(Y, T+1), not C(Y, T), Y != X.    not C(Y, 3), with Y != a, where A(a, 3) came
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

from antelog.compile.literals.comparison import Comparison
from antelog.compile.literals.literal import AskedLiteral, Reference
from antelog.compile.literals.terms import Time, Var
from antelog.compile.prepared.pattern import Prepared
from antelog.engine.columns.tables import Column, marked
from antelog.engine.step.derivations import Atoms
from antelog.engine.step.rows import Rows, first_tick, latest_tick, passing, term_column, time_column
from antelog.engine.values.values import Values


@dataclass(frozen=True, eq=False)
class OpenAtoms:
    """Atoms that a literal with open variables may ask for, and the conditions on these variables.

    `given` has the values that the conditions compare them with, one row for each of the atoms.
    """

    reference: Reference
    atoms: Atoms
    conditions: Sequence[Comparison]
    given: Mapping[str, Column]

    @property
    def columns(self) -> list[Column]:
        """All that says which row is which."""
        return [*self.atoms.columns, *self.given.values()]

    def kind(self, depth: int) -> Hashable:
        """The kind of atoms whose columns can be compared, looked at in this depth."""
        open_ = tuple(column is None for column in self.atoms.arguments)
        return self.reference, tuple(self.conditions), *self.given, open_, self.atoms.last is None, depth

    def take(self, at: Column) -> OpenAtoms:
        given = {name: column.take(at) for name, column in self.given.items()}
        return OpenAtoms(self.reference, self.atoms.take(at), self.conditions, given)

    def meeting(self, values: Values, prepared: Prepared, rows: Rows) -> Column:
        """The rows that meet the conditions of the literal's own variables, as far as they have values."""
        reference, owner = self.reference, rows.owner
        assert owner is not None
        bound = {name: column.take(owner) for name, column in self.given.items()} | {
            term.name: term_column(answer, rows, values)
            for term, answer in zip(reference.given, prepared.pattern.answer, strict=True)
            if isinstance(term, Var) and (not isinstance(answer, Var) or answer.name in rows.bound)
        }
        own, atoms = prepared.pattern.time, self.atoms
        if own.variable is None or own.variable in rows.bound:
            ticks = time_column(own, rows)
            first = atoms.time.take(owner)
            fits = (first <= ticks) & (ticks <= (first if atoms.last is None else atoms.last.take(owner)))
            time = reference.first
            if time == reference.last and time.variable is not None:
                bound[time.variable] = ticks - time.offset
        else:
            fits = first_tick(prepared, own, rows) <= latest_tick(prepared, own, rows)
        return marked(fits & passing(self.conditions, bound, rows.count, values))


def known_tick(time: Time, rows: Rows) -> Column | None:
    """The tick of a time in each row; None if it is open."""
    return time_column(time, rows) if time.variable is None or time.variable in rows.bound else None


def conditions_on_open(prepared: Prepared, literal: AskedLiteral, rows: Rows) -> list[Comparison]:
    """The comparisons that the open variables of the literal have to meet, about no other open ones."""
    open_, own = literal.variables - rows.bound.keys(), literal.variables | rows.bound.keys()
    return [c for c in prepared.pattern.comparisons if c.variables & open_ and c.variables <= own]
