"""The vocabulary of a program; a predicate that is neither declared nor derived is an input without delay."""

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
    """The type of a column; to rules, an INTEGER is a number."""

    NUMBER = "number"
    TEXT = "text"
    INTEGER = "integer"

    @property
    def general(self) -> Type:
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
    """The chance of a fact with these values (None: any) after a tick without one, and `again` with one."""

    pattern: tuple[Value | None, ...]
    once: Fraction
    again: Fraction
    span: Span = field(compare=False, repr=False)

    @property
    def constants(self) -> int:
        return sum(value is not None for value in self.pattern)

    @property
    def content(self) -> object:
        return self.once, self.again


@dataclass(frozen=True, slots=True)
class DeclaredOdds:
    """The declared chances of facts of an input, and the shares of its delay; neither changes an answer."""

    chances: tuple[DeclaredChance, ...] = ()
    shares: tuple[Fraction, ...] | None = None


@dataclass(frozen=True, slots=True)
class Schedule:
    """When facts of an input come: late by `bound` or a refinement, and after each `gap` from each source."""

    bound: int = 0
    refinements: tuple[DeclaredDelay, ...] = ()
    gap: int | None = None
    per: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Predicate:
    """A predicate; `columns` ends with the time of a temporal one, which `types` leave out."""

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
        """The positions of the columns that name the source of a fact, for an input with a gap."""
        return () if self.schedule.gap is None else self.schedule.per or self.slot or ()


@dataclass(frozen=True, slots=True)
class Signature:
    """A function that rules call; it `gives` a value, or is a condition (None)."""

    name: str
    parameters: tuple[str, ...]
    types: tuple[Type | None, ...]
    gives: Type | None = None
    span: Span = field(default=Span(0, 0), compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """All predicates and functions of a program, and the length of a tick in microseconds, if declared."""

    predicates: Mapping[str, Predicate]
    tick: int | None = None
    odds: Mapping[str, DeclaredOdds] = field(default_factory=dict)
    units: Mapping[str, str] = field(default_factory=dict)  # in which times of inputs count since 1970
    zone: str | None = None
    most: Mapping[str, tuple[int | None, ...]] = field(default_factory=dict)  # bounds of columns of ticks
    functions: Mapping[str, Signature] = field(default_factory=dict)
    times: Mapping[str, frozenset[int]] = field(default_factory=dict)  # places before the last one

    @property
    def timescale(self) -> Timescale | None:
        """The times of ticks, if the program says how long a tick is."""
        return None if self.tick is None else Timescale(self.tick, self.zone or DEFAULT_ZONE)

    def __getitem__(self, name: str) -> Predicate:
        return self.predicates[name]

    def times_of(self, name: str) -> frozenset[int]:
        """The positions of the times of a predicate, but for the last one."""
        return self.times.get(name, frozenset())

    def odds_of(self, name: str) -> DeclaredOdds:
        return self.odds.get(name, DeclaredOdds())

    def is_static(self, name: str) -> bool:
        return name in self.predicates and self.predicates[name].kind is PredicateKind.STATIC

    def is_derived(self, name: str) -> bool:
        return name in self.predicates and self.predicates[name].kind is PredicateKind.DERIVED
