"""How late the facts that match an atom may be: the papers' δ, for atoms with variables too."""

from __future__ import annotations

from collections.abc import Sequence

from antelog.compile.nodes.patterns import Atom, Const, Var
from antelog.compile.nodes.plan import Input

_Value = str | int | float | Var
"""A value, or a variable in the place of one that no declaration names."""


class Delays:
    """The delay declarations of an input, those with the most constants first."""

    def __init__(self, source: Input) -> None:
        self._default = source.delay
        tables: dict[tuple[int, ...], dict[tuple[_Value, ...], int]] = {}
        for refinement in source.refinements:
            positions = tuple(i for i, value in enumerate(refinement.pattern) if value is not None)
            values = tuple(value for value in refinement.pattern if value is not None)
            tables.setdefault(positions, {})[values] = refinement.delay
        self._tables = sorted(tables.items(), key=lambda table: -len(table[0]))

    def smallest(self) -> int:
        """The least δ any fact of the input has."""
        return min([self._default, *(delay for _, table in self._tables for delay in table.values())])

    def largest(self, atom: Atom) -> int:
        """The maximum of δ over the instances of an atom.

        There are always more values than the program names, so an atom with variables has
        instances that fit a declaration by no more than they must. It is enough to look at
        those: for each declaration that fits the atom at all, the atom with the declaration's
        constants and otherwise new values.
        """
        values = [a.value if isinstance(a, Const) else a for a in atom.arguments]
        largest = self._decide(values)
        for positions, table in self._tables:
            for row in table:
                instance = _instance(values, positions, row)
                if instance is not None:
                    largest = max(largest, self._decide([instance.get(v, v) for v in values]))
        return largest

    def _decide(self, values: Sequence[_Value]) -> int:
        """δ of an instance: among the declarations that fit it, the one with the most constants."""
        for positions, table in self._tables:
            delay = table.get(tuple(values[i] for i in positions))
            if delay is not None:
                return delay
        return self._default


def _instance(
    values: Sequence[_Value], positions: tuple[int, ...], row: tuple[_Value, ...]
) -> dict[_Value, _Value] | None:
    """What the variables must stand for to have these values at these positions, if they can."""
    bound: dict[_Value, _Value] = {}
    for i, wanted in zip(positions, row, strict=True):
        have = values[i]
        if bound.setdefault(have, wanted) != wanted if isinstance(have, Var) else have != wanted:
            return None
    return bound
