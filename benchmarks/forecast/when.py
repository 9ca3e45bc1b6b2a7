"""How good forecasts of *when* are: the chances to be confirmed by each tick, against what happened.

CRPS  the sum over ticks of the square of "confirmed by then" minus its chance; the mean of lines
KS    of confirmed answers, how far the places of their ticks among those that were forecast are from evenly
      spread: the largest difference between two distributions (Kolmogorov and Smirnov)

What never happens is later than every tick. The rival counts: of lines decided before, with the same literals
true, how many ticks it took.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from antelog.engine.columns.tables import Column
from benchmarks.forecast.telling import Numbers

LONGEST = 200
"""What takes longer than so many ticks counts as never."""


def when(lines: pl.DataFrame, counts: pl.Expr) -> dict[str, Any] | None:
    """The measures of the lines that have a forecast and count; None if there are none."""
    lines = lines.filter(pl.col("forecast").is_not_null())
    own = lines.select(counts).to_series().to_numpy()
    if not own.any():
        return None
    forecast = forecasts(lines)
    took = took_ticks(lines, forecast.shape[1])
    by_lags = counted_lags(lines, took, forecast.shape[1])
    first = lines.select(pl.col("answer").is_first_distinct()).to_series().to_numpy()
    pit = places(forecast[own & first], took[own & first])
    return {
        "lines": int(own.sum()),
        "crps": crps(forecast[own], took[own]),
        "lags": crps(by_lags[own], took[own]),
        "confirmed": len(pit),
        "ks": unevenness(pit) if len(pit) else None,
    }


def forecasts(lines: pl.DataFrame) -> Numbers:
    """For each line (a row) the chances to be confirmed within so many ticks (a column), from 0 on."""
    pairs = lines.select(
        pl.int_range(pl.len()).alias("row"), pl.col("tick").alias("now"), "forecast"
    ).explode("forecast").unnest("forecast").drop_nulls()  # fmt: skip
    ahead = np.clip((pairs["tick"] - pairs["now"]).to_numpy(), 0, LONGEST)
    took = lines.filter("confirmed").select(pl.col("decided") - pl.col("tick")).to_series()
    longest = max(int(ahead.max(initial=0)), min(int(took.to_numpy().max(initial=0)), LONGEST))
    found = np.zeros((lines.height, longest + 1))
    found[pairs["row"].to_numpy(), ahead] = pairs["chance"].to_numpy()
    cumulated: Numbers = np.maximum.accumulate(found, axis=1)
    return cumulated


def took_ticks(lines: pl.DataFrame, never: int) -> Column:
    """How many ticks after each line its answer was confirmed; `never` if it was not."""
    took = pl.when("confirmed").then(pl.col("decided") - pl.col("tick")).otherwise(never)
    found: Column = np.minimum(lines.select(took).to_series().to_numpy(), never)
    return found


def counted_lags(lines: pl.DataFrame, took: Column, width: int) -> Numbers:
    """Forecasts by counting how long lines with the same literals took, of those decided before each line."""
    found = np.empty((lines.height, width))
    by = (np.arange(width) >= took[:, None]).astype(np.float32)
    for at in lines.with_row_index("row").group_by("stage").agg("row")["row"]:
        rows = at.to_numpy()
        tick, decided = (lines[name].to_numpy()[rows] for name in ("tick", "decided"))
        order = decided.argsort(kind="stable")
        sums = np.concatenate([np.zeros((1, width)), np.cumsum(by[rows[order]], axis=0)])
        before = np.searchsorted(decided, tick, "left", order)
        found[rows] = (sums[before] + 0.5) / (before[:, None] + 1)
    return found


def crps(forecast: Numbers, took: Column) -> float:
    by = np.arange(forecast.shape[1]) >= took[:, None]
    return float(((forecast - by) ** 2).sum(axis=1).mean())


def places(forecast: Numbers, took: Column) -> Numbers:
    """Of confirmed answers the place of the tick among those forecast, from 0 to 1; within a tick any."""
    some = np.flatnonzero((took < forecast.shape[1]) & (forecast[:, -1] > 0))
    share = forecast[some] / forecast[some, -1:]
    high = np.take_along_axis(share, took[some, None], axis=1)[:, 0]
    low = np.take_along_axis(share, np.maximum(took[some, None] - 1, 0), axis=1)[:, 0] * (took[some] > 0)
    found: Numbers = low + np.random.default_rng(0).random(len(some)) * (high - low)
    return found


def unevenness(place: Numbers) -> float:
    """The Kolmogorov-Smirnov distance of numbers from an even spread between 0 and 1."""
    ordered, steps = np.sort(place), np.arange(len(place) + 1) / len(place)
    return float(max((steps[1:] - ordered).max(), (ordered - steps[:-1]).max()))


def half_way(lines: pl.DataFrame, turn: int, some: int = 25) -> int | None:
    """How many ticks after a turn chances are half of the way to the truth: the mean of so many lines."""
    after = lines.filter(pl.col("tick") >= turn)
    gap = (after["chance"] - after["truth"]).abs().to_numpy()
    if len(gap) < 2 * some:
        return None
    mean = np.convolve(gap, np.ones(some) / some, "valid")
    near = np.flatnonzero(mean <= mean[0] / 2)
    return int(after["tick"][int(near[0]) + some - 1]) - turn if len(near) else None
