"""Learned chances on streams made for it: one whose facts change their ways, one that is short."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from benchmarks.forecast.made import MADE, TURN
from benchmarks.forecast.rivals import base_rate

pytestmark = pytest.mark.slow


def brier(lines: pl.DataFrame, column: str, since: int) -> float:
    """The Brier score of the lines since a tick that have a learned chance."""
    scored = lines.filter((pl.col("tick") >= since) & pl.col("chance").is_not_nan())
    assert scored.height > 500
    missed = scored[column].to_numpy() - scored["confirmed"].to_numpy()
    return float((missed**2).mean())


def test_a_thousand_ticks_after_a_drift_chances_are_nearly_the_truth() -> None:
    lines, since = MADE["drift"].replayed().lines, TURN + 1000
    assert brier(lines, "chance", since) < 1.1 * brier(lines, "truth", since)


def test_on_seventy_weeks_chances_are_better_than_the_base_rate_from_week_20_on() -> None:
    lines = MADE["weekly"].replayed().lines
    lines = lines.with_columns(base=np.asarray(base_rate(lines)))
    assert brier(lines, "chance", 20) < brier(lines, "base", 20)
