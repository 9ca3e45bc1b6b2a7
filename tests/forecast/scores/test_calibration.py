"""antelog/forecast/scores/calibration.py: bins, and whether chances are what they say."""

from __future__ import annotations

import numpy as np
import pytest

from antelog.forecast.scores.calibration import VISIBLE, CalibrationResult, calibration, judged
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


@pytest.mark.parametrize("sure", [1.5, 0.6])
def test_wrong_chances_are_refuted(sure: float) -> None:
    assert sum(each is True for each in refuted(Made(sure=sure))) >= 55


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
