"""`near(A, B)`, `not contains(X, "test")`: a function that is a condition, true or false of known values."""

from __future__ import annotations

from collections.abc import Callable, Set
from dataclasses import dataclass
from typing import Self

from antelog.language import syntax
from tests.specification.literals.literal import Body, Lowering
from tests.specification.terms import Atom, Calculation, Term, is_hopeless, value_of, variables_in


@dataclass(frozen=True)
class Call(Body):
    function: str
    arguments: tuple[Term, ...]
    negated: bool

    @classmethod
    def lowered(cls, literal: syntax.Literal, lowering: Lowering) -> tuple[Body, ...] | None:
        if not isinstance(literal, syntax.Call):
            return None
        call = literal.function
        return (cls(call.function, tuple(map(lowering.term, call.arguments)), literal.negated),)

    @property
    def operands(self) -> tuple[Term, ...]:
        return self.arguments

    @property
    def compared(self) -> frozenset[str]:
        return self.variables

    def mapped(self, new: Callable[[Term], Term]) -> Self:
        return type(self)(self.function, tuple(map(new, self.arguments)), self.negated)

    def __str__(self) -> str:
        call = str(Calculation(self.function, self.arguments))
        return f"not {call}" if self.negated else call

    @property
    def key(self) -> tuple[object, ...]:
        return Call, self.function, self.negated

    def holds(self, _model: Set[Atom] = frozenset()) -> bool | None:
        """A null is false, also under `not`."""
        if any(map(is_hopeless, self.arguments)):
            return False
        if variables_in(self.arguments):
            return None
        found = value_of(Calculation(self.function, self.arguments))
        return found is not None and bool(found) is not self.negated
