"""antelog/forecast/scores/scored_lines.py: lines that are scored, and what cannot be one."""

from __future__ import annotations

import numpy as np
import pytest

from antelog.forecast.scores.scored_lines import UNIT, exactly, with_chance
from tests.forecast.streams import decided


def test_lines_without_a_chance_are_left_out() -> None:
    lines = with_chance(decided((1, 2, float("nan"), 3, True), (1, 3, 0.5, 3, True)))
    assert (lines.count, lines.reported.tolist(), lines.chance.tolist()) == (1, [3], [0.5])


@pytest.mark.parametrize("chance", [-0.1, 1.1, float("inf")])
def test_no_chance(chance: float) -> None:
    with pytest.raises(ValueError, match="below 0 or above 1"):
        with_chance(decided((1, 2, chance, 3, True)))


def test_reported_too_late() -> None:
    with pytest.raises(ValueError, match="reported after"):
        with_chance(decided((1, 4, 0.5, 3, True)))


def test_whole_numbers() -> None:
    assert exactly(np.array([0.0, 0.25, 1.0])).tolist() == [0, UNIT // 4, UNIT]
