"""The benchmark of forecasts: rivals look at nothing that comes later, and the page says what was found."""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt

import numpy as np
import polars as pl
import pytest

from benchmarks.forecast import page, results, when
from benchmarks.forecast.made import MADE
from benchmarks.forecast.rivals import base_rate, boosting, logistic
from benchmarks.options import RESULTS


def test_the_base_rate_is_that_of_lines_decided_before() -> None:
    lines = pl.DataFrame(
        {"tick": [0, 3, 4, 9], "decided": [3, 8, 5, 12], "confirmed": [True, False, True, False]}
    )
    # (confirmed + 1/2) / (lines + 1), of those decided at an earlier tick
    assert np.allclose(base_rate(lines), [0.5, 0.5, 1.5 / 2, 2.5 / 4])
    lines = lines.with_columns(key=pl.Series([1, 2, 1, 2]))
    assert np.allclose(base_rate(lines, of_key=True), [0.5, 0.5, 1.5 / 2, 0.5 / 2])


@pytest.mark.parametrize("rival", [boosting, logistic])
def test_rivals_do_not_look_ahead(rival: Callable[..., np.ndarray]) -> None:
    """Other outcomes of answers that are decided later change no chance before."""
    pytest.importorskip("sklearn")
    random, count = np.random.default_rng(0), 400
    tick = np.arange(count)
    stage, key = random.integers(0, 8, count), random.integers(0, 5, count).astype(np.uint64)
    lines = pl.DataFrame(
        {
            "tick": tick,
            "answer": tick,
            "stage": stage,
            "age": random.integers(0, 4, count),
            "key": key,
            "looks": random.random((count, 2)),
            "hour": tick % 24,
            "weekday": tick // 24 % 7,
            "decided": tick + random.integers(1, 9, count),
            "confirmed": random.random(count) < 0.1 + stage / 10,
        }
    )
    until = 250
    later = lines.with_columns(
        confirmed=pl.when(pl.col("decided") >= until).then(~pl.col("confirmed")).otherwise("confirmed")
    )
    one, other = (rival(each, count - 1, clock=True) for each in (lines, later))
    assert np.array_equal(one[:until], other[:until])
    assert not np.array_equal(one[until:], other[until:])


@pytest.mark.parametrize("name", MADE)
def test_the_truth_of_made_streams_cannot_be_bettered(name: str) -> None:
    """Of the lines to which it gives about the same chance, so many are confirmed."""
    columns = ["truth", "confirmed", (pl.col("truth") * 5).floor().alias("fifth")]
    lines = pl.concat(each.lines.select(columns) for each in MADE[name].replays())
    fifths = lines.group_by("fifth").agg(pl.len(), pl.col("truth", "confirmed").mean())
    for _, count, truth, confirmed in fifths.filter(pl.col("len") >= 100).iter_rows():
        assert abs(confirmed - truth) < 0.02 + 4 * sqrt(truth * (1 - truth) / count)


def test_forecasts_of_when_are_scored() -> None:
    # One was confirmed after a tick, one never was.
    forecast = np.array([[0.0, 0.5, 0.5], [0.2, 0.2, 0.6]])
    assert when.crps(forecast, np.array([1, 3])) == pytest.approx((0.5 + (0.04 + 0.04 + 0.36)) / 2)
    # All that was forecast lay at the tick at which it was, or a third before and two thirds at it.
    low, high = when.places(np.array([[0.0, 0.5], [0.2, 0.6]] * 3000), np.full(6000, 1)).reshape(-1, 2).T
    assert when.unevenness(low) < 0.03
    assert when.unevenness(high) == pytest.approx(1 / 3, abs=0.02)
    # Of three lines before, one took two ticks, one took four, one never came.
    columns = {"tick": [0, 1, 2, 9], "decided": [2, 4, 6, 12], "confirmed": [True, False, True, True]}
    lines = pl.DataFrame(columns).with_columns(stage=1)
    found = when.counted_lags(lines, when.took_ticks(lines, 9), 9)[-1]
    assert found.tolist() == [0.125] * 2 + [0.375] * 2 + [0.625] * 5


def test_the_page_is_made_of_the_results() -> None:
    written = (page.DOCS / "forecast-results.md").read_text(encoding="utf-8")
    assert written == page.as_markdown(results.read(RESULTS))
    assert "| *mean, only reported* |" in written
