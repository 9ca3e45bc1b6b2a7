"""`not P(X, T)`: true once the atom is false, false once it is true."""

from __future__ import annotations

from collections.abc import Sequence

from antelog.compile.literals.literal import AskedLiteral
from antelog.engine.step.literals.literal import Atoms, Truth
from antelog.engine.step.rows import Rows, term_column, time_column
from antelog.engine.values.values import Values


class NegationKind:
    """The kind of negated atoms."""

    def atoms(self, literal: AskedLiteral, rows: Rows, values: Values) -> tuple[Atoms, ...]:
        node = literal.atom
        arguments = tuple(term_column(term, rows, values) for term in node.asked)
        return (Atoms(node.relation, arguments, time_column(node.time, rows), as_of=rows.as_of),)

    def truth(self, found: Sequence[Truth]) -> Truth:
        (atom,) = found
        return Truth(atom.false_at, atom.true_at, atom.settled)
