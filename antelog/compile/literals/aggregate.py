"""Aggregates in comparisons: `count(P(X, _, T-9..T)) >= 3`, `avg(V : P(V, T-9..T)) > 2 * avg(…)`.

Atoms may still come: a literal is true once it holds for all possible values, false once it fails for all.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence, Set
from typing import ClassVar, Self

from msgspec import Struct
from msgspec.structs import replace

from antelog.compile.literals import terms
from antelog.compile.literals.conditions import Comparison
from antelog.compile.literals.literal import AskedNode, Lowering, Reference, TextAround
from antelog.language import syntax
from antelog.language.literals.aggregate import Affine, around_steps
from antelog.language.printer import value_text


class Inside(Struct, frozen=True):
    """The atoms inside of an aggregate: `P(X, V, T-9..T), V >= 0`; arguments that are None have any value."""

    predicate: str
    arguments: tuple[terms.AnswerTerm | terms.Inner | None, ...]
    first: terms.Time
    last: terms.Time
    single: bool  # no range is written: `first` and `last` are one tick
    conditions: tuple[Comparison, ...]
    relation: str

    @classmethod
    def of(cls, aggregate: syntax.Aggregate, lowering: Lowering) -> Self:
        inner, atom = dataclasses.replace(lowering, inner=aggregate.inner), aggregate.atom
        *arguments, time = atom.terms
        first, last = (time, time) if atom.range is None else atom.range.ends
        return cls(
            atom.predicate,
            tuple(
                each if isinstance(each, terms.Time) else inner.argument(term)
                for each, term in zip(lowering.columns(atom), arguments, strict=True)
            ),
            lowering.time(first),
            lowering.time(last),
            atom.range is None,
            tuple(
                Comparison(inner.operand(c.left), c.operator, inner.operand(c.right))
                for c in aggregate.conditions
            ),
            lowering.relation(atom.predicate, arguments),
        )

    @property
    def operands(self) -> tuple[terms.Operand | None, ...]:
        sides = (side for each in self.conditions for side in each.operands)
        return (*self.arguments, self.first, self.last, *sides)

    @property
    def given(self) -> tuple[terms.AnswerTerm | None, ...]:
        """The arguments, with None for those that may have any value."""
        return tuple(None if isinstance(each, terms.Inner) else each for each in self.arguments)

    @property
    def reference(self) -> Reference:
        return Reference(self.relation, self.predicate, self.given, self.first, self.last, each=True)

    @property
    def opened(self) -> tuple[Comparison, ...]:
        """The conditions with the aggregate's own variables as plain ones, called by `open_name`."""
        return tuple(each.replaced(_Opened()) for each in self.conditions)

    def replaced(self, by: terms.Replacement) -> Inside:
        arguments = (e if e is None or isinstance(e, terms.Inner) else by.column(e) for e in self.arguments)
        return replace(
            self,
            arguments=tuple(arguments),
            first=by.time(self.first),
            last=by.time(self.last),
            conditions=tuple(each.replaced(by) for each in self.conditions),
        )

    @property
    def around(self) -> TextAround:
        *before, _, end = terms.call_parts(self.predicate, (*self.arguments, self.last))
        if not self.single:
            before += [self.first, ".."]
        conditions = [part for each in self.conditions for part in (", ", *each.parts)]
        return TextAround(tuple(before), self.last, (end, *conditions))


class Aggregate(Struct, frozen=True, tag=True):
    """A number that `steps` work out from the atoms inside, such as `2 * sum(V : P(X, V, T-9..T))`."""

    function: str
    distinct: bool
    value: terms.Inner | None
    inside: Inside
    steps: tuple[Affine, ...] = ()

    @classmethod
    def of(cls, aggregate: syntax.Aggregate, lowering: Lowering) -> Self:
        value = None if aggregate.value is None else terms.Inner(aggregate.value.name)
        steps = tuple(Affine(each.operator, each.number, each.first) for each in aggregate.steps)
        return cls(aggregate.function, aggregate.distinct, value, Inside.of(aggregate, lowering), steps)

    @property
    def value_column(self) -> int:
        """The place of the argument whose value is aggregated."""
        assert self.value is not None
        return self.inside.arguments.index(self.value)

    @property
    def least_values(self) -> tuple[terms.Operand, ...]:
        """The lower bounds that the conditions set to the aggregated values."""
        sides = (side for each in self.inside.conditions for side in (each, each.mirrored))
        return tuple(s.right for s in sides if s.left == self.value and s.operator in (">", ">=", "="))

    @property
    def variables(self) -> frozenset[str]:
        """Its variables, but for those that it has for itself."""
        return terms.variables_in(self.inside.operands)

    def with_any(self, bound: Set[str]) -> Aggregate:
        """Replaces variables that are not bound by any value, and leaves out conditions on them."""
        if self.variables <= bound:
            return self
        arguments = (
            None if terms.variables_in([each]) - bound and not isinstance(each, terms.Inner) else each
            for each in self.inside.arguments
        )
        conditions = tuple(each for each in self.inside.conditions if each.variables <= bound)
        return replace(self, inside=replace(self.inside, arguments=tuple(arguments), conditions=conditions))

    def replaced(self, by: terms.Replacement) -> Aggregate:
        return replace(self, inside=self.inside.replaced(by))

    @property
    def around(self) -> TextAround:
        distinct = "distinct " if self.distinct else ""
        value = "" if self.value is None else f"{self.value.name} : "
        (opening, *before), time, after = self.inside.around
        steps = around_steps(self.steps, lambda step: value_text(step.number))
        opening = f"{''.join(steps[0])}{self.function}({distinct}{value}{opening}"
        return TextAround((opening, *before), time, _joined([*after, ")", *steps[1]]))


class Aggregation(AskedNode, frozen=True, tag=True):
    has_amount: ClassVar[bool] = True
    left: Aggregate
    operator: str
    right: terms.Operand | Aggregate

    @classmethod
    def lowered(cls, literal: syntax.Literal, lowering: Lowering) -> Sequence[Aggregation] | None:
        if not isinstance(literal, syntax.Aggregation):
            return None
        left, right = Aggregate.of(literal.left, lowering), literal.right
        other = (
            Aggregate.of(right, lowering) if isinstance(right, syntax.Aggregate) else lowering.operand(right)
        )
        return (cls(left, literal.operator, other),)

    @property
    def needs(self) -> frozenset[str]:
        gives = self.operator == "=" and isinstance(self.right, terms.Var)
        return self.left.variables if gives else self.variables

    @property
    def closing(self) -> Aggregation:
        """The comparison with itself: true once the value is final, false if there is none."""
        return replace(self, operator="=", right=self.left)

    @property
    def aggregates(self) -> tuple[Aggregate, ...]:
        return (self.left, self.right) if isinstance(self.right, Aggregate) else (self.left,)

    @property
    def key(self) -> tuple[object, ...]:
        shapes = [
            (e.function, e.distinct, e.value, e.inside.relation, e.inside.single, e.steps)
            for e in self.aggregates
        ]
        tests = [tuple(c.operator for c in each.inside.conditions) for each in self.aggregates]
        own = [tuple(isinstance(a, terms.Inner) for a in each.inside.arguments) for each in self.aggregates]
        return "aggregation", self.operator, *shapes, *tests, *own

    @property
    def operands(self) -> tuple[terms.Operand | None, ...]:
        right = () if isinstance(self.right, Aggregate) else (self.right,)
        return (*(operand for each in self.aggregates for operand in each.inside.operands), *right)

    @property
    def compared(self) -> frozenset[str]:
        right = () if isinstance(self.right, Aggregate) else (self.right,)
        inside = (each.compared for e in self.aggregates for each in e.inside.conditions)
        return terms.variables_in(right).union(*inside)

    @property
    def shown(self) -> tuple[terms.Time, ...]:
        given = (each for aggregate in self.aggregates for each in aggregate.inside.given)
        return tuple(each for each in given if isinstance(each, terms.Time))

    @property
    def natural(self) -> tuple[terms.Time, ...]:
        return tuple(each.inside.last for each in self.aggregates if each.inside.single)

    @property
    def times(self) -> tuple[terms.Time, ...]:
        return tuple(end for e in self.aggregates for end in (e.inside.first, e.inside.last))

    def replaced(self, by: terms.Replacement) -> Self:
        right = self.right
        other = right.replaced(by) if isinstance(right, Aggregate) else by.operand(right)
        return type(self)(self.left.replaced(by), self.operator, other)

    @property
    def around(self) -> TextAround:
        return self.around_with(frozenset())

    def around_with(self, bound: Set[str]) -> TextAround:
        before, time, after = self.left.around
        if self.operator == "=" and isinstance(self.right, terms.Var) and self.right.name not in bound:
            return TextAround((self.right, " = ", *before), time, after)
        if not isinstance(self.right, Aggregate):
            return TextAround(before, time, _joined([*after, f" {self.operator} ", self.right]))
        others, last, end = self.right.around
        return TextAround(before, time, _joined([*after, f" {self.operator} ", *others, last, *end]))

    @property
    def references(self) -> tuple[Reference, ...]:
        return tuple(each.inside.reference for each in self.aggregates)


def _joined(parts: Iterable[terms.Part]) -> tuple[terms.Part, ...]:
    found: list[terms.Part] = []
    for part in parts:
        if isinstance(part, str) and found and isinstance(found[-1], str):
            found[-1] += part
        else:
            found.append(part)
    return tuple(found)


def open_name(own: terms.Inner) -> str:
    """Names an aggregate's own variable where it has one value at a time."""
    return f"<{own.name}"


class _Opened(terms.Replacement):
    def operand(self, operand: terms.Operand) -> terms.Operand:
        return terms.Var(open_name(operand)) if isinstance(operand, terms.Inner) else super().operand(operand)
