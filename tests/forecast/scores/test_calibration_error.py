"""antelog/forecast/scores/calibration.py: how far chances are off, and how well that is known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antelog.forecast.scores.calibration import (
    Blocks,
    Calibration,
    CalibrationResult,
    calibration,
    judged,
    summed,
)
from tests.forecast.streams import Made, decided, stream


def of(seed: int, made: Made) -> CalibrationResult:
    return judged(calibration(stream(seed, made)))


def error(found: CalibrationResult) -> float:
    assert found.error is not None
    return found.error


def test_by_hand() -> None:
    """Four lines are announced 20 points too low, two 10 points too high."""
    lines = decided(
        *((n, n, 0.3, n, n % 2 == 0) for n in range(4)), *((n, n, 0.6, n, n % 2 == 0) for n in range(4, 6))
    )
    assert error(judged(calibration(lines))) == pytest.approx((4 * 0.2 + 2 * 0.1) / 6)
    assert judged(Calibration()).error is None


MADE = {
    "right": Made(),
    "right, few": Made(answers=150),
    "right, nearly alike": Made(shared=0.9),
    "too sure": Made(sure=1.5),
    "too timid": Made(sure=0.6),
    "slightly too sure": Made(sure=1.15, shared=0.0),
}


@pytest.mark.parametrize("name", MADE)
def test_the_interval_has_the_error_of_a_long_stream(name: str) -> None:
    """In some 95 of 100 streams. Blocks that follow each other share answers, so it is a little less."""
    made = MADE[name]
    truth = error(of(999, replace(made, answers=50_000, ticks=10_000)))
    found = [of(seed, made) for seed in range(60)]
    inside = [low - 1e-9 <= truth <= high for low, high in (each.interval or (1, 0) for each in found)]
    assert sum(inside) >= 52
    assert all(each.interval and each.interval[0] <= error(each) <= each.interval[1] for each in found)


def test_more_answers_know_it_better() -> None:
    """It is above zero of right chances, too, and then the interval begins there."""
    short, long = of(1, Made(answers=200)), of(1, Made(answers=20_000, ticks=4_000))
    assert error(short) > error(long)
    assert short.interval is not None
    assert long.interval is not None
    assert (short.interval[0], long.interval[0]) == (0, 0)
    assert short.interval[1] > long.interval[1]
    wrong = of(1, Made(sure=3.0)).interval
    assert wrong is not None
    assert wrong[0] > 0.05


def block_of(*ticks: int) -> Blocks:
    """One sum, of 1 for each tick."""
    tick = np.array(ticks, np.int64)
    return summed(1, np.zeros_like(tick), tick, np.ones_like(tick))


@given(st.lists(st.integers(0, 10_000) | st.integers(0, 2**53), max_size=20), st.integers(0, 20))
def test_parts_add_up(ticks: list[int], cut: int) -> None:
    whole, parts = block_of(*ticks), block_of(*ticks[:cut]) + block_of(*ticks[cut:])
    assert (whole.first, whole.last) == (parts.first, parts.last)
    assert np.array_equal(whole.sums, parts.sums)
    assert whole.sums.sum() == len(ticks)


def test_blocks_become_wider() -> None:
    ticks = [(0, 31), (0, 32), (1, 64), (0, 70)]
    assert [block_of(*each).width for each in ticks] == [1, 2, 4, 4]
