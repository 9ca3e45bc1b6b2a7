"""`Turbine(X)` and `not Broken(X)`: background facts that are there, or are not."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Set
from dataclasses import dataclass
from typing import Self

from antelog.language import syntax
from tests.specification.literals.literal import Body, Lowering
from tests.specification.terms import ANY, Atom, Substitution, Term, unify


@dataclass(frozen=True)
class Static(Body):
    atom: Atom
    absent: bool = False

    @classmethod
    def lowered(cls, literal: syntax.Literal, lowering: Lowering) -> tuple[Body, ...] | None:
        ((atom, negated),) = literal.atoms or ((None, False),)
        if atom is None or not lowering.is_static(atom):
            return None
        return (cls(lowering.asked(atom) if negated else lowering.atom(atom), negated),)

    @property
    def operands(self) -> tuple[Term, ...]:
        return self.atom.arguments

    def mapped(self, new: Callable[[Term], Term]) -> Self:
        return type(self)(self.atom.mapped(new), self.absent)

    def __str__(self) -> str:
        return f"not {self.atom}" if self.absent else str(self.atom)

    @property
    def key(self) -> tuple[object, ...]:
        return Static, self.absent, self.atom.predicate

    @property
    def static(self) -> Atom:
        return self.atom

    @property
    def denies(self) -> bool:
        return self.absent

    def joined(self, model: Set[Atom], known: Substitution) -> Iterator[Substitution]:
        if self.absent:
            yield known
        for fact in model if not self.absent else ():
            if fact.predicate == self.atom.predicate:
                found = unify(self.atom.arguments, fact.arguments, known)
                if found is not None:
                    yield found

    def holds(self, model: Set[Atom]) -> bool | None:
        if not self.absent or self.variables:
            return None
        return not any(
            fact.predicate == self.atom.predicate
            and all(here in (ANY, there) for here, there in zip(self.operands, fact.arguments, strict=True))
            for fact in model
        )
