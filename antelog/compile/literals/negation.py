"""A negated literal: `not P(X, _, T)`, true once no such atom is true or can become true."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from antelog.compile.literals.literal import AskedNode, Reference
from antelog.compile.literals.lowering import Lowering
from antelog.compile.literals.terms import Operand, Part, Replacement, Term, Time, call_parts
from antelog.language import syntax


class Negation(AskedNode, frozen=True, tag=True):
    """`not P(…)`: no atom of a relation has these values. `None` stands for `_`: no value at all.

    `relation` names the relation of the atom, whose answer variables are the arguments that
    are not None, in order, and the time.
    """

    predicate: str
    arguments: tuple[Term | None, ...]
    time: Time
    relation: str

    @classmethod
    def lowered(cls, literal: syntax.Literal, lowering: Lowering) -> Sequence[Negation] | None:
        if not isinstance(literal, syntax.Negation) or literal.atom.range is not None:
            return None
        if lowering.is_static(literal.atom):
            return None
        predicate, (*terms, time) = literal.atom.predicate, literal.atom.terms
        arguments = lowering.gaps(terms)
        return (cls(predicate, arguments, lowering.time(time), lowering.relation(predicate, arguments)),)

    @property
    def key(self) -> tuple[str, str]:
        return "negation", self.predicate

    @property
    def denies(self) -> bool:
        return True

    @property
    def operands(self) -> tuple[Operand | None, ...]:
        return (*self.arguments, self.time)

    @property
    def terms(self) -> tuple[Term | None, ...]:
        return self.arguments

    @property
    def times(self) -> tuple[Time, ...]:
        return (self.time,)

    def replaced(self, by: Replacement) -> Self:
        return type(self)(self.predicate, by.terms(self.arguments), by.time(self.time), self.relation)

    @property
    def parts(self) -> tuple[Part, ...]:
        return call_parts(f"not {self.predicate}", self.operands)

    @property
    def references(self) -> tuple[Reference, ...]:
        return (Reference(self.relation, self.predicate, self.arguments, self.time, self.time),)
