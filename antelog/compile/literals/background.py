"""A background literal: `Turbine(X)` or `not Broken(X)`, a static fact that is there, or is not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Self

from antelog.compile.literals.literal import Condition, StaticWorld, Value
from antelog.compile.literals.lowering import Lowering
from antelog.compile.literals.terms import Const, Part, Replacement, Term, call_parts, variables_in
from antelog.language import syntax


class StaticAtom(Condition, frozen=True, tag=True):
    """A background fact there is, or (negated) is not. `None` stands for `_`."""

    predicate: str
    arguments: tuple[Term | None, ...]
    negated: bool = False

    @classmethod
    def lowered(cls, literal: syntax.Literal, lowering: Lowering) -> Sequence[StaticAtom] | None:
        negated = isinstance(literal, syntax.Negation)
        atom = literal.atom if isinstance(literal, syntax.Negation) else literal
        if not isinstance(atom, syntax.Atom) or not lowering.is_static(atom):
            return None
        return (cls(atom.predicate, lowering.gaps(atom.terms), negated),)

    @property
    def key(self) -> tuple[str, str, bool]:
        return "background", self.predicate, self.negated

    @property
    def operands(self) -> tuple[Term | None, ...]:
        return self.arguments

    def replaced(self, by: Replacement) -> Self:
        return type(self)(self.predicate, by.terms(self.arguments), self.negated)

    @property
    def parts(self) -> tuple[Part, ...]:
        return call_parts(f"not {self.predicate}" if self.negated else self.predicate, self.arguments)

    @property
    def binds(self) -> frozenset[str]:
        return frozenset() if self.negated else variables_in(self.arguments)

    def holds(self, values: Mapping[str, Value], known: StaticWorld, /) -> bool:
        return not known.exists(self.predicate, self.known(values))

    def known(self, values: Mapping[str, Value]) -> tuple[Value | None, ...]:
        """Its arguments with these values of variables; None where there is none."""
        return tuple(
            each.value if isinstance(each, Const) else None if each is None else values.get(each.name)
            for each in self.arguments
        )
