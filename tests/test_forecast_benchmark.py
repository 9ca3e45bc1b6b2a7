"""The benchmark of forecasts: rivals look at nothing that comes later, and the page says what was found."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import polars as pl
import pytest

from benchmarks.forecast import page, results
from benchmarks.forecast.made import MADE, Levels, MadeStream, Spells
from benchmarks.forecast.rivals import base_rate, boosting, logistic
from benchmarks.options import RESULTS


def test_the_base_rate_is_that_of_lines_decided_before() -> None:
    lines = pl.DataFrame(
        {"tick": [0, 3, 4, 9], "decided": [3, 8, 5, 12], "confirmed": [True, False, True, False]}
    )
    # (confirmed + 1/2) / (lines + 1), of those decided at an earlier tick
    assert np.allclose(base_rate(lines), [0.5, 0.5, 1.5 / 2, 2.5 / 4])


@pytest.mark.parametrize("rival", [boosting, logistic])
def test_rivals_do_not_look_ahead(rival: Callable[[pl.DataFrame, int], np.ndarray]) -> None:
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
            "decided": tick + random.integers(1, 9, count),
            "confirmed": random.random(count) < 0.1 + stage / 10,
        }
    )
    until = 250
    later = lines.with_columns(
        confirmed=pl.when(pl.col("decided") >= until).then(~pl.col("confirmed")).otherwise("confirmed")
    )
    one, other = rival(lines, count - 1), rival(later, count - 1)
    assert np.array_equal(one[:until], other[:until])
    assert not np.array_equal(one[until:], other[until:])


@pytest.mark.parametrize("name", MADE)
def test_the_truth_of_made_streams_cannot_be_bettered(name: str) -> None:
    """Over many lines: its Brier score is that of chances that are right, its own mean of p(1 - p)."""
    found = results.read(RESULTS)["made"][name]["scores"]
    others = [each["log"] for judge, each in found.items() if judge != "truth"]
    assert found["truth"]["log"] < min(others) + 0.01
    spells = Spells(0.2, 0.7, (0.6, 0.4))
    lines = MadeStream("small", "", spells, partial(spells.facts, 20, 300), 0).replayed().lines
    truth, confirmed = lines["truth"].to_numpy(), lines["confirmed"].to_numpy()
    assert abs(((truth - confirmed) ** 2).mean() - (truth * (1 - truth)).mean()) < 0.01


def test_where_readings_always_come_one_declared_level_is_as_good_as_both() -> None:
    """From tick 60 on, when it is known that there always is one: then silence speaks for neither level."""
    levels = Levels(0.4, (0.7, 0.2, 0.1), declared=True)
    lines = MadeStream("small", "", levels, partial(levels.facts, 5, 150), 60).replayed().lines
    chance, truth = lines.filter(pl.col("tick") >= 60).select("chance", "truth").to_numpy().T
    assert np.abs(chance - truth).max() < 0.01


def test_the_page_is_made_of_the_results() -> None:
    written = (page.DOCS / "forecast-results.md").read_text(encoding="utf-8")
    assert written == page.as_markdown(results.read(RESULTS))
    assert "| *mean, only reported* |" in written
