"""The nodes of formulas: facts that come, conditions that hold, and what is made of them.

    all(Temp(X, high) at 0, at least 2 of(Temp(X, high) at 1, Temp(X, high) at 2, Temp(X, high) at 3))

Nodes are trees that compare by value. Ticks are counted from the answer's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain
from math import lcm
from operator import add, mul, sub, truediv
from typing import TypeAlias

import numpy as np

from antelog.forecast.rates.odds import Series
from antelog.language.literals.aggregate import Affine, after_steps
from antelog.language.literals.comparison import HOLDS


@dataclass(frozen=True)
class Comes:
    """A fact of a series comes; `key` names the answer's variables that tell which, `at` the tick."""

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
    """So many of the parts hold, each counting once."""

    number: int
    parts: tuple[Node, ...]


@dataclass(frozen=True)
class Turns:
    """It turns out true once one part is certain, and false once the other is."""

    true: Node
    false: Node


Node: TypeAlias = Comes | Holds | Every | Some | Never | AtLeast | Turns

NOT = Some(())
"""What nothing makes true."""


def literals_of(node: Node) -> Iterator[Comes]:
    """The facts that a formula speaks of."""
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
#
# A part with a weight of 2 stands there twice, and one with a weight of -1 as its negation, which weighs one
# more than that.


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
    each: list[Node] = []
    for own in parts:
        each += [own.part if own.weight > 0 else Never(own.part)] * abs(own.weight)
    below = sum(min(own.weight, 0) for own in parts)
    return by_operator(operator, lambda sign: at_least(number + (sign == ">") - below, each))


def by_operator(operator: str, above: Callable[[str], Node]) -> Node:
    """A comparison with any operator, given those with `>=` and `>`."""
    if operator in FAILS:
        return Never(by_operator(FAILS[operator], above))
    return Every((above(">="), Never(above(">")))) if operator == "=" else above(operator)


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
