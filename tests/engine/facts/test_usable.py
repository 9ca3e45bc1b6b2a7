"""antelog/engine/facts/admission.py: frames of which most rows, or all of them, cannot be used."""

from __future__ import annotations

import warnings
from typing import Any

import pandas as pd
import pytest

import antelog

RULES = "input Temp(x, level: number, time) delay 1. Hot(X, T) :- Temp(X, L, T), L > 9. query Hot(X, T)."


def engine(tick: str = "tick 10 minutes. ") -> antelog.Engine:
    return antelog.Engine(antelog.parse(tick + RULES))


def frame(times: list[Any], level: Any = 10) -> pd.DataFrame:
    return pd.DataFrame({"x": "a", "level": level, "time": times})


@pytest.mark.parametrize(
    ("tick", "given", "said"),
    [
        (
            "tick 10 minutes. ",
            frame(["noon"] * 4032),
            r"^Temp: none of its 4,032 rows can be used: the time `noon` is not a whole number or a",
        ),
        ("", frame(["2024-03-04"] * 2), "`2024-03-04` is a timestamp, and the program does not say how long"),
        ("", frame([0, 0, 0], "high"), "value `high` of column level is not a number"),
        ("", frame([None, None]), "none of its 2 rows can be used: the time is missing"),
        ("", [("a", 10, 0.5), ("a", 10, 1.5), ("a", None, 0)], "mostly the time `0.5` is not a whole number"),
    ],
)
def test_a_frame_of_no_use_is_an_error_and_nothing_is_taken(tick: str, given: Any, said: str) -> None:
    running = engine(tick)
    with pytest.raises(antelog.DataError, match=said):
        running.advance(5, {"Temp": given})
    assert (running.now, running.rejects.num_rows) == (-1, 0)
    assert running.advance(5, {"Temp": frame([5])})["Hot"].num_rows == 1


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (
            frame(["2024-03-04T00Z", "noon", "noon"]),
            r"^Temp: 2 of 3 rows were set aside \(2 malformed\); the time `noon` is not .*; `rejects` of",
        ),
        (frame([5] * 9 + [0] * 11 + [None]), r"12 of 21 rows were set aside \(11 late, 1 malformed\); arr"),
        (frame(list(range(1_000_000, 1_000_020))), r"20 of 20 rows were set aside \(20 early\)"),
    ],
)
def test_more_than_half_of_a_frame_is_a_warning_at_the_callers_line(given: Any, said: str) -> None:
    running = engine()
    running.advance(3)
    end = 999_999 if "early" in said else "2024-03-05" if "noon" in said else 5
    with pytest.warns(antelog.DataWarning, match=said) as caught:
        running.advance(end, {"Temp": given})
    assert caught[0].filename == __file__
    assert running.rejects.num_rows > 1


@pytest.mark.parametrize(
    "given",
    [
        [("a", 10, "noon")],  # one row says nothing of others
        [("a", 10, 5), ("a", 10, None)],
        [("a", 10, 0)] * 12,  # late, as some are where a few come at a time
        [("a", 10, 0)] * 12 + [("a", 10, 5)] * 12,
        [("a", 10, 5)] * 40,
        [],
    ],
)
def test_single_facts_that_are_set_aside_are_ordinary(given: Any) -> None:
    running = engine()
    running.advance(3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        running.advance(5, {"Temp": given})
