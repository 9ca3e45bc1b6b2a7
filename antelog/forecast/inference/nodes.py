"""The nodes of formulas: facts, at ticks counted from the answer's, conditions, combinations and totals."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain
from math import ceil, floor, gcd, lcm
from operator import truediv
from typing import Any, TypeAlias

import numpy as np
from msgspec.structs import replace

from antelog.compile.literals.aggregate import Aggregate, Inside, open_name
from antelog.compile.literals.terms import Bindings, Const, Inner, Var
from antelog.compile.nodes.plan import Input
from antelog.forecast.rates.odds import Series, Value
from antelog.language.functions import ARITHMETIC
from antelog.language.literals.aggregate import Affine, after_steps
from antelog.language.literals.comparison import HOLDS, MIRRORED, OPPOSITE


class UnknownChanceError(Exception):
    """These answers have no chance; the message says why."""


@dataclass(frozen=True)
class Comes:
    """A fact of a series comes; `key` are the answer's variables that identify it, `at` is the tick."""

    series: Series
    key: tuple[str, ...]
    at: int


@dataclass(frozen=True)
class Holds:
    """A condition on the answer's values holds: one of `Formula.conditions`."""

    condition: int


@dataclass(frozen=True)
class Every:
    parts: tuple[Node, ...]


@dataclass(frozen=True)
class Some:
    parts: tuple[Node, ...]


@dataclass(frozen=True)
class Never:
    """The part turns out to be false."""

    part: Node


@dataclass(frozen=True)
class AtLeast:
    """A number of the parts hold; equal parts count several times."""

    number: int
    parts: tuple[Node, ...]


@dataclass(frozen=True)
class Turns:
    """It turns out true once one part is certain, and false once the other is."""

    true: Node
    false: Node


Node: TypeAlias = Comes | Holds | Every | Some | Never | AtLeast | Turns

NOT = Some(())  # it is never true


def literals_of(node: Node) -> Iterator[Comes]:
    match node:
        case Comes():
            yield node
        case Every(parts) | Some(parts) | AtLeast(parts=parts):
            yield from chain.from_iterable(map(literals_of, parts))
        case Never(part):
            yield from literals_of(part)
        case Turns(true, false):
            yield from chain(literals_of(true), literals_of(false))
        case Holds():
            pass


# ---- totals ----

#     2·A(0) + 2·A(1) - B(0) >= 1    at least 2 of (A(0), A(0), A(1), A(1), not B(0))


@dataclass(frozen=True)
class Weighed:
    """A part of a formula, and its weight if it holds: a fact that may come, and its value."""

    weight: Fraction
    part: Node


def at_least(number: int, parts: Sequence[Node]) -> Node:
    if number <= 0:
        return Every(())
    return AtLeast(number, tuple(parts)) if number <= len(parts) else NOT


def total(
    parts: Sequence[Weighed], operator: str, number: Fraction, decided: Callable[[Node], Node] | None = None
) -> Node:
    """Compares the weights of the parts that hold with a whole number, once that is `decided`."""
    each: list[Node] = []
    for own in parts:
        each += [own.part if own.weight > 0 else Never(own.part)] * abs(int(own.weight))
    least = int(number) - sum(min(int(own.weight), 0) for own in parts)

    def above(sign: str) -> Node:
        node = at_least(least + (sign == ">"), each)
        return node if decided is None else decided(node)

    return by_operator(operator, above)


def by_operator(operator: str, above: Callable[[str], Node]) -> Node:
    """A comparison with any operator, given those with `>=` and `>`."""
    if operator in ("<", "<=", "!="):
        return Never(by_operator(OPPOSITE[operator], above))
    return Every((above(">="), Never(above(">")))) if operator == "=" else above(operator)


def whole_values(operator: str, sides: Sequence[tuple[Sequence[Affine], int]]) -> Sequence[list[int]] | None:
    """The values of counts from 0 on, on both sides, made whole; None if rounding changes a comparison."""
    doubles = [[after_steps(n, steps) for n in range(most + 1)] for steps, most in sides]
    if any(each is None for side in doubles for each in side):
        return None
    exact = [[_exactly(Fraction(n), steps) for n in range(most + 1)] for steps, most in sides]
    by = lcm(*(each.denominator for side in exact for each in side[:2]))
    whole = [[int(by * each) for each in side] for side in exact]
    one, other = (
        HOLDS[operator](np.array(left)[:, None], np.array(right)) for left, right in (whole, doubles)
    )
    return whole if (one == other).all() else None


def _exactly(value: Fraction, steps: Sequence[Affine]) -> Fraction:
    for each in steps:
        number = Fraction(str(each.number))
        exact: Callable[..., Any] = truediv if each.operator == "/" else ARITHMETIC[each.operator]
        value = exact(*((number, value) if each.first else (value, number)))
    return value


# ---- aggregates of values that have declared chances ----

#     sum(V : Sale(X, V, T..T+1)) >= 15    at least 3 of Sale(X, 5) and two times Sale(X, 10), at each tick
#
# Of such facts there is one at a tick at most. A comparison is decided when the engine decides it: that the
# largest value is above 9 with the first that is, a sum that may fall once nothing more can come.


def kinds_of(aggregate: Aggregate, source: Input) -> list[tuple[Fraction, Inside]] | None:
    """The declared values of facts, each with the inside of the aggregate about it; None if some lack one."""
    arguments, value = aggregate.inside.arguments, aggregate.value
    own = [each for each in arguments if isinstance(each, Inner)]
    # Where delays differ, it is not the slot alone that says until when a fact may come.
    if value is None or source.slot is None or source.refinements or len(set(own)) < len(own):
        return None
    if not all(isinstance(least, Const) for least in aggregate.least_values):
        return None
    slot, found, different = source.slot, [], dict[Value, Fraction]()
    # The different constants of the declarations by column, without those in the slot.
    patterns = (
        tuple((i, each) for i, each in enumerate(chance.pattern) if each is not None and i not in slot)
        for chance in source.odds.chances
    )
    for constants in map(dict, dict.fromkeys(patterns)):
        taken, inside = constants.get(arguments.index(value)), _about(aggregate.inside, constants)
        if taken is None or inside is None:
            return None
        # Of what is counted it matters only which values are equal.
        counted = aggregate.function == "count"
        number = different.setdefault(taken, Fraction(len(different))) if counted else _number(taken)
        if number is None:
            return None
        if all(each.outcome for each in inside.conditions):
            found.append((number, inside))
    return found or None


def rises(aggregate: Aggregate) -> bool:
    """Whether a condition says that the values are at least 0."""
    numbers = (each.value for each in aggregate.least_values if isinstance(each, Const))
    return any(not isinstance(number, str) and number >= 0 for number in numbers)


def _number(value: Value) -> Fraction | None:
    """A value whose sums are exact in doubles: an integer, or a multiple of 1/2, 1/4 and so on; else None."""
    if isinstance(value, str):
        return None
    number = Fraction(str(value))
    return number if number.denominator & (number.denominator - 1) == 0 else None


def _about(inside: Inside, constants: Mapping[int, Value]) -> Inside | None:
    """The inside of an aggregate, about facts with these constants; None if that leaves conditions open."""
    if any(isinstance(inside.arguments[column], Var | Const) for column in constants):
        return None
    terms = tuple(Const(constants[i]) if i in constants else e for i, e in enumerate(inside.arguments))
    pairs = zip(inside.arguments, terms, strict=True)
    known = {open_name(e): t for e, t in pairs if isinstance(e, Inner) and isinstance(t, Const)}
    conditions = tuple(each.replaced(Bindings(known)) for each in inside.opened)
    if any(each.outcome is None for each in conditions):
        return None
    return replace(inside, arguments=terms, conditions=conditions)


@dataclass(frozen=True)
class ValuedFacts:
    """The facts with values that may come, at most one at a tick; `rises` says that sums never fall."""

    ticks: Sequence[Sequence[Weighed]]
    rises: bool

    @property
    def each(self) -> list[Weighed]:
        return [fact for tick in self.ticks for fact in tick]

    @property
    def some(self) -> Node:
        return Some(tuple(fact.part for fact in self.each))

    @property
    def settled(self) -> Node:
        """Nothing more can come: each tick has its fact, or will have none."""
        parts = [tuple(fact.part for fact in tick) for tick in self.ticks]
        return Every(tuple(Some((*own, Every(tuple(map(Never, own))))) for own in parts))

    def in_the_end(self, node: Node) -> Node:
        """A node that is decided once nothing more can come."""
        return Turns(Every((self.settled, node)), Every((self.settled, Never(node))))

    def found(self, node: Node) -> Node:
        """A node that may become true before, and is false once nothing more can come."""
        return Turns(node, Every((self.settled, Never(node))))


def compared(facts: ValuedFacts, function: str, operator: str, number: Fraction) -> Node:
    """Compares the value of a function over the facts that come with a number."""
    if function == "sum":
        return _total(facts, facts.each, operator, number)
    if function == "avg":
        beyond = [Weighed(fact.weight - number, fact.part) for fact in facts.each]
        return Every(
            (facts.some, _total(ValuedFacts(facts.ticks, rises=False), beyond, operator, Fraction(0)))
        )
    if function == "count":
        return _different(facts, operator, number)
    if function == "min":
        ticks = [[Weighed(-fact.weight, fact.part) for fact in tick] for tick in facts.ticks]
        return compared(ValuedFacts(ticks, facts.rises), "max", MIRRORED[operator], -number)

    def largest(sign: str) -> Node:
        """The largest is above a number once any is."""
        return facts.found(Some(tuple(e.part for e in facts.each if HOLDS[sign](e.weight, number))))

    return Every((facts.some, by_operator(operator, largest)))


def size(facts: ValuedFacts, function: str, number: Fraction) -> int:
    """The number of parts that a total of the facts may have."""
    if function == "count":
        return len(facts.ticks) * len(facts.each)
    scale = _scale(facts.each, number)
    return sum(abs(int(each.weight * scale)) + abs(int(number * scale)) for each in facts.each)


def _total(facts: ValuedFacts, each: Sequence[Weighed], operator: str, number: Fraction) -> Node:
    scale = _scale(each, number)
    parts = [Weighed(fact.weight * scale, fact.part) for fact in each]
    return total(parts, operator, number * scale, facts.found if facts.rises else facts.in_the_end)


def _scale(each: Sequence[Weighed], number: Fraction) -> Fraction:
    """The smallest factor that makes all values whole."""
    values = [number, *(fact.weight for fact in each)]
    whole = lcm(*(value.denominator for value in values))
    least = gcd(*(int(value * whole) for value in values))
    return Fraction(whole, least or 1)


def _different(facts: ValuedFacts, operator: str, number: Fraction) -> Node:
    """Compares the number of different values; it is too small once too many ticks cannot add any."""
    by_value: dict[Fraction, list[Node]] = {}
    for fact in facts.each:
        by_value.setdefault(fact.weight, []).append(fact.part)
    without = [Every(tuple(Never(fact.part) for fact in tick)) for tick in facts.ticks]
    again = [AtLeast(n, tuple(own)) for own in by_value.values() for n in range(2, len(own) + 1)]

    def above(sign: str) -> Node:
        least = ceil(number) if sign == ">=" else floor(number) + 1
        return Turns(
            at_least(least, [Some(tuple(own)) for own in by_value.values()]),
            at_least(len(facts.ticks) - least + 1, [*without, *again]),
        )

    return by_operator(operator, above)
