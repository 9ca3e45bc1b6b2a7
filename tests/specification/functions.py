"""The functions of programs in plain Python: the built-in ones, and some that programs of tests declare.

Each has the values of one row, and gives a value, a truth, or None; some raise for arguments of another type.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from antelog.language.syntax import Value, number

Found: TypeAlias = Value | bool | None


def _of_texts(function: Callable[..., Found]) -> Callable[..., Found]:
    return lambda *given: function(*given) if all(isinstance(each, str) for each in given) else None


def _of_numbers(function: Callable[..., Found]) -> Callable[..., Found]:
    return lambda *given: None if any(isinstance(each, str) for each in given) else function(*given)


def _distance_km(lat1: float, lon1: float, lat2: float, lon2: float) -> float:
    """The length of the great circle, on a sphere with the mean radius of the earth, to the millimetre."""
    one, other = math.radians(lat1), math.radians(lat2)
    north, east = math.sin((other - one) / 2), math.sin(math.radians(lon2 - lon1) / 2)
    part = north * north + math.cos(one) * math.cos(other) * east * east
    return round(2 * 6371.0088 * math.asin(math.sqrt(min(part, 1.0))), 6)


def _near(one: Value, other: Value) -> bool | None:
    """Numbers that differ by at most 5; raises for a text and a number."""
    return one == other if isinstance(one, str) and isinstance(other, str) else abs(one - other) <= 5  # type: ignore[operator]


def _half(value: Value) -> Value | None:
    """Half of an even number; None of others, and raises for a text."""
    return None if value % 2 else value / 2  # type: ignore[operator]


def _tag(value: Value) -> str:
    """A text with a sign in front."""
    return f"t-{value}"


BUILT_IN: Mapping[str, Callable[..., Found]] = {
    "lower": _of_texts(str.lower),
    "upper": _of_texts(str.upper),
    "length": _of_texts(len),
    "contains": _of_texts(lambda text, part: part in text),
    "starts_with": _of_texts(str.startswith),
    "matches": _of_texts(lambda text, pattern: re.search(pattern, text) is not None),
    "distance_km": _of_numbers(_distance_km),
}
OF_USERS: Mapping[str, Callable[..., Found]] = {"near": _near, "half": _half, "tag": _tag}
FUNCTIONS = {**BUILT_IN, **OF_USERS}


def called(function: str, arguments: Sequence[Value | None]) -> Value | None:
    """Calls a function; None where an argument has no value, it raises, or gives no finite number."""
    if any(each is None for each in arguments):
        return None
    try:
        found = FUNCTIONS[function](*arguments)
    except TypeError:
        return None
    if isinstance(found, int | float) and not isinstance(found, bool):
        return number(found) if math.isfinite(found) else None
    return found
