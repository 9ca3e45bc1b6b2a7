"""Sums, averages, extremes and numbers of values as nodes of formulas, where values have declared chances.

    sum(V : Sale(X, V, T..T+1)) >= 15    at least 3 of Sale(X, 5) and two times Sale(X, 10), at each tick

Of such facts there is one at a tick at most. A comparison is decided when the engine decides it: that the
largest value is above 9 with the first that is, a sum that may fall once nothing more can come.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor, gcd, lcm

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
    total,
)
from antelog.language.literals.comparison import HOLDS

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
    if operator in FAILS:
        return Never(_total(facts, each, FAILS[operator], number))
    if operator == "=":
        return Every((_total(facts, each, ">=", number), Never(_total(facts, each, ">", number))))
    scale = _scale(each, number)
    parts = [Weighed(int(fact.value * scale), fact.part) for fact in each]
    reached = total(parts, operator, int(number * scale))
    return facts.found(reached) if facts.rises else facts.in_the_end(reached)


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
    if operator in FAILS:
        return Never(_different(facts, FAILS[operator], number))
    if operator == "=":
        return Every((_different(facts, ">=", number), Never(_different(facts, ">", number))))
    least = ceil(number) if operator == ">=" else floor(number) + 1
    by_value: dict[Fraction, list[Node]] = {}
    for fact in facts.each:
        by_value.setdefault(fact.value, []).append(fact.part)
    without = [Every(tuple(Never(fact.part) for fact in tick)) for tick in facts.ticks]
    again = [AtLeast(n, tuple(own)) for own in by_value.values() for n in range(2, len(own) + 1)]
    return Turns(
        at_least(least, [Some(tuple(own)) for own in by_value.values()]),
        at_least(len(facts.ticks) - least + 1, [*without, *again]),
    )


def _largest(facts: ValuedFacts, operator: str, number: Fraction) -> Node:
    """The largest value compares so, if there is one."""
    if operator in FAILS:
        return Never(_largest(facts, FAILS[operator], number))
    fits = tuple(fact.part for fact in facts.each if HOLDS[operator](fact.value, number))
    found = facts.found(Some(fits))
    return Every((found, Never(_largest(facts, ">", number)))) if operator == "=" else found
