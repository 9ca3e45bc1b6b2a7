"""Arithmetic on numbers: whole numbers stay whole, everything else is as IEEE 754 has it.

    7 / 2 = 3.5    2 + 0.5 = 2.5    round(2.5) = 2    1 / 0 has no value, and neither has "high" + 1

A whole number beyond 64 bits becomes a double, and so does what is divided. What has no value makes a
comparison false.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from antelog.language.terms import WHOLE, Value, number

Number: TypeAlias = int | float

OPERATORS = ("+", "-", "*", "/")
FUNCTIONS: Mapping[str, int] = {"abs": 1, "round": 1, "floor": 1}
"""The functions of numbers, with how many arguments each takes."""

_ARITHMETIC: Mapping[str, Callable[..., Number]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": lambda one, other: float(one) / float(other),
    "abs": abs,
    "round": round,
    "floor": math.floor,
}


def calculated(function: str, arguments: Sequence[Value]) -> Number | None:
    """The value of an operation or a function; None if it has none."""
    numbers = [each for each in arguments if not isinstance(each, str)]
    if len(numbers) < len(arguments):
        return None
    whole = all(isinstance(each, int) and each in WHOLE for each in numbers)
    try:
        found = _ARITHMETIC[function](*(numbers if whole else map(float, numbers)))
        found = number(found)
    except (ArithmeticError, ValueError):
        return None
    return found if math.isfinite(found) else None


def is_arithmetic(function: str) -> bool:
    """Whether it is an operator or a function of numbers, and none that a program declares."""
    return function in _ARITHMETIC
