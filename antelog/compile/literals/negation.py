"""A negated literal: `not P(X, _, T)`, `not P(X, _, T..T+5)`, true once no such atom is or can become true.

With a range it is false with the first tick at which one is true, and true with the last at which none is.
Ticks before 0 have no facts, so the ends need not be natural numbers, and an empty range has none.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from antelog.compile.literals.literal import AskedNode, Reference
from antelog.compile.literals.lowering import Lowering
from antelog.compile.literals.terms import Operand, Part, Replacement, Term, Time, call_parts
from antelog.language import syntax


class Negation(AskedNode, frozen=True, tag=True):
    """`not P(…, first..last)`: at no tick from `first` to `last` an atom has these values (None: any).

    If it is `single`, no range is written, and both are one time. `relation` names the relation of the atom,
    whose answer variables are the arguments that are not None, in order, and the time.
    """

    predicate: str
    arguments: tuple[Term | None, ...]
    first: Time
    last: Time
    single: bool
    relation: str

    @classmethod
    def lowered(cls, literal: syntax.Literal, lowering: Lowering) -> Sequence[Negation] | None:
        if not isinstance(literal, syntax.Negation) or lowering.is_static(literal.atom):
            return None
        *terms, time = literal.atom.terms
        predicate, arguments, span = literal.atom.predicate, lowering.gaps(terms), literal.atom.range
        first, *others = map(lowering.time, (time,) if span is None else span.ends)
        last, relation = others[0] if others else first, lowering.relation(predicate, arguments)
        return (cls(predicate, arguments, first, last, span is None, relation),)

    @property
    def key(self) -> tuple[str, str, bool]:
        return "negation", self.predicate, self.single

    @property
    def denies(self) -> bool:
        return True

    @property
    def operands(self) -> tuple[Operand | None, ...]:
        return (*self.arguments, *self.times)

    @property
    def terms(self) -> tuple[Term | None, ...]:
        return self.arguments

    @property
    def times(self) -> tuple[Time, ...]:
        return (self.last,) if self.single else (self.first, self.last)

    @property
    def natural(self) -> tuple[Time, ...]:
        return (self.last,) if self.single else ()

    def replaced(self, by: Replacement) -> Self:
        first, last = by.time(self.first), by.time(self.last)
        return type(self)(self.predicate, by.terms(self.arguments), first, last, self.single, self.relation)

    @property
    def parts(self) -> tuple[Part, ...]:
        *before, last, end = call_parts(f"not {self.predicate}", (*self.arguments, self.last))
        return (*before, last, end) if self.single else (*before, self.first, "..", last, end)

    @property
    def references(self) -> tuple[Reference, ...]:
        return (Reference(self.relation, self.predicate, self.arguments, self.first, self.last),)
