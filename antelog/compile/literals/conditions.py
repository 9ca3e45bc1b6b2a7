"""The conditions: comparisons, background literals, and calls of functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Self

from antelog.compile.literals import terms
from antelog.compile.literals.literal import Condition, Lowering, PutIn, StaticWorld, Value
from antelog.language import syntax
from antelog.language.literals.comparison import HOLDS, MIRRORED


class Equation(NamedTuple):
    """A variable and the operand that gives its value: D and W - V."""

    variable: str
    operand: terms.Operand


class Comparison(Condition, frozen=True, tag=True):
    left: terms.Operand
    operator: str
    right: terms.Operand

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
    def operands(self) -> tuple[terms.Operand, ...]:
        return self.left, self.right

    def replaced(self, by: terms.Replacement) -> Self:
        return type(self)(by.operand(self.left), self.operator, by.operand(self.right))

    @property
    def parts(self) -> tuple[terms.Part, ...]:
        return self.left, f" {self.operator} ", self.right

    @property
    def compared(self) -> frozenset[str]:
        values = {type(each) for each in self.operands} == {terms.Var, terms.Const}
        return frozenset() if values and self.operator in ("=", "!=") else self.variables

    @property
    def calculates(self) -> bool:
        """Whether a side is worked out, as in `W = V + 5`."""
        return not all(isinstance(side, terms.Var | terms.Const | terms.Time) for side in self.operands)

    @property
    def is_arithmetic(self) -> bool:
        """Whether a side is worked out from numbers, so that the other is a number too."""
        return any(
            isinstance(side, terms.Sum) or (isinstance(side, terms.Calculated) and side.is_arithmetic)
            for side in self.operands
        )

    @property
    def defines(self) -> Equation | None:
        """The equation by which it may give a variable its value."""
        if self.operator == "=" and self.calculates:
            for one, other in (self.operands, self.operands[::-1]):
                if isinstance(one, terms.Var) and one.name not in terms.variables_in([other]):
                    return Equation(one.name, other)
                if isinstance(one, terms.Time) and one.variable is not None and not one.offset:
                    return Equation(one.variable, other)
        return None

    @property
    def mirrored(self) -> Comparison:
        return Comparison(self.right, MIRRORED[self.operator], self.left)

    @property
    def outcome(self) -> bool | None:
        left, right = self.left, self.right
        texts = [
            each for each in self.operands if isinstance(each, terms.Const) and isinstance(each.value, str)
        ]
        if any(map(terms.is_hopeless, self.operands)) or (self.is_arithmetic and texts):
            return False
        if isinstance(left, terms.Time) and isinstance(right, terms.Time) and left.variable == right.variable:
            return bool(HOLDS[self.operator](left.offset, right.offset))
        if isinstance(left, terms.Const) and isinstance(right, terms.Const):
            same_kind = isinstance(left.value, str) == isinstance(right.value, str)
            if self.operator in ("=", "!=") or same_kind:
                return bool(HOLDS[self.operator](left.value, right.value))
            return False
        one, other = terms.shifted(left), terms.shifted(right)
        if one is not None and other is not None and one[0] == other[0]:
            return bool(HOLDS[self.operator](one[1], other[1]))
        return None

    def holds(self, values: Mapping[str, Value], known: StaticWorld, /) -> bool:
        return self.replaced(PutIn(values, known)).outcome is True


class StaticAtom(Condition, frozen=True, tag=True):
    """`Turbine(X)` or `not Broken(X)`: a background fact is there, or is not; `_` is None."""

    predicate: str
    arguments: tuple[terms.Term | None, ...]
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
    def operands(self) -> tuple[terms.Term | None, ...]:
        return self.arguments

    def replaced(self, by: terms.Replacement) -> Self:
        return type(self)(self.predicate, by.terms(self.arguments), self.negated)

    @property
    def parts(self) -> tuple[terms.Part, ...]:
        return terms.call_parts(f"not {self.predicate}" if self.negated else self.predicate, self.arguments)

    @property
    def binds(self) -> frozenset[str]:
        return frozenset() if self.negated else terms.variables_in(self.arguments)

    def holds(self, values: Mapping[str, Value], known: StaticWorld, /) -> bool:
        return not known.exists(self.predicate, self.known(values))

    def known(self, values: Mapping[str, Value]) -> tuple[Value | None, ...]:
        """Returns its arguments with these values of variables; None where there is no value."""
        return tuple(
            each.value if isinstance(each, terms.Const) else None if each is None else values.get(each.name)
            for each in self.arguments
        )


class Call(Condition, frozen=True, tag=True):
    """`near(A, B)`, `not near(A, B)`: without a result (None) of the function, both are false."""

    function: str
    arguments: tuple[terms.Operand, ...]
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
    def operands(self) -> tuple[terms.Operand, ...]:
        return self.arguments

    def replaced(self, by: terms.Replacement) -> Self:
        return type(self)(self.function, tuple(map(by.operand, self.arguments)), self.negated)

    @property
    def parts(self) -> tuple[terms.Part, ...]:
        return terms.call_parts(f"not {self.function}" if self.negated else self.function, self.arguments)

    @property
    def compared(self) -> frozenset[str]:
        return self.variables

    @property
    def functions(self) -> frozenset[terms.Function]:
        return terms.functions_in(self.arguments) | {terms.Function(self.function, len(self.arguments))}

    @property
    def outcome(self) -> bool | None:
        return False if any(map(terms.is_hopeless, self.arguments)) else None

    def holds(self, values: Mapping[str, Value], known: StaticWorld, /) -> bool:
        by = PutIn(values, known)
        given = [by.operand(each) for each in self.arguments]
        if not all(isinstance(each, terms.Const) for each in given):
            return False
        found = known.called(self.function, [each.value for each in given if isinstance(each, terms.Const)])
        return found is not None and bool(found) is not self.negated
