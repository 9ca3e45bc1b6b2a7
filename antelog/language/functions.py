"""The functions of the language: names, arguments, types, and the code of those that single values need.

    7 / 2 = 3.5    2 + 0.5 = 2.5    round(2.5) = 2    1 / 0 has no value, and neither has "high" + 1
    tick 1 hour, zone Europe/Berlin, T is 2024-03-04 06:00 UTC:    hour(T) = 7    weekday(T) = 1, Monday

Whole numbers stay whole, everything else is as IEEE 754 has it: a whole number beyond 64 bits becomes a
double, and so does what is divided. What has no value makes a comparison false. The code on columns is in
`antelog/engine/values/functions.py`.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import TypeAlias

from antelog.language.moments import Timescale
from antelog.language.terms import WHOLE, Value, number
from antelog.language.vocabulary import Signature, Type

Number: TypeAlias = int | float

OPERATORS = ("+", "-", "*", "/")
ARITHMETIC: Mapping[str, Callable[..., Number]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": lambda one, other: float(one) / float(other),
    "abs": abs,
    "round": round,
    "floor": math.floor,
}
"""The operators, and the functions of one number."""

CALENDAR: Mapping[str, Callable[[datetime], int]] = {
    "minute": lambda time: time.minute,
    "hour": lambda time: time.hour,
    "weekday": lambda time: time.isoweekday(),
    "day": lambda time: time.day,
    "month": lambda time: time.month,
}
"""The functions of a tick: what clock and calendar of the program's zone say when it begins."""

OF_ONE = frozenset({*ARITHMETIC, *CALENDAR} - {*OPERATORS})
"""The functions of one number, or of one time."""

_TEXT, _NUMBER = Type.TEXT, Type.NUMBER
BUILT_IN: Mapping[str, Signature] = {
    each.name: each
    for each in (
        Signature("lower", ("text",), (_TEXT,), _TEXT),
        Signature("upper", ("text",), (_TEXT,), _TEXT),
        Signature("length", ("text",), (_TEXT,), _NUMBER),
        Signature("contains", ("text", "part"), (_TEXT, _TEXT)),
        Signature("starts_with", ("text", "start"), (_TEXT, _TEXT)),
        Signature("matches", ("text", "pattern"), (_TEXT, _TEXT)),
        Signature("distance_km", ("lat1", "lon1", "lat2", "lon2"), (_NUMBER,) * 4, _NUMBER),
    )
}
"""The functions of texts and places, which are called as those of users are."""


def calculated(function: str, arguments: Sequence[Value]) -> Number | None:
    """The value of an operation or a function of numbers; None if it has none."""
    numbers = [each for each in arguments if not isinstance(each, str)]
    if len(numbers) < len(arguments):
        return None
    whole = all(isinstance(each, int) and each in WHOLE for each in numbers)
    try:
        found = number(ARITHMETIC[function](*(numbers if whole else map(float, numbers))))
    except (ArithmeticError, ValueError):
        return None
    return found if math.isfinite(found) else None


def calendar_number(function: str, tick: int, timescale: Timescale) -> int | None:
    """The value of a function of a tick; None if the tick has no time that can be written."""
    return CALENDAR[function](timescale.time(tick)) if tick in range(timescale.ticks.stop) else None
