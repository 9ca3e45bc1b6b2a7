"""`V >= 90`, `U <= T+5`: a comparison, tested once both sides have values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass
from operator import ge, gt, le, lt
from typing import Self

from antelog.language import syntax
from tests.specification.literals.literal import Body, Lowering
from tests.specification.terms import (
    Atom,
    Calculation,
    Term,
    Variable,
    is_arithmetic,
    is_hopeless,
    is_sum,
    text,
    variables_in,
)

_ORDERS: Mapping[str, Callable[..., bool]] = {"<": lt, "<=": le, ">": gt, ">=": ge}


@dataclass(frozen=True)
class Comparison(Body):
    left: Term
    operator: str
    right: Term

    @classmethod
    def lowered(cls, literal: syntax.Literal, lowering: Lowering) -> tuple[Body, ...] | None:
        if not isinstance(literal, syntax.Comparison):
            return None
        return (cls(lowering.term(literal.left), literal.operator, lowering.term(literal.right)),)

    @property
    def operands(self) -> tuple[Term, ...]:
        return self.left, self.right

    @property
    def compared(self) -> frozenset[str]:
        name = any(isinstance(each, Variable) and not each.shift for each in self.operands)
        constant = any(isinstance(each, str | int | float) for each in self.operands)
        return frozenset() if name and constant and self.operator in ("=", "!=") else self.variables

    def mapped(self, new: Callable[[Term], Term]) -> Self:
        return type(self)(new(self.left), self.operator, new(self.right))

    def __str__(self) -> str:
        return f"{text(self.left)} {self.operator} {text(self.right)}"

    @property
    def calculates(self) -> bool:
        """Whether a side is worked out, and not a value as it is."""
        return any(isinstance(each, Calculation) or is_sum(each) for each in self.operands)

    @property
    def defines(self) -> tuple[str, Term] | None:
        """The variable that it may give a value, and what this is worked out from."""
        if self.operator == "=" and self.calculates:
            for one, other in (self.operands, self.operands[::-1]):
                if isinstance(one, Variable) and not one.shift and one.name not in variables_in([other]):
                    return one.name, other
        return None

    @property
    def key(self) -> None:
        return None

    def holds(self, _model: Set[Atom] = frozenset()) -> bool | None:
        left, right = self.left, self.right
        if any(map(is_hopeless, self.operands)):
            return False
        if any(map(is_arithmetic, self.operands)) and any(isinstance(each, str) for each in self.operands):
            return False
        if isinstance(left, Variable) and isinstance(right, Variable) and left.name == right.name:
            left, right = left.shift, right.shift
        if variables_in([left, right]):
            return None
        if self.operator in ("=", "!="):
            return (left == right) is (self.operator == "=")
        numbers = isinstance(left, int | float) and isinstance(right, int | float)
        if not numbers and not (isinstance(left, str) and isinstance(right, str)):
            return False
        return _ORDERS[self.operator](left, right)
