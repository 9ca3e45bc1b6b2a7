"""Lowering: the terms of literals, made from the syntax tree.

`_` becomes a variable of its own or, under negation, a gap (None). A name for the relation that says whether
some atom with certain arguments holds is made here, too.

    A(X, _, T+1)    X, _1, T+1        not A(X, _, T)    X, None, T: asks A(x, _, time)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from antelog.compile.literals.terms import (
    Calculated,
    Const,
    Inner,
    Operand,
    Sum,
    Term,
    Time,
    Var,
    call_text,
    folded,
)
from antelog.language import syntax
from antelog.language.durations import ticks_later
from antelog.language.functions import CALENDAR
from antelog.language.vocabulary import Vocabulary


@dataclass
class Lowering:
    """The context in which the literals of a rule are lowered.

    `times` are its variables that are times, `general` the predicates that a query asks for in general.
    """

    vocabulary: Vocabulary
    times: set[str]
    general: frozenset[str] = frozenset()
    anonymous: int = 0
    inner: frozenset[str] = frozenset()

    def within(self, inner: frozenset[str]) -> Lowering:
        """The context within an aggregate that has variables of its own."""
        return replace(self, inner=inner)

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
        """Terms with None for `_`."""
        return tuple(None if isinstance(t, syntax.Anonymous) else self.term(t) for t in terms)

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
        """A side of a comparison of times."""
        match term:
            case syntax.Later(time, by):
                return Calculated("+", (self.time(time), self.term(by)))
            case _:
                return self.time(term)

    def argument(self, term: syntax.Term) -> Term | Inner | None:
        """An argument within an aggregate; None for `_`."""
        if isinstance(term, syntax.Anonymous):
            return None
        if isinstance(term, syntax.Variable) and term.name in self.inner:
            return Inner(term.name)
        return self.term(term)

    def operand(self, term: syntax.Term) -> Operand:
        """A side of a comparison of values."""
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
        """The name of the relation that says whether some atom with these arguments (None: any) holds."""
        *columns, time = self.vocabulary[predicate].columns
        if predicate in self.general and None not in arguments:
            return predicate  # a query has that relation already
        shown = ("_" if a is None else column for a, column in zip(arguments, columns, strict=True))
        return call_text(predicate, [*shown, time])

    def _fresh(self) -> str:
        self.anonymous += 1
        return f"_{self.anonymous}"
