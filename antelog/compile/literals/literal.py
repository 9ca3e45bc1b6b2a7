"""The interface of literals, and the making of their terms from the syntax tree.

A literal of a pattern has one of three roles; the passes go by role, never by kind.

    fact        `R(D, V, T)`: facts of an input give its variables values, and are evidence
    asked       `not S(D, T+1)`: true, false or open as a whole, asked once its variables have values
    condition   `Turbine(D)`, `V >= 9`: decided by the background and by values alone
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, NamedTuple, Protocol, Self, TypeAlias

from msgspec import Struct

from antelog.compile.literals.terms import (
    AnswerTerm,
    Calculated,
    Const,
    Function,
    Inner,
    Operand,
    Part,
    Replacement,
    Sum,
    Term,
    Time,
    Var,
    call_text,
    folded,
    functions_in,
    text_of,
    variables_in,
)
from antelog.language import syntax
from antelog.language.durations import ticks_later
from antelog.language.functions import CALENDAR
from antelog.language.vocabulary import Vocabulary


@dataclass
class Lowering:
    """The context in which the literals of a rule are made from the syntax tree."""

    vocabulary: Vocabulary
    times: set[str]  # the variables that are times
    general: frozenset[str] = frozenset()  # the predicates that a query asks for in general
    anonymous: int = 0
    inner: frozenset[str] = frozenset()  # the variables that the aggregate at hand has for itself
    body: tuple[syntax.Literal, ...] = ()  # of the rule

    def is_static(self, atom: syntax.Atom) -> bool:
        return self.vocabulary.is_static(atom.predicate)

    def term(self, term: syntax.Term) -> Term:
        match term:
            case syntax.Variable(name):
                return Var(name)
            case syntax.Constant(value):
                return Const(value)
            case _:
                return Var(self._fresh())

    def gaps(self, terms: Sequence[syntax.Term]) -> tuple[Term | None, ...]:
        """Returns terms, with None for `_`."""
        return tuple(None if isinstance(t, syntax.Anonymous) else self.term(t) for t in terms)

    def columns(self, atom: syntax.Atom) -> tuple[AnswerTerm | None, ...]:
        """Returns the arguments of an atom before its time, with None for `_`."""
        times, terms = self.vocabulary.times_of(atom.predicate), atom.terms[:-1]
        return tuple(
            self.time(term) if place in times and found is not None else found
            for place, (term, found) in enumerate(zip(terms, self.gaps(terms), strict=True))
        )

    def time(self, term: syntax.Term) -> Time:
        match term:
            case syntax.Variable(name):
                return Time(name, 0)
            case syntax.Shifted(variable):
                return Time(variable, ticks_later(term, self.vocabulary.tick))
            case syntax.Constant(value):
                return Time(None, int(value))
            case _:
                return Time(self._fresh(), 0)

    def moment(self, term: syntax.Term) -> Operand:
        """Returns a side of a comparison of times."""
        match term:
            case syntax.Later(time, by):
                return Calculated("+", (self.time(time), self.term(by)))
            case _:
                return self.time(term)

    def argument(self, term: syntax.Term) -> Term | Inner | None:
        """Returns an argument within an aggregate; None for `_`."""
        if isinstance(term, syntax.Anonymous):
            return None
        if isinstance(term, syntax.Variable) and term.name in self.inner:
            return Inner(term.name)
        return self.term(term)

    def operand(self, term: syntax.Term) -> Operand:
        """Returns a side of a comparison of values."""
        match term:
            case syntax.Variable(name) if name in self.inner:
                return Inner(name)
            case syntax.Variable(name) | syntax.Shifted(name) if name in self.times:
                return self.time(term)
            case syntax.Shifted(name, offset) if name in self.inner:
                return Calculated("-" if offset < 0 else "+", (Inner(name), Const(abs(offset))))
            case syntax.Shifted(variable, offset):
                return Sum(variable, offset)
            case syntax.Calculation(function, (argument,)) if function in CALENDAR:
                return folded(Calculated(function, (self.time(argument),), self.vocabulary.timescale))
            case syntax.Calculation(function, arguments):
                signature = self.vocabulary.functions.get(function)
                gives = "number" if signature is None or signature.gives is None else signature.gives.value
                return folded(Calculated(function, tuple(map(self.operand, arguments)), gives=gives))
            case _:
                return self.term(term)

    def relation(self, predicate: str, arguments: Sequence[object | None]) -> str:
        """Names the relation that says whether some atom with these arguments (None: any) holds."""
        *columns, time = self.vocabulary[predicate].columns
        if predicate in self.general and None not in arguments:
            return predicate  # a query has that relation already
        shown = ("_" if a is None else column for a, column in zip(arguments, columns, strict=True))
        return call_text(predicate, [*shown, time])

    def _fresh(self) -> str:
        self.anonymous += 1
        return f"_{self.anonymous}"


Value: TypeAlias = str | int | float


class StaticWorld(Protocol):
    """The background and the functions that decide conditions."""

    def exists(self, predicate: str, values: tuple[Value | None, ...], /) -> bool:
        """Returns whether there is a background fact with these values (None: any)."""

    def called(self, function: str, arguments: Sequence[Value], /) -> Value | bool | None:
        """Returns the result of a function; None if it has none."""


@dataclass(frozen=True)
class Reference:
    """Facts of an input, or atoms of a relation, that a literal looks at, from `first` to `last`."""

    name: str  # the input or the relation
    predicate: str
    arguments: tuple[AnswerTerm | None, ...]  # None: any value
    first: Time
    last: Time
    of_input: bool = False
    each: bool = False  # it is about every atom there is, not about whether there is any
    remembered: bool = False  # facts before the last one that may still matter need not be kept for it

    @cached_property
    def given(self) -> tuple[AnswerTerm | None, ...]:
        """The arguments that the relation has variables for."""
        return tuple(self.arguments[place] for place in self.kept)

    @cached_property
    def untimed(self) -> tuple[Term | None, ...]:
        """These, with None in place of times: facts have no column for a time as a value."""
        return tuple(None if isinstance(each, Time) else each for each in self.given)

    @property
    def kept(self) -> tuple[int, ...]:
        """The places of these among the predicate's arguments."""
        return tuple(i for i, argument in enumerate(self.arguments) if self.each or argument is not None)


class TextAround(NamedTuple):
    """The text of a literal around the time that it is sorted by."""

    before: tuple[Part, ...]
    time: Time
    after: tuple[Part, ...]


@dataclass(frozen=True)
class ReferenceReach:
    """The most ticks that a reference lies before and after the answer's time; None: no bound."""

    reference: Reference
    behind: int | None
    ahead: int | None
    kept: int | None  # for how many ticks before that time its facts have to be kept


class Literal(Struct, frozen=True):
    @classmethod
    def lowered(cls, literal: syntax.Literal, lowering: Lowering) -> Sequence[Literal] | None:
        """Lowers a literal of the syntax tree; None if it is of another kind."""
        raise NotImplementedError

    @property
    def key(self) -> tuple[Hashable, ...] | None:
        """All of it but its operands; None if it may follow from several others, as a comparison does."""
        raise NotImplementedError

    @property
    def operands(self) -> tuple[Operand | None, ...]:
        """Its terms, times and sums; `_` is None."""
        raise NotImplementedError

    def replaced(self, by: Replacement) -> Self:
        raise NotImplementedError

    @property
    def parts(self) -> tuple[Part, ...]:
        """Its text in the language's syntax, in parts."""
        raise NotImplementedError

    @property
    def functions(self) -> frozenset[Function]:
        return functions_in(self.operands)

    @property
    def binds(self) -> frozenset[str]:
        """The variables it gives values to."""
        return frozenset()

    @property
    def compared(self) -> frozenset[str]:
        """The variables whose values it needs; none of `X = 3`, whose outcome is known of all others."""
        return frozenset()

    @property
    def references(self) -> tuple[Reference, ...]:
        """The facts and atoms it looks at."""
        return ()

    # ---- what follows ----

    @property
    def variables(self) -> frozenset[str]:
        return variables_in(self.operands)

    @property
    def terms(self) -> tuple[AnswerTerm | None, ...]:
        terms = (each for each in self.operands if each is None or isinstance(each, Var | Const))
        return (*terms, *self.shown)

    @property
    def times(self) -> tuple[Time, ...]:
        return tuple(each for each in self.operands if isinstance(each, Time))

    @property
    def shown(self) -> tuple[Time, ...]:
        """The times among its arguments before the last one, which are natural numbers as well."""
        return ()

    @property
    def natural(self) -> tuple[Time, ...]:
        """The times that are natural numbers wherever the rule has an instance."""
        return self.times

    @property
    def text(self) -> str:
        return text_of(self.parts)

    @property
    def around(self) -> TextAround:
        """The text around the time it is sorted by, which is its last one."""
        *before, _, end = self.parts
        return TextAround(tuple(before), self.times[-1], (end,))

    def around_with(self, _bound: Set[str]) -> TextAround:
        """Returns the text around its time where these variables have values."""
        return self.around


class AskedNode(Literal, frozen=True):
    """A literal that is true, false or open as a whole; only `last` and aggregates may give values."""

    has_amount: ClassVar[bool] = False  # it comes to a value over time, which lines report
    denies: ClassVar[bool] = False  # it is true where there are no such atoms as it asks for

    @property
    def parts(self) -> tuple[Part, ...]:
        before, time, after = self.around
        return (*before, time, *after)

    @property
    def needs(self) -> frozenset[str]:
        """The variables that it cannot give values itself."""
        return self.variables


class Condition(Literal, frozen=True):
    """A literal that the background and values decide."""

    @property
    def outcome(self) -> bool | None:
        """Whether it holds whatever its variables stand for; None if that depends on them."""
        return None

    def holds(self, values: Mapping[str, Value], known: StaticWorld, /) -> bool:
        """Returns whether it holds with these values of its variables; only for one that gives no values."""
        raise NotImplementedError


class PutIn(Replacement):
    """Replaces variables by values, and works out what is calculated from them."""

    def __init__(self, values: Mapping[str, Value], known: StaticWorld) -> None:
        self._values, self._known = values, known

    def term(self, term: Term) -> Term:
        return Const(self._values[term.name]) if isinstance(term, Var) else term

    def operand(self, operand: Operand) -> Operand:
        found = super().operand(operand)
        if not isinstance(found, Calculated) or found.is_arithmetic:
            return found
        given = [each.value for each in found.operands if isinstance(each, Const)]
        value = self._known.called(found.function, given) if len(given) == len(found.operands) else None
        return found if value is None else Const(value)


@dataclass(frozen=True)
class AskedLiteral:
    """An asked literal prepared for the engine: its reaches, and the variables it `takes` values for."""

    node: AskedNode
    reaches: tuple[ReferenceReach, ...]
    takes: frozenset[str] = frozenset()

    @cached_property
    def variables(self) -> frozenset[str]:
        return self.node.variables

    @cached_property
    def references(self) -> tuple[Reference, ...]:
        return self.node.references

    @cached_property
    def relations(self) -> tuple[str, ...]:
        return tuple(each.name for each in self.references)
