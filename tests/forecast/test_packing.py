"""antelog/forecast/model_file.py: what was learned, as bytes and back."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np
import pytest

from antelog.forecast.model_file import packed, unpacked
from antelog.forecast.rates.counts import SeriesCounts
from antelog.forecast.rates.ledger import opened
from antelog.forecast.rates.tally import Counted, Tally, nothing_counted

TALLY = Tally(
    (np.array([2**62, -1]), np.array([5, 6])),
    np.array([0, 3]),
    np.array([4, 4]),
    np.array([[1.5, 2.0, 0.0], [0.25, 0.0, 1e300]]),
    forgets=100,
)
COUNTED = Counted(7, (np.array([1]),), np.array([[1.0, 0.0]]))
THING = {"Temp": SeriesCounts(TALLY, nothing_counted(0, 2), (COUNTED,)), "none": opened(TALLY)}


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
    "thing", [{}, (), None, 1, "text", np.zeros((0, 3)), np.array([True, False]), (1.5, (np.array([2**62]),))]
)
def test_plain_values(thing: object) -> None:
    assert same(unpacked(*packed(thing)), thing)
