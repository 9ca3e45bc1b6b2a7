"""The call of a function as a condition: `near(A, B, C, D)`, `not contains(X, "test")`.

Functions are written in Python, and nothing is known of them before they run: of one that says nothing
(null), the condition is false, also under `not`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Self

from antelog.compile.literals.literal import Condition, PutIn, StaticWorld, Value
from antelog.compile.literals.lowering import Lowering
from antelog.compile.literals.terms import (
    Const,
    Function,
    Operand,
    Part,
    Replacement,
    call_parts,
    functions_in,
    is_hopeless,
)
from antelog.language import syntax


class Call(Condition, frozen=True, tag=True):
    """The values of its operands make the function true or, if `negated`, false."""

    function: str
    arguments: tuple[Operand, ...]
    negated: bool = False

    @classmethod
    def lowered(cls, literal: syntax.Literal, lowering: Lowering) -> Sequence[Call] | None:
        if not isinstance(literal, syntax.Call):
            return None
        call = literal.function
        return (cls(call.function, tuple(map(lowering.operand, call.arguments)), literal.negated),)

    @property
    def key(self) -> tuple[str, str, bool]:
        return "call", self.function, self.negated

    @property
    def operands(self) -> tuple[Operand, ...]:
        return self.arguments

    def replaced(self, by: Replacement) -> Self:
        return type(self)(self.function, tuple(map(by.operand, self.arguments)), self.negated)

    @property
    def parts(self) -> tuple[Part, ...]:
        return call_parts(f"not {self.function}" if self.negated else self.function, self.arguments)

    @property
    def compared(self) -> frozenset[str]:
        return self.variables

    @property
    def functions(self) -> frozenset[Function]:
        return functions_in(self.arguments) | {Function(self.function, len(self.arguments))}

    @property
    def outcome(self) -> bool | None:
        return False if any(map(is_hopeless, self.arguments)) else None

    def holds(self, values: Mapping[str, Value], known: StaticWorld, /) -> bool:
        by = PutIn(values, known)
        given = [by.operand(each) for each in self.arguments]
        if not all(isinstance(each, Const) for each in given):
            return False
        found = known.called(self.function, [each.value for each in given if isinstance(each, Const)])
        return found is not None and bool(found) is not self.negated
