"""Totals as nodes of formulas: what the parts that hold weigh together, compared with a number.

    2·A(0) + 2·A(1) - B(0) >= 1    at least 2 of (A(0), A(0), A(1), A(1), not B(0))

Weights are whole numbers. A part with a weight of 2 stands there twice, and one with a weight of -1 as its
negation, which weighs one more than that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor

from antelog.forecast.inference.nodes import NOT, AtLeast, Every, Never, Node


@dataclass(frozen=True)
class Weighed:
    """A part of a formula, and what it weighs if it holds."""

    weight: int
    part: Node


def at_least(number: int, parts: Sequence[Node]) -> Node:
    """So many of the parts hold."""
    if number <= 0:
        return Every(())
    return AtLeast(number, tuple(parts)) if number <= len(parts) else NOT


def total(parts: Sequence[Weighed], operator: str, number: int) -> Node:
    """The weights of the parts that hold compare so with a number."""
    if operator in FAILS:
        return Never(total(parts, FAILS[operator], number))
    if operator == "=":
        return Every((total(parts, ">=", number), Never(total(parts, ">", number))))
    least = number if operator == ">=" else number + 1
    each: list[Node] = []
    for own in parts:
        each += [own.part if own.weight > 0 else Never(own.part)] * abs(own.weight)
    return at_least(least - sum(min(own.weight, 0) for own in parts), each)


FAILS = {"<": ">=", "<=": ">", "!=": "="}
"""Comparisons that hold where another one fails."""


def ratio_of(factor: float, most: int) -> Fraction | None:
    """The ratio that a factor is written as, if up to so many times it rounds to no other whole numbers."""
    ratio = Fraction(str(factor))
    same = all(
        (ceil(factor * number), floor(factor * number)) == (ceil(ratio * number), floor(ratio * number))
        for number in range(most + 1)
    )
    return ratio if same else None
