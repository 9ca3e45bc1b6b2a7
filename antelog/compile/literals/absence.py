"""A negated literal with a range of ticks: `not P(X, _, T..T+5)`, true once no such atom can be true in it.

It is false with the first tick at which one is true, and true with the last at which none is. Ticks before 0
have no facts, so the ends need not be natural numbers, and an empty range has none.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from antelog.compile.literals.literal import AskedNode, Reference
from antelog.compile.literals.lowering import Lowering
from antelog.compile.literals.terms import Operand, Part, Replacement, Term, Time, call_parts
from antelog.language import syntax


class Absence(AskedNode, frozen=True, tag=True):
    """`not P(…, first..last)`: at no tick from `first` to `last` an atom has these values (None: any)."""

    predicate: str
    arguments: tuple[Term | None, ...]
    first: Time
    last: Time
    relation: str

    @classmethod
    def lowered(cls, literal: syntax.Literal, lowering: Lowering) -> Sequence[Absence] | None:
        if not isinstance(literal, syntax.Negation) or literal.atom.range is None:
            return None
        predicate, arguments = literal.atom.predicate, lowering.gaps(literal.atom.terms[:-1])
        first, last = map(lowering.time, literal.atom.range.ends)
        return (cls(predicate, arguments, first, last, lowering.relation(predicate, arguments)),)

    @property
    def key(self) -> tuple[str, str]:
        return "absence", self.predicate

    @property
    def denies(self) -> bool:
        return True

    @property
    def operands(self) -> tuple[Operand | None, ...]:
        return (*self.arguments, self.first, self.last)

    @property
    def terms(self) -> tuple[Term | None, ...]:
        return self.arguments

    @property
    def times(self) -> tuple[Time, ...]:
        return self.first, self.last

    @property
    def natural(self) -> tuple[Time, ...]:
        return ()

    def replaced(self, by: Replacement) -> Self:
        first, last = by.time(self.first), by.time(self.last)
        return type(self)(self.predicate, by.terms(self.arguments), first, last, self.relation)

    @property
    def parts(self) -> tuple[Part, ...]:
        *before, last, end = call_parts(f"not {self.predicate}", (*self.arguments, self.last))
        return (*before, self.first, "..", last, end)

    @property
    def references(self) -> tuple[Reference, ...]:
        return (Reference(self.relation, self.predicate, self.arguments, self.first, self.last),)
