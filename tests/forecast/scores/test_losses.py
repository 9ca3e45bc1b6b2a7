"""antelog/forecast/scores/losses.py: Brier score, log loss, and what the base rate would lose."""

from __future__ import annotations

from math import log

import pytest

from antelog.forecast.scores.losses import Loss, Losses, base_rate, brier, log_loss, losses
from tests.forecast.streams import decided


def test_by_hand() -> None:
    sums = losses(decided((1, 0, 0.8, 5, True), (2, 0, 0.8, 5, False), (3, 0, 0.1, 5, False)))
    assert base_rate(sums) == pytest.approx(1 / 3)
    assert brier(sums).mean == pytest.approx((0.04 + 0.64 + 0.01) / 3, abs=1e-8)
    assert brier(sums).base == pytest.approx(2 / 9)
    assert brier(sums).skill == pytest.approx(1 - 0.23 / (2 / 9), abs=1e-7)
    assert log_loss(sums).mean == pytest.approx(-(log(0.8) + log(0.2) + log(0.9)) / 3, abs=1e-8)
    assert log_loss(sums).base == pytest.approx(-(log(1 / 3) + 2 * log(2 / 3)) / 3)


def test_the_base_rate_itself_has_no_skill() -> None:
    sums = losses(decided((1, 0, 0.25, 5, True), *((n, 0, 0.25, 5, False) for n in (2, 3, 4))))
    assert brier(sums).skill == pytest.approx(0, abs=1e-8)
    assert log_loss(sums).skill == pytest.approx(0, abs=1e-8)


def test_a_certain_chance_that_is_wrong_loses_a_limited_amount() -> None:
    assert log_loss(losses(decided((1, 0, 0.0, 5, True)))).mean == pytest.approx(-log(1e-4), abs=1e-8)
    assert log_loss(losses(decided((1, 0, 1.0, 5, False)))).mean == pytest.approx(-log(1e-4), abs=1e-8)


def test_without_lines() -> None:
    assert brier(Losses()) == log_loss(Losses()) == Loss(None, None, None)
    assert base_rate(Losses()) is None


def test_all_alike_is_nothing_to_compare_with() -> None:
    sums = losses(decided((1, 0, 0.9, 5, True)))
    assert (brier(sums).base, brier(sums).skill, log_loss(sums).skill) == (0, None, None)
