"""The plan: what the compiler hands to the engine.

    Plan       = Input*, Static*, StaticRule*, Relation*, Key, tick?
    Relation   = an atom whose truth over time is kept: one for each query, and one for each
                 negated atom (up to the values of its arguments); has Pattern*, Bounds, Level
    Pattern    = one way to derive the atom: answer, literals, statics, comparisons, earliest
    Literal    = Atom (an input fact) | Negated (an atom of another relation that must be false)
    StaticAtom = a join with background facts, or with their absence
    Comparison = Operand, operator, Operand
    Term       = Var | Const;  Time = variable + offset, or a fixed tick;  Sum = variable + number

Everything is frozen and compares by value; the nodes are msgspec structs, whose fields are
checked when a plan is read from JSON. A node with `dict=True` remembers what it was asked.
`antelog.compile.explain` prints a plan for people, `antelog.compile.plan_json` turns it into JSON
and back.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TypeAlias

from msgspec import Struct

from antelog.escaping import shown_lines


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
    fact literals is fact-driven: it speaks once a fact does. One without is clock-driven: it
    speaks at every tick.
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
        """Whether no fact has to come for the pattern to speak."""
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
        """The variables of the answer, but for its time, that only negations and comparisons have."""
        names = dict.fromkeys(a.name for a in self.answer if isinstance(a, Var))
        return tuple(name for name in names if name not in self.guarded)

    @cached_property
    def unguarded_time(self) -> str | None:
        """The variable of the answer's time, if only negations and comparisons have it."""
        return None if self.time.variable in self.guarded else self.time.variable


class Bounds(Struct, frozen=True):
    """What is known about a relation before any fact has come; None means there is no bound.

    delay      an answer about T is settled by T + delay, and a confirmed one is remembered until
               then, lest it be reported again
    window     facts about ticks up to now - window no longer matter (AAAI-20, definition 5)
    kept       the negations that name an atom about T may ask until T + kept whether it was true
    asked_by   the relations whose patterns negate this one
    piling_up  why evidence may pile up without end, if it may
    """

    delay: int | None
    window: int | None
    kept: int | None
    asked_by: tuple[str, ...] = ()
    piling_up: str | None = None


class Level(Struct, frozen=True):
    """Where an atom stands in the order of evaluation.

    Components are evaluated one after the other; within one, atoms P(…, t) in the order of
    t + shift, and at the same t + shift in the order of rank.
    """

    component: int
    shift: int
    rank: int


class Relation(Struct, frozen=True, dict=True):
    """An atom whose truth over time is kept.

    A relation is `asked` if it answers a query of the program; `variables` are then the
    query's object variables, and `time` its time variable (None if the query fixes the tick).
    """

    name: str
    predicate: str
    asked: bool
    variables: tuple[str, ...]
    types: tuple[str | None, ...]
    time: str | None
    patterns: tuple[Pattern, ...]
    bounds: Bounds
    level: Level

    @cached_property
    def unguarded(self) -> tuple[int, ...]:
        """The positions of the answer at which some pattern has an unguarded variable."""
        found = {
            i
            for pattern in self.patterns
            for i, term in enumerate(pattern.answer)
            if isinstance(term, Var) and term.name in pattern.unguarded
        }
        return tuple(sorted(found))


class Refinement(Struct, frozen=True):
    """A tighter or looser delay for the facts with these values (None: any)."""

    pattern: tuple[str | int | float | None, ...]
    delay: int


class Input(Struct, frozen=True):
    """A stream of facts: its columns (the time is the last), their types, and how late they may be.

    With `one per` it has at most one fact for each slot: the time and the columns at the
    positions of `slot` (None: there may be any number).
    """

    name: str
    columns: tuple[str, ...]
    types: tuple[str | None, ...]
    delay: int
    refinements: tuple[Refinement, ...] = ()
    slot: tuple[int, ...] | None = None


class Static(Struct, frozen=True):
    """A background relation: its columns, their types, and the facts the program itself states."""

    name: str
    columns: tuple[str, ...]
    types: tuple[str | None, ...]
    facts: tuple[tuple[str | int | float, ...], ...] = ()


class StaticRule(Struct, frozen=True):
    """A rule between background relations."""

    predicate: str
    answer: tuple[Term, ...]
    body: tuple[StaticAtom, ...]
    comparisons: tuple[Comparison, ...] = ()


class KeyPosition(Struct, frozen=True):
    """The argument of an input or a relation that facts and answers are divided by."""

    name: str
    position: int


class Key(Struct, frozen=True):
    """How the work can be divided: `positions`, or, if there are none, why not."""

    positions: tuple[KeyPosition, ...]
    why_not: str | None = None

    def __bool__(self) -> bool:
        return self.why_not is None

    def __getitem__(self, name: str) -> int:
        return next(k.position for k in self.positions if k.name == name)


class Plan(Struct, frozen=True, cache_hash=True):
    """A compiled program. `tick` is the length of a tick in microseconds, if times are timestamps."""

    inputs: tuple[Input, ...]
    statics: tuple[Static, ...]
    static_rules: tuple[StaticRule, ...]
    relations: tuple[Relation, ...]
    key: Key
    tick: int | None = None

    @property
    def queries(self) -> Iterator[Relation]:
        """The relations the program asks for, in its order."""
        return (relation for relation in self.relations if relation.asked)

    def relation(self, name: str) -> Relation:
        return next(relation for relation in self.relations if relation.name == name)

    def __str__(self) -> str:
        from antelog.compile.explain import explain  # noqa: PLC0415 - explain needs the nodes above

        return shown_lines(explain(self))

    def _repr_html_(self) -> str:
        from antelog.compile.explain_html import plan_html  # noqa: PLC0415 - it needs the nodes above

        return plan_html(self)
