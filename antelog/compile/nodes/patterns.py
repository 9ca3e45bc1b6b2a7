"""The nodes of a pattern: one way to derive an atom, with all that has to be so.

    Pattern    = answer, time, Literal*, StaticAtom*, Comparison*, Earliest*
    Literal    = Atom (an input fact) | Negated (an atom of another relation that must be false)
    StaticAtom = a join with background facts, or with their absence
    Comparison = Operand, operator, Operand
    Term       = Var | Const;  Time = variable + offset, or a fixed tick;  Sum = variable + number

The compiler makes patterns of rules, and the plan consists of them: see `antelog/compile/nodes/plan.py`.
`P(X, T) :- R(X, V, T+1), V >= 9.` has a pattern whose answer is X, and whose one literal is R(X, V, T+1).
Everything is frozen and compares by value; the nodes are msgspec structs, whose fields are
checked when a plan is read from JSON. One with `dict=True` remembers what it was asked.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TypeAlias

from msgspec import Struct


class Var(Struct, frozen=True, tag=True):
    """An object variable of a pattern."""

    name: str


class Const(Struct, frozen=True, tag=True):
    value: str | int | float


class Time(Struct, frozen=True, tag=True):
    """The time `variable + offset`, or the tick `offset` if there is no variable."""

    variable: str | None
    offset: int

    def __add__(self, ticks: int) -> Time:
        return Time(self.variable, self.offset + ticks)

    def after(self, other: Time) -> int | None:
        """How many ticks later than another time it is; None if these are not tied to each other."""
        return self.offset - other.offset if self.variable == other.variable else None


class Sum(Struct, frozen=True, tag=True):
    """A number plus another, in a comparison: `V + 0.5`."""

    variable: str
    offset: int | float


Term: TypeAlias = Var | Const
Operand: TypeAlias = Var | Const | Time | Sum


class Atom(Struct, frozen=True, tag=True):
    """A fact of an input."""

    predicate: str
    arguments: tuple[Term, ...]
    time: Time


class Negated(Struct, frozen=True, tag=True):
    """`not P(…)`: no fact of a relation has these values. `None` stands for `_`: no value at all.

    `relation` names the relation of the atom, whose answer variables are the arguments that
    are not None, in order, and the time.
    """

    predicate: str
    arguments: tuple[Term | None, ...]
    time: Time
    relation: str

    @property
    def asked(self) -> tuple[Term, ...]:
        """The values the relation is asked for."""
        return tuple(a for a in self.arguments if a is not None)


Literal: TypeAlias = Atom | Negated


class StaticAtom(Struct, frozen=True):
    """A background fact there is, or (negated) is not. `None` stands for `_`."""

    predicate: str
    arguments: tuple[Term | None, ...]
    negated: bool = False


class Comparison(Struct, frozen=True):
    left: Operand
    operator: str
    right: Operand


class Earliest(Struct, frozen=True):
    """A time variable never is before this tick: every time term of the rules is a natural number."""

    variable: str
    tick: int


class Pattern(Struct, frozen=True, dict=True):
    """One way to derive an atom of a relation.

    `answer` and `time` are what the relation's variables and time stand for. A pattern with
    fact literals is fact-driven: its answers are told once a fact is evidence. One without is
    clock-driven: its answers are told at every tick.
    """

    answer: tuple[Term, ...]
    time: Time
    literals: tuple[Literal, ...]
    statics: tuple[StaticAtom, ...] = ()
    comparisons: tuple[Comparison, ...] = ()
    earliest: tuple[Earliest, ...] = ()

    @property
    def atoms(self) -> Iterator[Atom]:
        return (literal for literal in self.literals if isinstance(literal, Atom))

    @property
    def negations(self) -> Iterator[Negated]:
        return (literal for literal in self.literals if isinstance(literal, Negated))

    @property
    def clock_driven(self) -> bool:
        """Whether answers are told without any fact."""
        return not any(True for _ in self.atoms)

    @cached_property
    def guarded(self) -> frozenset[str]:
        """The variables that facts or the background give values."""
        found = {a.name for atom in self.atoms for a in atom.arguments if isinstance(a, Var)}
        found |= {atom.time.variable for atom in self.atoms if atom.time.variable is not None}
        for static in self.statics:
            if not static.negated:
                found |= {a.name for a in static.arguments if isinstance(a, Var)}
        return frozenset(found)

    @cached_property
    def unguarded(self) -> tuple[str, ...]:
        """The variables of the answer (without its time) that only negations and comparisons have."""
        names = dict.fromkeys(a.name for a in self.answer if isinstance(a, Var))
        return tuple(name for name in names if name not in self.guarded)

    @cached_property
    def unguarded_time(self) -> str | None:
        """The variable of the answer's time, if only negations and comparisons have it."""
        return None if self.time.variable in self.guarded else self.time.variable
