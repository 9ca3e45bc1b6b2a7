"""antelog/forecast/model_file.py: what was learned, as bytes and back, and nothing else is read."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import msgspec
import numpy as np
import pytest

from antelog.forecast.model_file import UnreadableError, packed, unpacked
from antelog.forecast.rates.counts import SeriesCounts
from antelog.forecast.rates.tally import Counted, Tally, Waiting, nothing_counted

TALLY = Tally(
    (np.array([2**62, -1]), np.array([5, 6])),
    np.array([0, 3]),
    np.array([4, 4]),
    np.array([[1.5, 2.0, 0.0], [0.25, 0.0, 1e300]]),
    forgets=True,
)
COUNTED = Counted(7, (np.array([1]),), np.array([[1.0, 0.0]]))
THING = {"Temp": SeriesCounts(TALLY, nothing_counted(0, 2), (COUNTED,)), "none": Waiting(TALLY)}


def same(one: Any, other: Any) -> bool:
    if isinstance(one, np.ndarray):
        return bool(one.dtype == other.dtype and one.shape == other.shape and one.tolist() == other.tolist())
    if isinstance(one, dict):
        return list(one) == list(other) and all(same(one[key], other[key]) for key in one)
    if isinstance(one, tuple):
        return len(one) == len(other) and all(map(same, one, other))
    if hasattr(one, "__dataclass_fields__"):
        parts = (each.name for each in fields(one))
        return type(one) is type(other) and all(same(getattr(one, p), getattr(other, p)) for p in parts)
    return bool(one == other)


def test_there_and_back() -> None:
    assert same(unpacked(*packed(THING)), THING)


@pytest.mark.parametrize(
    "thing",
    [{}, (), None, 1, "text", np.zeros((0, 3)), np.array([True, False]), (1.5, (np.array([2**62]),))],
)
def test_plain_values(thing: object) -> None:
    assert same(unpacked(*packed(thing)), thing)


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ({"is": "object"}, "object"),
        ({"is": "Tally"}, "argument"),
        ({"is": "Tally", "keys": [], "first": 1, "last": 2, "sums": 3, "more": 4}, "argument"),
        ({"column": 99, "shape": [1]}, "index"),
        ({"column": 0, "shape": [7]}, "reshape"),
        ({"map": [["a"]]}, "unpack"),
    ],
)
def test_what_nobody_has_packed(said: object, why: str) -> None:
    _, columns = packed(TALLY)
    with pytest.raises(UnreadableError, match=why):
        unpacked(msgspec.json.encode(said), columns)


@pytest.mark.parametrize(
    ("thing", "why"),
    [
        (
            Tally((np.array([1]),), np.array([0]), np.array([0, 1]), np.zeros((1, 1)), True),
            "different lengths",
        ),
        (Tally((), np.array([0]), np.array([0]), np.array([[-1.0]]), False), "cannot have been counted"),
        (
            Tally((), np.array([0]), np.array([0]), np.array([[float("nan")]]), False),
            "cannot have been counted",
        ),
        (Counted(0, (), np.array([[float("inf")]])), "cannot have been counted"),
    ],
)
def test_what_cannot_have_been_counted(thing: object, why: str) -> None:
    with pytest.raises(UnreadableError, match=why):
        unpacked(*packed(thing))


def test_damaged_bytes() -> None:
    said, columns = packed(THING)
    for broken in ((said[:-3], columns), (said, columns[:-20]), (b"", columns), (said, b"")):
        with pytest.raises(UnreadableError, match="cannot be read"):
            unpacked(*broken)
