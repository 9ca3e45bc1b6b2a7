"""Comparisons of aggregates, `count(P(X, _, T-9..T)) >= 3`; variables that stand outside are their groups."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from antelog.diagnostics import Diagnostic, Span, problem
from antelog.language import terms
from antelog.language.functions import OPERATORS, Number, calculated
from antelog.language.literals.comparison import MIRRORED, Comparison, check_times_in
from antelog.language.literals.literal import Atom, Literal, Occurrence, Safety, Sorts, TypeReason, Types
from antelog.language.vocabulary import Type

FUNCTIONS = ("count", "sum", "avg", "min", "max")


@dataclass(frozen=True, slots=True)
class Affine:
    """A step of arithmetic on a value, `* 2`; the number may stand `first`, or be `written` as a limit."""

    operator: str
    number: Number
    first: bool
    written: str | None = field(default=None, compare=False)

    @property
    def sign(self) -> int:
        """1 if it keeps the order of values, -1 if it reverses it, 0 if it makes all values equal."""
        if self.operator in "*/":
            return (self.number > 0) - (self.number < 0)
        return -1 if self.first and self.operator == "-" else 1


def after_steps(value: Number | None, steps: Sequence[Affine]) -> Number | None:
    """Does steps to a value; None if there is no value, as after a division by 0."""
    for each in steps:
        if value is not None:
            sides = (each.number, value) if each.first else (value, each.number)
            value = calculated(each.operator, sides)
    return value


def around_steps(steps: Sequence[Affine], number: Callable[[Affine], Any]) -> tuple[list[Any], list[Any]]:
    """Writes the parts before and behind a value with steps, given how to write a number."""
    before, behind, closeness = list[Any](), list[Any](), 3
    for each in steps:
        own = 1 if each.operator in "+-" else 2
        if closeness < own + each.first:
            before, behind = ["(", *before], [*behind, ")"]
        before = [number(each), f" {each.operator} ", *before] if each.first else before
        behind = behind if each.first else [*behind, f" {each.operator} ", number(each)]
        closeness = own
    return before, behind


@dataclass(frozen=True, slots=True)
class Aggregate(terms.Node):
    """A number made of the atoms that fit, or of their values; `steps` are done before it is compared."""

    function: str
    distinct: bool
    value: terms.Variable | None
    atom: Atom
    conditions: tuple[Comparison, ...]
    inner: frozenset[str] = field(default=frozenset(), compare=False)
    steps: tuple[Affine, ...] = ()

    @classmethod
    def at_side(cls, side: Side) -> Aggregate | None:
        """The aggregate at a side of a comparison, with times and plus numbers as steps, if there is one."""
        if isinstance(side, Aggregate):
            return side
        if not isinstance(side, terms.Calculation) or side.function not in OPERATORS:
            return None
        for first, (number, other) in ((True, side.arguments), (False, side.arguments[::-1])):
            if isinstance(number, terms.Constant) and not isinstance(number.value, str):
                step = Affine(side.function, number.value, first, number.written)
                found = None if first and side.function == "/" else cls.at_side(other)
                return found and replace(found, steps=(*found.steps, step))
        return None

    @property
    def parts(self) -> tuple[str | terms.Term | Literal, ...]:
        distinct = "distinct " if self.distinct else ""
        value: tuple[str | terms.Term, ...] = () if self.value is None else (self.value, " : ")
        conditions = [part for each in self.conditions for part in (", ", each)]
        before, behind = around_steps(self.steps, lambda step: terms.Constant(step.number, step.written))
        return (*before, f"{self.function}({distinct}", *value, self.atom, *conditions, ")", *behind)

    @property
    def operands(self) -> tuple[terms.Term, ...]:
        value = () if self.value is None else (self.value,)
        return (*value, *self.atom.operands, *(term for each in self.conditions for term in each.operands))

    @property
    def inside(self) -> frozenset[str]:
        return frozenset(terms.variables_of(self.operands))

    def among(self, outside: Iterable[str]) -> Aggregate:
        """Makes the other variables inner ones."""
        return replace(self, inner=self.inside - frozenset(outside))


Side: TypeAlias = terms.Term | Aggregate


@dataclass(frozen=True, slots=True)
class Aggregation(Literal):
    """A comparison of an aggregate with an expression, or with another aggregate."""

    left: Aggregate
    operator: str
    right: Side

    @classmethod
    def between(cls, left: Side, operator: str, right: Side, span: Span) -> Aggregation | None:
        """Makes a literal, with an aggregate first, if a side is one."""
        one, other = Aggregate.at_side(left), Aggregate.at_side(right)
        if one is not None:
            return cls(one, operator, other or right, span=span)
        return None if other is None else cls(other, MIRRORED[operator], left, span=span)

    def among(self, outside: Iterable[str]) -> Aggregation:
        """Makes the other variables in aggregates inner ones."""
        names = frozenset(outside)
        right = self.right.among(names) if isinstance(self.right, Aggregate) else self.right
        return replace(self, left=self.left.among(names), right=right)

    @property
    def aggregates(self) -> tuple[Aggregate, ...]:
        return (self.left, self.right) if isinstance(self.right, Aggregate) else (self.left,)

    @property
    def defines(self) -> str | None:
        """The variable to which it gives a value, if nothing else does: N of `N = count(…)`."""
        right = self.right
        if self.operator != "=" or not isinstance(right, terms.Variable) or right.name in self.left.inside:
            return None
        return right.name

    @property
    def parts(self) -> tuple[str | terms.Term | Literal, ...]:
        if isinstance(self.right, terms.Variable) and self.operator == "=":
            return (self.right, " = ", *self.left.parts)
        right = self.right.parts if isinstance(self.right, Aggregate) else (self.right,)
        return (*self.left.parts, f" {self.operator} ", *right)

    @property
    def atoms(self) -> tuple[Occurrence, ...]:
        return tuple(Occurrence(each.atom, negated=True) for each in self.aggregates)

    @property
    def inner(self) -> frozenset[str]:
        return frozenset[str]().union(*(each.inner for each in self.aggregates))

    @property
    def compared(self) -> tuple[terms.Term, ...]:
        return () if isinstance(self.right, Aggregate) else terms.leaves_of(self.right)

    @property
    def operands(self) -> tuple[terms.Term, ...]:
        return (*(term for each in self.aggregates for term in each.operands), *self.compared)

    def check_sorts(self, sorts: Sorts) -> Iterator[Diagnostic]:
        for condition in (each for aggregate in self.aggregates for each in aggregate.conditions):
            for side in condition.sides:
                yield from check_times_in(side, sorts)
        if not isinstance(self.right, Aggregate):
            yield from check_times_in(self.right, sorts)

    def check_types(self, types: Types) -> None:
        for each in self.aggregates:
            within = types.within(each.inner)
            within.holds(each.atom)
            for condition in each.conditions:
                condition.check_types(within)
            if each.value is not None and each.function != "count" and each.value.name not in types.times:
                because = f"`{each.function}` takes numbers, and leaves out texts"
                reason = TypeReason(Type.TEXT, each.value.span, because)
                types.groups.excluded.append((within.cell(each.value.name), reason))

    def check_safety(self, rule: Safety) -> Iterator[Diagnostic]:
        for each in self.aggregates:
            yield from _inside(each, rule, decided_late=self.defines is not None)
        for term in self.compared:
            name = terms.variable_of(term)
            if isinstance(term, terms.Anonymous):
                yield problem("E402.anonymous-amount", term.span)
            elif name is not None and name not in rule.positive | rule.worked_out:
                yield problem("E402.compared-amount", term.span, name=name)


def _inside(each: Aggregate, rule: Safety, *, decided_late: bool) -> Iterator[Diagnostic]:
    name, value = each.atom.predicate, each.value
    if rule.is_static(name):
        yield problem("E409.static", each.atom.span, name=name, function=each.function)
    elif each.atom.terms and isinstance(each.atom.terms[-1], terms.Anonymous):
        yield problem("E409.endless", each.atom.span, aggregate=rule.text(each))
    own = {*terms.variables_of(each.atom.operands)}
    for term in (term for condition in each.conditions for term in condition.operands):
        for lost in terms.variables_of([term]) & (each.inner - own):
            yield problem("E402.condition-alone", term.span, variable=lost, function=each.function, name=name)
    if value is None:
        if each.distinct or each.function != "count":
            distinct = "distinct " if each.distinct else ""
            yield problem("E409.no-variable", each.span, function=each.function, distinct=distinct, name=name)
        return
    if value.name not in terms.variables_of(each.atom.terms):
        yield problem("E409.no-column", value.span, value=value.name, name=name)
    elif value.name not in each.inner:
        other = terms.Variable(f"{value.name}2")
        inside = tuple(other if term == value else term for term in each.atom.terms)
        written = rule.text(replace(each, value=other, atom=replace(each.atom, terms=inside)))
        yield problem("E409.outside", value.span, name=value.name, function=each.function, written=written)
    elif each.function == "sum" and not decided_late and rule.may_come_later(each.atom):
        for condition in each.conditions:
            for one, signs in ((condition.left, (">", ">=", "=")), (condition.right, ("<", "<=", "="))):
                if terms.variable_of(one) == value.name and condition.operator in signs:
                    return  # the values are bounded from below
        yield problem("W112.negative", each.span, name=value.name)
