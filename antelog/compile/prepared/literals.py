"""The literals of a pattern as the engine looks at them.

In comes a literal of the plan, out goes the same with what follows from the rules: which columns of a fact
bind which variables, repeat them or have to be a constant, which comparisons can be tested on it, and how
far from the answer's time its time may lie. So the engine looks at columns and at nothing else.

    Rise(D, T) :- R(D, V, T), R(D, W, U), W >= V + 0.5, U > T, U <= T + 20.
    R(D, W, U): column 0 binds D, column 1 binds W; U lies in [T + 1, T + 20]
"""

from __future__ import annotations
from antelog.compile.literals.comparison import Comparison
from antelog.compile.literals.fact import Atom
from antelog.compile.literals.negation import Negation
from antelog.compile.literals.terms import Var, variables_in

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True)
class FactLiteral:
    """A fact literal: which columns of its input bind variables, repeat them, or are fixed.

    `tests` are the comparisons about it alone. `slot` are the columns of `one per`, if its input
    has that promise. Its time lies at most `behind` ticks before the answer's and at most `ahead`
    ticks after it (None: nothing says so).
    """

    atom: Atom
    binds: tuple[tuple[str, int], ...]
    repeats: tuple[tuple[int, int], ...]
    constants: tuple[tuple[int, str | int | float], ...]
    tests: tuple[Comparison, ...]
    slot: tuple[int, ...] | None
    behind: int | None
    ahead: int | None

    @cached_property
    def variables(self) -> frozenset[str]:
        return self.atom.variables

    @cached_property
    def slot_variables(self) -> frozenset[str]:
        """The variables in the columns of the slot, and the time's."""
        time = self.atom.time.variable
        return variables_in(self.atom.arguments[i] for i in self.slot or ()) | ({time} if time else set())


@dataclass(frozen=True)
class AskedLiteral:
    """A negated literal, and how far from the answer's time its time may lie, as for a fact literal."""

    atom: Negation
    behind: int | None
    ahead: int | None

    @cached_property
    def variables(self) -> frozenset[str]:
        return self.atom.variables


def fact_literal(
    atom: Atom, said: Iterable[Comparison], slot: tuple[int, ...] | None, far: tuple[int | None, int | None]
) -> FactLiteral:
    own = atom.variables
    return FactLiteral(atom, *_places(atom), tuple(c for c in said if c.variables <= own), slot, *far)


_Places = tuple[
    tuple[tuple[str, int], ...], tuple[tuple[int, int], ...], tuple[tuple[int, str | int | float], ...]
]


def _places(atom: Atom) -> _Places:
    """The columns that bind variables, those that repeat others, and those with constants."""
    binds: dict[str, int] = {}
    repeats, constants = [], []
    for column, argument in enumerate(atom.arguments):
        if not isinstance(argument, Var):
            constants.append((column, argument.value))
        elif argument.name in binds:
            repeats.append((binds[argument.name], column))
        else:
            binds[argument.name] = column
    return tuple(binds.items()), tuple(repeats), tuple(constants)
