"""The functions of the language, and their values of single arguments. Whole numbers stay whole in 64 bits.

7 / 2 = 3.5    round(2.5) = 2    1 / 0 and "high" + 1 have no value, which makes comparisons false
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
ARITHMETIC: Mapping[str, Callable[..., Number]] = {  # the operators, and the functions of one number
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": lambda one, other: float(one) / float(other),
    "abs": abs,
    "round": round,
    "floor": math.floor,
}

CALENDAR: Mapping[str, Callable[[datetime], int]] = {  # by the time at which a tick begins in the zone
    "minute": lambda time: time.minute,
    "hour": lambda time: time.hour,
    "weekday": lambda time: time.isoweekday(),
    "day": lambda time: time.day,
    "month": lambda time: time.month,
}

OF_ONE = frozenset({*ARITHMETIC, *CALENDAR} - {*OPERATORS})  # the functions of one number, or of one time

_TEXT, _NUMBER = Type.TEXT, Type.NUMBER
BUILT_IN: Mapping[str, Signature] = {  # the functions of texts and places
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


def calculated(function: str, arguments: Sequence[Value]) -> Number | None:
    """Calculates an operation or a function of numbers; None if it has no value."""
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
    """Calculates a function of a tick; None if the tick has no time that can be written."""
    return CALENDAR[function](timescale.time(tick)) if tick in range(timescale.ticks.stop) else None
