"""Totals as nodes of formulas: what the parts that hold weigh together, compared with a number.

    2·A(0) + 2·A(1) - B(0) >= 1    at least 2 of (A(0), A(0), A(1), A(1), not B(0))

Weights are whole numbers. A part with a weight of 2 stands there twice, and one with a weight of -1 as its
negation, which weighs one more than that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from operator import add, mul, sub, truediv

import numpy as np

from antelog.forecast.inference.nodes import NOT, AtLeast, Every, Never, Node
from antelog.language.literals.aggregate import Affine, after_steps
from antelog.language.literals.comparison import HOLDS


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


def whole_values(operator: str, sides: Sequence[tuple[Sequence[Affine], int]]) -> Sequence[list[int]] | None:
    """The values of counts from 0 on, after steps, at both sides, times a number that makes all whole.

    None if some have no value, or the doubles that they round to compare otherwise.
    """
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
        value = _OPERATORS[each.operator](*((number, value) if each.first else (value, number)))
    return value


_OPERATORS = {"+": add, "-": sub, "*": mul, "/": truediv}
