"""A comparison: `V >= 90`, `U <= T+5`, of values or of times.

It is tested once both sides have values. Before that the compiler knows of some whether they hold:

    3 < 5: True      T < T+1: True      a < 5: False, for they have no order      V < W: None
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Self

from antelog.compile.literals.literal import Condition, PutIn, StaticWorld, Value
from antelog.compile.literals.lowering import Lowering
from antelog.compile.literals.terms import (
    Calculated,
    Const,
    Operand,
    Part,
    Replacement,
    Sum,
    Time,
    Var,
    is_hopeless,
    shifted,
    variables_in,
)
from antelog.language import syntax
from antelog.language.literals.comparison import HOLDS

_MIRRORED = {"=": "=", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}


class Equation(NamedTuple):
    """A variable, and what it is worked out from: D and W - V."""

    variable: str
    operand: Operand


class Comparison(Condition, frozen=True, tag=True):
    left: Operand
    operator: str
    right: Operand

    @classmethod
    def lowered(cls, literal: syntax.Literal, lowering: Lowering) -> Sequence[Comparison] | None:
        if not isinstance(literal, syntax.Comparison):
            return None
        sides = (literal.left, literal.right)
        is_time = any(syntax.variable_of(side) in lowering.times for side in sides)
        left, right = (lowering.moment(s) if is_time else lowering.operand(s) for s in sides)
        return (cls(left, literal.operator, right),)

    @property
    def key(self) -> None:
        return None

    @property
    def operands(self) -> tuple[Operand, ...]:
        return self.left, self.right

    def replaced(self, by: Replacement) -> Self:
        return type(self)(by.operand(self.left), self.operator, by.operand(self.right))

    @property
    def parts(self) -> tuple[Part, ...]:
        return self.left, f" {self.operator} ", self.right

    @property
    def compared(self) -> frozenset[str]:
        values = {type(each) for each in self.operands} == {Var, Const}
        return frozenset() if values and self.operator in ("=", "!=") else self.variables

    @property
    def calculates(self) -> bool:
        """Whether a side is worked out, as in `W = V + 5`, and not a value as it is."""
        return not all(isinstance(side, Var | Const | Time) for side in self.operands)

    @property
    def is_arithmetic(self) -> bool:
        """Whether a side is worked out from numbers, so that the other is a number too."""
        return any(
            isinstance(side, Sum) or (isinstance(side, Calculated) and side.is_arithmetic)
            for side in self.operands
        )

    @property
    def defines(self) -> Equation | None:
        """The variable that it may give a value, and what this is worked out from."""
        if self.operator == "=" and self.calculates:
            for one, other in (self.operands, self.operands[::-1]):
                if isinstance(one, Var) and one.name not in variables_in([other]):
                    return Equation(one.name, other)
                if isinstance(one, Time) and one.variable is not None and not one.offset:
                    return Equation(one.variable, other)
        return None

    @property
    def mirrored(self) -> Comparison:
        """The comparison with its sides exchanged."""
        return Comparison(self.right, _MIRRORED[self.operator], self.left)

    @property
    def outcome(self) -> bool | None:
        left, right = self.left, self.right
        texts = [each for each in self.operands if isinstance(each, Const) and isinstance(each.value, str)]
        if any(map(is_hopeless, self.operands)) or (self.is_arithmetic and texts):
            return False
        if isinstance(left, Time) and isinstance(right, Time) and left.variable == right.variable:
            return bool(HOLDS[self.operator](left.offset, right.offset))
        if isinstance(left, Const) and isinstance(right, Const):
            same_kind = isinstance(left.value, str) == isinstance(right.value, str)
            if self.operator in ("=", "!=") or same_kind:
                return bool(HOLDS[self.operator](left.value, right.value))
            return False
        one, other = shifted(left), shifted(right)
        if one is not None and other is not None and one[0] == other[0]:
            return bool(HOLDS[self.operator](one[1], other[1]))
        return None

    def holds(self, values: Mapping[str, Value], known: StaticWorld, /) -> bool:
        return self.replaced(PutIn(values, known)).outcome is True
