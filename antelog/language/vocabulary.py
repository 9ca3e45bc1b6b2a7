"""The vocabulary of a program: the meaning of its names.

Every predicate is an input (facts arrive about it), static (background, without time) or
derived (it heads a rule). One that is neither declared nor derived is an input without
delay, its columns named by position.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from fractions import Fraction

from antelog.diagnostics import Span
from antelog.language.moments import DEFAULT_ZONE, Timescale
from antelog.language.terms import Value


class PredicateKind(Enum):
    INPUT = "input"
    STATIC = "static"
    DERIVED = "derived"


class Type(Enum):
    """The type of a column; `None` stands for a column nothing is known about.

    A declared INTEGER is a number for all that rules do with it.
    """

    NUMBER = "number"
    TEXT = "text"
    INTEGER = "integer"

    @property
    def general(self) -> Type:
        """Number or text."""
        return Type.NUMBER if self is Type.INTEGER else self


@dataclass(frozen=True, slots=True)
class DeclaredDelay:
    """A `delay` of the facts with these values (None: any), and the shares that come 0, 1, 2 … ticks late."""

    pattern: tuple[Value | None, ...]
    delay: int
    span: Span = field(compare=False, repr=False)
    shares: tuple[Fraction, ...] | None = None

    @property
    def constants(self) -> int:
        return sum(value is not None for value in self.pattern)

    @property
    def content(self) -> object:
        """The declared values, without the facts they are about."""
        return self.delay, self.shares


@dataclass(frozen=True, slots=True)
class DeclaredChance:
    """A `chance` declaration: the probability of a fact that has these values (None: any).

    `once` is its probability at a tick after one without, `again` at a tick after one with it.
    """

    pattern: tuple[Value | None, ...]
    once: Fraction
    again: Fraction
    span: Span = field(compare=False, repr=False)

    @property
    def constants(self) -> int:
        return sum(value is not None for value in self.pattern)

    @property
    def content(self) -> object:
        """The declared values, without the facts they are about."""
        return self.once, self.again


@dataclass(frozen=True, slots=True)
class DeclaredOdds:
    """The declared chances of an input's facts, and the shares of their delays.

    `shares` are those of the facts that no refinement of the delay is about. None of it changes an
    answer, nor when it is reported: that is the same with and without.
    """

    chances: tuple[DeclaredChance, ...] = ()
    shares: tuple[Fraction, ...] | None = None


@dataclass(frozen=True, slots=True)
class Schedule:
    """When the facts of an input come: late by the `bound` at most, unless a refinement fits them.

    Another one is expected within each `gap` of ticks (None: not declared) from each source; `per` are the
    positions of the columns that say which, if they are not the slot's.
    """

    bound: int = 0
    refinements: tuple[DeclaredDelay, ...] = ()
    gap: int | None = None
    per: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Predicate:
    """A predicate; `columns` has the time of a temporal one as its last, `types` has not.

    Where `slot` is given, at most one fact has the same values at these positions and the same time.
    """

    name: str
    kind: PredicateKind
    columns: tuple[str, ...]
    types: tuple[Type | None, ...]
    schedule: Schedule = Schedule()
    declared: bool = False
    span: Span = field(default=Span(0, 0), compare=False, repr=False)
    slot: tuple[int, ...] | None = None

    @property
    def temporal(self) -> bool:
        return self.kind is not PredicateKind.STATIC

    @property
    def arity(self) -> int:
        return len(self.columns)

    @property
    def source(self) -> tuple[int, ...]:
        """The positions of the columns that say which source of an input with a gap a fact is of."""
        return () if self.schedule.gap is None else self.schedule.per or self.slot or ()


@dataclass(frozen=True, slots=True)
class Signature:
    """A function that rules call: its parameters with their types. It `gives` a value; None: a truth."""

    name: str
    parameters: tuple[str, ...]
    types: tuple[Type | None, ...]
    gives: Type | None = None
    span: Span = field(default=Span(0, 0), compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """All predicates of a program, and how long a tick is (in microseconds) if times are timestamps.

    `odds` has the inputs about which some are declared, `units` those of which is said in which unit
    their times count since 1970. `zone` is the one declared. `most` has the static relations in which some
    columns are numbers of ticks, with the most that each can be.
    `functions` are those of the program and the built-in ones. `times` has the predicates with times at more
    positions than the last.
    """

    predicates: Mapping[str, Predicate]
    tick: int | None = None
    odds: Mapping[str, DeclaredOdds] = field(default_factory=dict)
    units: Mapping[str, str] = field(default_factory=dict)
    zone: str | None = None
    most: Mapping[str, tuple[int | None, ...]] = field(default_factory=dict)
    functions: Mapping[str, Signature] = field(default_factory=dict)
    times: Mapping[str, frozenset[int]] = field(default_factory=dict)

    @property
    def timescale(self) -> Timescale | None:
        """The times of ticks, if the program says how long a tick is."""
        return None if self.tick is None else Timescale(self.tick, self.zone or DEFAULT_ZONE)

    def __getitem__(self, name: str) -> Predicate:
        return self.predicates[name]

    def times_of(self, name: str) -> frozenset[int]:
        """The positions of the times of a predicate, without the last."""
        return self.times.get(name, frozenset())

    def odds_of(self, name: str) -> DeclaredOdds:
        return self.odds.get(name, DeclaredOdds())

    def is_static(self, name: str) -> bool:
        return name in self.predicates and self.predicates[name].kind is PredicateKind.STATIC

    def is_derived(self, name: str) -> bool:
        return name in self.predicates and self.predicates[name].kind is PredicateKind.DERIVED
