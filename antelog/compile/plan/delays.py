"""The largest delay of the facts that match an atom: the papers' δ, for atoms with variables too.

The largest delay of the facts counts that an atom may stand for. An input may have thousands of declarations;
those with equally many constants are looked up together, and the one with the most decides.

    input Temp(d, level, time) delay 1.    delay Temp(wt4, _, _) = 3.
    Temp(wt2, high, T): 1      Temp(X, high, T): 3
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from antelog.compile.literals.terms import Const, Term, Var
from antelog.compile.nodes.plan import Input

Value = str | int | float

_Value = Value | Var
"""A value, or a variable in the place of one that no declaration names."""


@dataclass(frozen=True)
class Declared:
    """The declarations with constants at the same positions: for the values there, the delay."""

    positions: tuple[int, ...]
    delays: Mapping[tuple[Value, ...], int]


def declared(source: Input) -> tuple[Declared, ...]:
    """The delay declarations of an input: those with more constants first, for they decide.

    Declarations with equally many that fit the same fact agree, or the program is refused.
    """
    tables: dict[tuple[int, ...], dict[tuple[Value, ...], int]] = {}
    for refinement in source.refinements:
        positions = tuple(i for i, value in enumerate(refinement.pattern) if value is not None)
        values = tuple(value for value in refinement.pattern if value is not None)
        tables.setdefault(positions, {})[values] = refinement.delay
    return tuple(Declared(at, tables[at]) for at in sorted(tables, key=len, reverse=True))


class DelayTable:
    """The delays of an input's facts."""

    def __init__(self, source: Input) -> None:
        self._default = source.delay
        self._declared = declared(source)

    def largest(self, arguments: Sequence[Term | None]) -> int:
        """The maximum of δ over the instances of an atom with these arguments (None: any).

        There are always more values than the program names, so an atom with variables has
        instances that fit a declaration by no more than they must. It is enough to look at
        those: for each declaration that fits the atom at all, the atom with the declaration's
        constants and otherwise new values.
        """
        values = [
            a.value if isinstance(a, Const) else a or Var(f"_{place}") for place, a in enumerate(arguments)
        ]
        largest = self._decide(values)
        for each in self._declared:
            for row in each.delays:
                instance = _instance(values, each.positions, row)
                if instance is not None:
                    largest = max(largest, self._decide([instance.get(v, v) for v in values]))
        return largest

    def _decide(self, values: Sequence[_Value]) -> int:
        """δ of an instance: among the declarations that fit it, the one with the most constants."""
        for each in self._declared:
            # A variable is no value that is declared: without it, the row is too short to be there.
            there = (values[i] for i in each.positions)
            delay = each.delays.get(tuple(value for value in there if not isinstance(value, Var)))
            if delay is not None:
                return delay
        return self._default


def _instance(
    values: Sequence[_Value], positions: tuple[int, ...], row: tuple[_Value, ...]
) -> dict[_Value, _Value] | None:
    """The bindings that give these values at these positions; None if there are none."""
    bound: dict[_Value, _Value] = {}
    for i, wanted in zip(positions, row, strict=True):
        have = values[i]
        if bound.setdefault(have, wanted) != wanted if isinstance(have, Var) else have != wanted:
            return None
    return bound
