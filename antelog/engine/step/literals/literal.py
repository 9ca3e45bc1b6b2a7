"""The interface of asked literals, and the atoms they ask for.

    not Shdn(X, T+2)    asks for Shdn(wt2, 2) where X = wt2, T = 0; true once that is false, and conversely

To add a kind: a module in this folder with a class like `Asked`, and a line in the table of the folder.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from antelog.compile.literals.literal import Reference
from antelog.engine.columns.tables import Column
from antelog.engine.step.rows import Rows, term_column, time_column
from antelog.engine.values.values import Values


class Truth(NamedTuple):
    """For each row when something becomes true, when false, and by when that is certain."""

    true_at: Column
    false_at: Column
    settled: Column


@dataclass(frozen=True, eq=False)
class Atoms:
    """Atoms of a relation, one for each row: their arguments (None: any value) and their ticks.

    Where there is a `last`, an atom at any tick from `time` to that is asked for. They are seen `as_of` a
    tick, if that is given: facts that arrived later are not there.
    """

    relation: str
    arguments: tuple[Column | None, ...]
    time: Column
    last: Column | None = None
    as_of: Column | None = None

    @property
    def count(self) -> int:
        return len(self.time)

    @property
    def columns(self) -> list[Column]:
        """All that distinguishes the atoms of a relation."""
        return [
            column for column in (*self.arguments, self.time, self.last, self.as_of) if column is not None
        ]

    def take(self, at: Column) -> Atoms:
        return Atoms(
            self.relation,
            tuple(None if column is None else column.take(at) for column in self.arguments),
            self.time.take(at),
            None if self.last is None else self.last.take(at),
            None if self.as_of is None else self.as_of.take(at),
        )


def atoms_of(reference: Reference, rows: Rows, values: Values) -> Atoms:
    """The atoms that a literal refers to in rows that bind all its variables."""
    arguments = tuple(term_column(term, rows, values) for term in reference.asked)
    first = time_column(reference.first, rows)
    last = None if reference.first == reference.last else time_column(reference.last, rows)
    return Atoms(reference.name, arguments, first, last, rows.as_of)


class Asked(Protocol):
    """A kind of literal that asks for atoms of relations, once all its variables have values."""

    def truth(self, found: Sequence[Truth]) -> Truth:
        """When it becomes true and false, given the truth of the atoms of each of its references."""
        ...
