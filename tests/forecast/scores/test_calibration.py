"""antelog/forecast/scores/calibration.py: whether chances are what they say, and how far they are off."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antelog.forecast.scores.calibration import (
    VISIBLE,
    Blocks,
    Calibration,
    CalibrationResult,
    calibration,
    judged,
    summed,
)
from antelog.forecast.scores.scored_lines import UNIT
from tests.forecast.streams import Made, decided, stream

SEEDS = range(60)


def of(seed: int, made: Made) -> CalibrationResult:
    return judged(calibration(stream(seed, made)))


def refuted(made: Made) -> list[bool | None]:
    return [of(seed, made).refuted for seed in SEEDS]


def test_sums_by_hand() -> None:
    sums = calibration(
        decided((1, 0, 0.71, 4, True), (1, 1, 0.74, 4, True), (2, 3, 0.7, 9, False), (3, 3, 1.0, 9, True))
    )
    assert (sums.lines[14], sums.confirmed[14], sums.pairs[14]) == (3, 2, 5)
    assert sums.chance[14] / UNIT == pytest.approx(2.15)
    assert (sums.lines[19], sums.lines.sum(), sums.waited) == (1, 4, 4 + 3 + 6 + 6)
    assert sums.surplus.sums.sum(axis=1)[14] / UNIT == pytest.approx(2 - 2.15)


def test_a_band_by_hand() -> None:
    """Answers one after the other, half of those reported with 50 % confirmed: each is worth a quarter."""
    lines = decided(*((n, n, 0.5, n, n % 2 == 0) for n in range(32)))
    (found,) = judged(calibration(lines)).bins
    assert (found.lines, found.chance, found.confirmed) == (32, 0.5, 0.5)
    assert found.expected == pytest.approx(
        (0.5 - 1.96 * (32 / 4) ** 0.5 / 32, 0.5 + 1.96 * 8**0.5 / 32), abs=1e-4
    )


def test_lines_of_one_answer_count_as_one() -> None:
    few = decided(*((n, 0, 0.5, n % 3, n % 2 == 0) for n in range(30)))
    many = decided(*((n, 0, 0.5, n % 3, n % 2 == 0) for n in range(30) for _ in range(5)))
    assert judged(calibration(many)).bins[0].expected == pytest.approx(
        judged(calibration(few)).bins[0].expected
    )


def test_a_rare_thing_that_did_not_happen_says_little() -> None:
    lines = decided(*((n, n, 0.001, n, False) for n in range(500)))
    found = judged(calibration(lines))
    assert not found.bins[0].outside
    assert found.refuted is False


RIGHT = {
    "plain": Made(shared=0.0),
    "together": Made(shared=0.3),
    "nearly alike": Made(shared=0.9),
    "rare": Made(begin=-6.0),
    "long": Made(ticks=3000, life=2),
}


@pytest.mark.parametrize("name", RIGHT)
def test_right_chances_are_seldom_refuted(name: str) -> None:
    """One in twenty at most; of 60 that are 7 or fewer, but for three times in a hundred."""
    assert sum(each is True for each in refuted(RIGHT[name])) <= 7


def test_blocks_are_no_shorter_than_answers_live() -> None:
    """Otherwise answers that share nearly all of their time would count as independent."""
    assert of(1, Made(ticks=60, life=20, sure=3.0)).refuted is None


def off(points: float, answers: int) -> CalibrationResult:
    """Answers one after the other, some half of which are confirmed; their chances are this much higher."""
    confirmed = np.random.default_rng(0).random(answers) < 0.5
    rate = float(confirmed.mean())
    lines = decided(*((n, n, rate + points, n, bool(each)) for n, each in enumerate(confirmed)))
    return judged(calibration(lines))


def test_a_test_without_power_says_nothing() -> None:
    """Of all three streams chances are right; but of the first that could not be seen if they were not."""
    few, some, many = (off(0.0, answers) for answers in (40, 400, 4000))
    assert [each.refuted for each in (few, some, many)] == [None, False, False]
    visible = [each.visible or 0.0 for each in (few, some, many)]
    # Each answer is worth a quarter, and with three bands the limit is 2.39 deviations.
    least = [2.39 * (answers / 4) ** 0.5 / answers for answers in (40, 400, 4000)]
    assert all(0.95 * low <= found <= 1.5 * low for found, low in zip(visible, least, strict=True))
    assert visible[0] > VISIBLE > visible[1]


def error(found: CalibrationResult) -> float:
    assert found.error is not None
    return found.error


def test_errors_by_hand() -> None:
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


@pytest.mark.parametrize("sure", [1.5, 0.7])
def test_an_error_of_five_points_shows_in_three_thousand_lines(sure: float) -> None:
    """Though they are of 375 answers, many of which go together; and it is named with about its size."""
    found = [of(seed, Made(answers=375, sure=sure)) for seed in range(40)]
    assert sum(each.refuted is True for each in found) >= 26
    assert sum(each.refuted or (each.size or 0) >= 0.03 for each in found) >= 35
    assert sum(each.size or 0 for each in found) / 40 == pytest.approx(0.05, abs=0.01)
    right = [of(seed, Made(answers=375)) for seed in range(40)]
    assert sum((each.size or 0) >= 0.03 for each in right) <= 6


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
