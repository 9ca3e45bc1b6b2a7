"""`not P(X, _, T)`: true once the atom is false, false once it is true."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

from antelog.language import syntax
from tests.specification.literals.literal import NEVER, Around, Below, Body, Facts, Lowering, Ticks
from tests.specification.terms import Atom, Term


@dataclass(frozen=True)
class Negated(Body):
    atom: Atom

    @classmethod
    def lowered(cls, literal: syntax.Literal, lowering: Lowering) -> tuple[Body, ...] | None:
        if not isinstance(literal, syntax.Negation) or literal.atom.range is not None:
            return None
        if lowering.is_static(literal.atom):
            return None
        return (cls(lowering.asked(literal.atom)),)

    @property
    def operands(self) -> tuple[Term, ...]:
        return self.atom.arguments

    def mapped(self, new: Callable[[Term], Term]) -> Self:
        return type(self)(self.atom.mapped(new))

    def __str__(self) -> str:
        return f"not {self.atom}"

    @property
    def key(self) -> tuple[object, ...]:
        return Negated, self.atom.predicate

    @property
    def asked(self) -> tuple[Atom, ...]:
        return (self.atom,)

    @property
    def time(self) -> Term:
        return self.atom.time

    def ticks(self, world: Facts, _around: Around) -> Ticks:
        if self.variables:
            return Ticks(NEVER, NEVER)
        ticks = world.truth(self.atom)
        return Ticks(ticks.false_at, ticks.true_at)

    def rest(self, below: Below) -> None:
        below.asked(self.atom)
