"""The built-in functions of texts and places, on columns."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from antelog.errors import FunctionError
from antelog.functions import UserFunction

EARTH = 6371.0088
"""The mean radius of the earth, in kilometres."""


def distance_km(
    lat1: NDArray[np.float64],
    lon1: NDArray[np.float64],
    lat2: NDArray[np.float64],
    lon2: NDArray[np.float64],
) -> NDArray[np.float64]:
    """The length of the great circle between two places, given in degrees; to the millimetre."""
    one, other = np.radians(lat1), np.radians(lat2)
    north, east = np.sin((other - one) / 2), np.sin(np.radians(lon2 - lon1) / 2)
    part = north * north + np.cos(one) * np.cos(other) * east * east
    kilometres: NDArray[np.float64] = np.round(2 * EARTH * np.arcsin(np.sqrt(np.minimum(part, 1.0))), 6)
    return kilometres


def _with_each(test: Callable[[pa.Array, str], pa.Array]) -> Callable[[pa.Array, pa.Array], pa.Array]:
    """A test of texts against one text, for one in each row: asked once for each different one."""

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
        raise FunctionError(f"`{pattern}` is no pattern for `matches`: {error}") from None


def _arrow(name: str, code: Callable[..., pa.Array]) -> UserFunction:
    return UserFunction(name, code, "arrow")


BUILT_IN: Mapping[str, UserFunction] = {
    each.name: each
    for each in (
        _arrow("lower", pc.utf8_lower),
        _arrow("upper", pc.utf8_upper),
        _arrow("length", pc.utf8_length),
        _arrow("contains", _with_each(pc.match_substring)),
        _arrow("starts_with", _with_each(pc.starts_with)),
        _arrow("matches", _with_each(_matches)),
        UserFunction("distance_km", distance_km, "numpy"),
    )
}
