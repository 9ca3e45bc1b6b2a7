"""Sums, averages, extremes and numbers of values as nodes of formulas, where values have declared chances.

    sum(V : Sale(X, V, T..T+1)) >= 15    at least 3 of Sale(X, 5) and two times Sale(X, 10), at each tick

Of such facts there is one at a tick at most. A comparison is decided when the engine decides it: that the
largest value is above 9 with the first that is, a sum that may fall once nothing more can come.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor, gcd, lcm

from msgspec.structs import replace

from antelog.compile.literals.aggregate import Aggregate, Inside, open_name
from antelog.compile.literals.terms import Const, Inner, Replacement, Term, Var
from antelog.compile.nodes.plan import Input
from antelog.forecast.inference.nodes import (
    FAILS,
    AtLeast,
    Every,
    Never,
    Node,
    Some,
    Turns,
    Weighed,
    at_least,
    by_operator,
    total,
)
from antelog.forecast.rates.odds import Value
from antelog.language.literals.comparison import HOLDS


@dataclass(frozen=True)
class ValuedKind:
    """Facts that all have the same value, and what is inside of the aggregate about them."""

    value: Fraction
    inside: Inside


def kinds_of(aggregate: Aggregate, source: Input) -> tuple[ValuedKind, ...] | None:
    """The kinds of facts that fit; None if declarations do not name the value of each fact of the slot."""
    arguments, value = aggregate.inside.arguments, aggregate.value
    own = [each for each in arguments if isinstance(each, Inner)]
    # Where delays differ, it is not the slot alone that says until when a fact may come.
    if value is None or source.slot is None or source.refinements or len(set(own)) < len(own):
        return None
    if not all(isinstance(least, Const) for least in aggregate.least_values):
        return None
    found, different = [], dict[Value, Fraction]()
    for constants in _declared(source, source.slot):
        taken, inside = constants.get(arguments.index(value)), _about(aggregate.inside, constants)
        if taken is None or inside is None:
            return None
        # Of what is counted it matters only which values are equal.
        counted = aggregate.function == "count"
        number = different.setdefault(taken, Fraction(len(different))) if counted else _number(taken)
        if number is None:
            return None
        if all(each.outcome for each in inside.conditions):
            found.append(ValuedKind(number, inside))
    return tuple(found) or None


def rises(aggregate: Aggregate) -> bool:
    """Whether a condition says that the values are at least 0."""
    numbers = (each.value for each in aggregate.least_values if isinstance(each, Const))
    return any(not isinstance(number, str) and number >= 0 for number in numbers)


def _declared(source: Input, slot: Sequence[int]) -> Iterator[Mapping[int, Value]]:
    """The different constants of the declarations by column, without those in the slot."""
    patterns = (
        tuple((i, value) for i, value in enumerate(chance.pattern) if value is not None and i not in slot)
        for chance in source.odds.chances
    )
    yield from map(dict, dict.fromkeys(patterns))


def _number(value: Value) -> Fraction | None:
    """A number that adds up without being rounded: a whole one, or so many halves, quarters and so on."""
    if isinstance(value, str):
        return None
    number = Fraction(str(value))
    return number if number.denominator & (number.denominator - 1) == 0 else None


def _about(inside: Inside, constants: Mapping[int, Value]) -> Inside | None:
    """The inside of an aggregate, about facts with these constants; None if it says more of them."""
    if any(isinstance(inside.arguments[column], Var | Const) for column in constants):
        return None
    terms = tuple(Const(constants[i]) if i in constants else e for i, e in enumerate(inside.arguments))
    pairs = zip(inside.arguments, terms, strict=True)
    known = {open_name(e): t for e, t in pairs if isinstance(e, Inner) and isinstance(t, Const)}
    conditions = tuple(each.replaced(_Constants(known)) for each in inside.opened)
    if any(each.outcome is None for each in conditions):
        return None
    return replace(inside, arguments=terms, conditions=conditions)


class _Constants(Replacement):
    """Puts constants in place of variables."""

    def __init__(self, known: Mapping[str, Const]) -> None:
        self._known = known

    def term(self, term: Term) -> Term:
        return self._known.get(term.name, term) if isinstance(term, Var) else term


_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


@dataclass(frozen=True)
class Valued:
    """A fact with a value that may come at a tick."""

    value: Fraction
    part: Node


@dataclass(frozen=True)
class ValuedFacts:
    """The facts with values that may come, one of those of a tick at most; `rises` is of their sum."""

    ticks: Sequence[Sequence[Valued]]
    rises: bool

    @property
    def each(self) -> list[Valued]:
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
    """The value that a function has of the facts that come compares so with a number."""
    if function == "sum":
        return _total(facts, facts.each, operator, number)
    if function == "avg":
        beyond = [Valued(fact.value - number, fact.part) for fact in facts.each]
        return Every(
            (facts.some, _total(ValuedFacts(facts.ticks, rises=False), beyond, operator, Fraction(0)))
        )
    if function == "count":
        return _different(facts, operator, number)
    if function == "min":
        ticks = [[Valued(-fact.value, fact.part) for fact in tick] for tick in facts.ticks]
        return compared(ValuedFacts(ticks, facts.rises), "max", _MIRRORED.get(operator, operator), -number)
    return Every((facts.some, _largest(facts, operator, number)))


def size(facts: ValuedFacts, function: str, number: Fraction) -> int:
    """The number of parts that a total of the facts may have."""
    if function == "count":
        return len(facts.ticks) * len(facts.each)
    scale = _scale(facts.each, number)
    return sum(abs(int(each.value * scale)) + abs(int(number * scale)) for each in facts.each)


def _total(facts: ValuedFacts, each: Sequence[Valued], operator: str, number: Fraction) -> Node:
    scale = _scale(each, number)
    parts = [Weighed(int(fact.value * scale), fact.part) for fact in each]
    decided = facts.found if facts.rises else facts.in_the_end
    return by_operator(operator, lambda sign: decided(total(parts, sign, int(number * scale))))


def _scale(each: Sequence[Valued], number: Fraction) -> Fraction:
    """A factor that makes whole numbers of all values, the smallest there are."""
    values = [number, *(fact.value for fact in each)]
    whole = lcm(*(value.denominator for value in values))
    least = gcd(*(int(value * whole) for value in values))
    return Fraction(whole, least or 1)


def _different(facts: ValuedFacts, operator: str, number: Fraction) -> Node:
    """The number of different values compares so.

    It is too small for certain once too many ticks add nothing: no fact, or the value of another one.
    """
    by_value: dict[Fraction, list[Node]] = {}
    for fact in facts.each:
        by_value.setdefault(fact.value, []).append(fact.part)
    without = [Every(tuple(Never(fact.part) for fact in tick)) for tick in facts.ticks]
    again = [AtLeast(n, tuple(own)) for own in by_value.values() for n in range(2, len(own) + 1)]

    def above(sign: str) -> Node:
        least = ceil(number) if sign == ">=" else floor(number) + 1
        return Turns(
            at_least(least, [Some(tuple(own)) for own in by_value.values()]),
            at_least(len(facts.ticks) - least + 1, [*without, *again]),
        )

    return by_operator(operator, above)


def _largest(facts: ValuedFacts, operator: str, number: Fraction) -> Node:
    """The largest value compares so, if there is one."""
    if operator in FAILS:
        return Never(_largest(facts, FAILS[operator], number))
    fits = tuple(fact.part for fact in facts.each if HOLDS[operator](fact.value, number))
    found = facts.found(Some(fits))
    return Every((found, Never(_largest(facts, ">", number)))) if operator == "=" else found
