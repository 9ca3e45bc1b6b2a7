"""antelog/forecast/judges/mean.py: judges in log odds; those that were wrong less often count more."""

from __future__ import annotations

import math

import numpy as np
import pytest

from antelog.forecast.judges.mean import FASTER, averaged, lost, no_losses, up_to
from antelog.forecast.rates.tally import Waiting
from antelog.forecast.scores.losses import LEAST, log_losses

UNKNOWN = float("nan")


def both(model: float, outcomes: float, losses: Waiting | None = None, pattern: int = 0) -> float:
    known = no_losses(2) if losses is None else losses.up_to(9, None)
    return float(averaged(known, np.array([pattern]), np.array([[model, outcomes]]), 9, None)[0])


def test_in_log_odds() -> None:
    assert both(0.9, 0.7) == pytest.approx(0.8209, abs=1e-4)
    odds = math.sqrt(0.9 / 0.1 * 0.7 / 0.3)
    assert both(0.9, 0.7) == pytest.approx(odds / (1 + odds))


def test_who_is_not_known_does_not_count() -> None:
    assert (both(UNKNOWN, 0.7), both(0.9, UNKNOWN)) == (0.7, 0.9)
    assert math.isnan(both(UNKNOWN, UNKNOWN))


def test_a_judge_who_is_certain_is_not_believed_blindly() -> None:
    assert both(1.0, LEAST) == pytest.approx(0.5)


def test_loss() -> None:
    chances, confirmed = np.array([0.8, 0.8, 0.0]), np.array([True, False, True])
    assert log_losses(chances, confirmed).tolist() == pytest.approx(
        [-math.log(0.8), -math.log(0.2), -math.log(LEAST)]
    )


def test_who_has_lost_less_counts_more_in_that_pattern() -> None:
    losses = lost(no_losses(2), 3, np.array([7, 7]), np.array([[0.1, 0.5], [0.2, 1.8]]))
    model, other = math.exp(-0.3), math.exp(-2.3)
    weight = model / (model + other)
    odds = math.exp(weight * math.log(9) + (1 - weight) * math.log(0.7 / 0.3))
    assert both(0.9, 0.7, losses, pattern=7) == pytest.approx(odds / (1 + odds))
    assert both(0.9, 0.7, losses, pattern=8) == both(0.9, 0.7)


def test_sums_do_not_depend_on_the_order_of_lines() -> None:
    """Sums of floats would differ in the last digit."""
    pattern, model, outcomes = np.zeros(999, np.int64), np.linspace(0, 9, 999), np.full(999, 0.1)
    each = np.stack([model, outcomes], axis=1)
    whole = lost(no_losses(2), 3, pattern, each)
    cut = no_losses(2)
    for part in np.array_split(np.random.default_rng(0).permutation(999), 7):
        cut = lost(cut, 3, pattern[part], each[part])
    one, other = (up_to(each, 5, None).tally.sums.tolist() for each in (whole, cut))
    assert one == other == [[pytest.approx(4495.5), pytest.approx(99.9), 999]]


def test_after_much_it_is_as_the_better_judge_says() -> None:
    losses = lost(no_losses(2), 3, np.zeros(500, np.int64), np.tile([0.3, 0.6], (500, 1)))
    assert both(0.9, 0.2, losses) == pytest.approx(0.9)


def test_how_good_they_were_fades_faster_than_what_they_have_learned() -> None:
    losses = lost(no_losses(2), 0, np.array([7]), np.array([[0.1, 0.5]]))
    used = up_to(losses, 10, 50.0)
    assert used.later == ()
    half = [math.exp(-0.1 / 2), math.exp(-0.5 / 2)]
    odds = math.exp(half[0] / sum(half) * math.log(9) + half[1] / sum(half) * math.log(0.7 / 0.3))
    one = np.array([7]), np.array([[0.9, 0.7]])
    assert averaged(used, *one, 50 // FASTER, 50.0).tolist() == [pytest.approx(odds / (1 + odds))]


def test_three_judges() -> None:
    losses = lost(no_losses(3), 3, np.zeros(1, np.int64), np.array([[0.1, 0.1, 9.0]])).up_to(9, None)
    each = np.array([[0.9, 0.7, 0.1], [UNKNOWN, 0.7, UNKNOWN], [0.9, 0.7, UNKNOWN]])
    found = averaged(losses, np.zeros(3, np.int64), each, 9, None)
    assert found[2] == pytest.approx(both(0.9, 0.7))
    assert found[1] == 0.7
    assert found[0] == pytest.approx(found[2], abs=1e-3)  # the third has no weight to speak of
