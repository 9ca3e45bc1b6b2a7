"""`P(X, T)`: a fact of an input; of a derived predicate it is a goal that rules are put in place of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Self

from antelog.language import syntax
from tests.specification.literals.comparison import Comparison
from tests.specification.literals.literal import Around, Below, Body, Facts, Lowering, Ticks
from tests.specification.terms import ANY, Atom, Term, Variable


@dataclass(frozen=True)
class Fact(Body):
    atom: Atom

    @classmethod
    def lowered(cls, literal: syntax.Literal, lowering: Lowering) -> tuple[Body, ...] | None:
        if not isinstance(literal, syntax.Atom) or lowering.is_static(literal):
            return None
        if literal.range is None:
            return (cls(lowering.atom(literal)),)
        first, last = map(lowering.term, literal.range.ends)
        atom = lowering.atom(replace(literal, terms=(*literal.terms[:-1], syntax.Anonymous())))
        return cls(atom), Comparison(first, "<=", atom.time), Comparison(atom.time, "<=", last)

    @property
    def operands(self) -> tuple[Term, ...]:
        return self.atom.arguments

    def mapped(self, new: Callable[[Term], Term]) -> Self:
        return type(self)(self.atom.mapped(new))

    def __str__(self) -> str:
        return str(self.atom)

    @property
    def key(self) -> tuple[object, ...]:
        return Fact, self.atom.predicate

    @property
    def goal(self) -> Atom:
        return self.atom

    @property
    def time(self) -> Term:
        return self.atom.time

    def ticks(self, world: Facts, around: Around) -> Ticks:
        return world.come(self.atom, around)

    def rest(self, below: Below) -> None:
        below.fact(self.atom.mapped(lambda term: ANY if isinstance(term, Variable) else term))
