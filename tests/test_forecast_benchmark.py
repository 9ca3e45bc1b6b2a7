"""The benchmark of forecasts: rivals look at nothing that comes later, and the page says what was found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from math import sqrt

import numpy as np
import polars as pl
import pytest

import antelog
from antelog.process import Engine
from benchmarks.forecast import page, processes, results, when
from benchmarks.forecast.declared import Levels, declared_chance
from benchmarks.forecast.made import MADE
from benchmarks.forecast.rivals import base_rate, boosting, logistic
from benchmarks.forecast.telling import replay
from benchmarks.options import RESULTS


def test_the_base_rate_is_that_of_lines_decided_before() -> None:
    lines = pl.DataFrame(
        {"tick": [0, 3, 4, 9], "decided": [3, 8, 5, 12], "confirmed": [True, False, True, False]}
    )
    # (confirmed + 1/2) / (lines + 1), of those decided at an earlier tick
    assert np.allclose(base_rate(lines), [0.5, 0.5, 1.5 / 2, 2.5 / 4])
    lines = lines.with_columns(key=pl.Series([1, 2, 1, 2]))
    assert np.allclose(base_rate(lines, of_key=True), [0.5, 0.5, 1.5 / 2, 0.5 / 2])


@pytest.mark.parametrize(
    "rival", [boosting, partial(boosting, clock=True), logistic, partial(logistic, clock=True)]
)
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
    one, other = rival(lines, count - 1), rival(later, count - 1)
    assert np.array_equal(one[:until], other[:until])
    assert not np.array_equal(one[until:], other[until:])


@pytest.mark.parametrize("name", MADE)
def test_the_truth_of_made_streams_cannot_be_bettered(name: str) -> None:
    """Over many lines: of those it gives about the same chance, so many are confirmed."""
    found = results.read(RESULTS)["made"][name]["scores"]
    others = [each["brier"] for judge, each in found.items() if judge != "truth"]
    assert found["truth"]["brier"] < min(others) + 0.01
    stream = replace(MADE[name], seeds=min(MADE[name].seeds, 10))
    if name == "many keys":
        stream = replace(stream, make=partial(processes.orders, keys=2_000, each=2, slot=100, shape=1.0))
    lines = pl.concat(
        each.lines.select("time", "truth", "confirmed").filter(pl.col("time") <= each.last - stream.horizon)
        for each in stream.replays()
    )
    fifths = lines.group_by((pl.col("truth") * 5).floor()).agg(pl.len(), pl.col("truth", "confirmed").mean())
    for _, count, truth, confirmed in fifths.filter(pl.col("len") >= 100).iter_rows():
        # Lines of an answer, and those of a time, are right or wrong together.
        assert abs(confirmed - truth) < 0.02 + 4 * sqrt(truth * (1 - truth) / count)


def test_forecasts_of_when_are_scored() -> None:
    forecast = np.array([[0.0, 0.5, 0.5], [0.2, 0.2, 0.6]])
    # One was confirmed after a tick, one never was.
    assert when.crps(forecast, np.array([1, 3])) == pytest.approx((0.5 + (0.04 + 0.04 + 0.36)) / 2)
    # Of those that were, all that was forecast lay at that tick, or a third before and two thirds at it.
    low, high = when.places(np.array([[0.0, 0.5], [0.2, 0.6]] * 3000), np.full(6000, 1)).reshape(-1, 2).T
    assert when.unevenness(low) < 0.03
    assert 1 / 3 < high.min() < 0.35
    assert when.unevenness(high) == pytest.approx(1 / 3, abs=0.02)
    lines = pl.DataFrame(
        {"tick": [0, 1, 2, 9], "decided": [2, 4, 6, 12], "stage": 1, "confirmed": [True, False, True, True]}
    )
    took = when.took_ticks(lines, 9)
    assert took.tolist() == [2, 9, 4, 3]
    # Of the three before, one took two ticks, one took four, one never came.
    assert when.counted_lags(lines, took, 9)[-1].round(3).tolist() == [0.125] * 2 + [0.375] * 2 + [0.625] * 5


def test_where_readings_always_come_one_declared_level_is_as_good_as_both() -> None:
    """From tick 60 on, when it is known that there always is one: then silence speaks for neither level."""
    levels = Levels(0.4, (0.7, 0.2, 0.1), declared=True)
    facts = levels.facts(0, 5, 150)
    lines = replay(Engine(antelog.parse(levels.program)), facts).lines
    truth = declared_chance(levels, facts, lines)
    assert np.abs(lines["chance"].to_numpy() - truth)[lines["tick"].to_numpy() >= 60].max() < 0.01


def test_the_page_is_made_of_the_results() -> None:
    written = (page.DOCS / "forecast-results.md").read_text(encoding="utf-8")
    assert written == page.as_markdown(results.read(RESULTS))
    assert "| *mean, only reported* |" in written
