"""The functions of the language on columns; their names and types are in `antelog/language/functions.py`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from antelog.engine.columns.tables import Column
from antelog.errors import FunctionError
from antelog.functions import UserFunction

Doubles: TypeAlias = NDArray[np.float64]
EARTH = 6371.0088
"""The mean radius of the earth, in kilometres."""


def distance_km(lat1: Doubles, lon1: Doubles, lat2: Doubles, lon2: Doubles) -> Doubles:
    """The length of the great circle between two places given in degrees, to the millimetre."""
    one, other = np.radians(lat1), np.radians(lat2)
    north, east = np.sin((other - one) / 2), np.sin(np.radians(lon2 - lon1) / 2)
    part = north * north + np.cos(one) * np.cos(other) * east * east
    kilometres: Doubles = np.round(2 * EARTH * np.arcsin(np.sqrt(np.minimum(part, 1.0))), 6)
    return kilometres


def _with_each(test: Callable[[pa.Array, str], pa.Array]) -> Callable[[pa.Array, pa.Array], pa.Array]:
    """Turns a test of texts against one text into one against a text per row, run once for each text."""

    def tested(texts: pa.Array, others: pa.Array) -> pa.Array:
        found = np.zeros(len(texts), np.bool_)
        encoded = others.dictionary_encode()
        which = encoded.indices.to_numpy()
        order = np.argsort(which, kind="stable")
        ends = np.searchsorted(which.take(order), np.arange(len(encoded.dictionary) + 1))
        for number, other in enumerate(encoded.dictionary.to_pylist()):
            at = order[ends[number] : ends[number + 1]]
            found[at] = test(texts.take(pa.array(at)), other)
        return pa.array(found)

    return tested


def _matches(texts: pa.Array, pattern: str) -> pa.Array:
    try:
        return pc.match_substring_regex(texts, pattern)
    except pa.ArrowInvalid as error:
        raise FunctionError(f"`{pattern}` is not a pattern for `matches`: {error}") from None


BUILT_IN: Mapping[str, UserFunction] = {
    "distance_km": UserFunction("distance_km", distance_km, "numpy"),
    **{
        name: UserFunction(name, code, "arrow")
        for name, code in {
            "lower": pc.utf8_lower,
            "upper": pc.utf8_upper,
            "length": pc.utf8_length,
            "contains": _with_each(pc.match_substring),
            "starts_with": _with_each(pc.starts_with),
            "matches": _with_each(_matches),
        }.items()
    },
}
"""The functions of texts and places."""

ON_TIMES: Mapping[str, Callable[..., pa.Array]] = {
    "minute": pc.minute,
    "hour": pc.hour,
    "weekday": partial(pc.day_of_week, count_from_zero=False),
    "day": pc.day,
    "month": pc.month,
}
ON_DOUBLES: Mapping[str, Callable[..., Doubles]] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": lambda one, other: np.where(other == 0, np.nan, one / other),
    "abs": np.abs,
    "round": np.rint,
    "floor": np.floor,
}
ON_WHOLE: Mapping[str, Callable[..., Column]] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "abs": np.abs,
    "round": lambda one: one,
    "floor": lambda one: one,
}
