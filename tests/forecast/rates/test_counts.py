"""antelog/forecast/rates/counts.py: what is learned of series, and the odds that follow."""

from __future__ import annotations

import numpy as np
import pytest

from antelog.engine.values.values import Values
from antelog.forecast.rates.counts import SeriesCounts, and_then, counted, no_counts, odds_of, up_to
from antelog.forecast.rates.odds import Keys, Odds
from antelog.forecast.rates.sightings import Sightings, family_of
from antelog.forecast.rates.tally import EPOCH, FORGOTTEN, KnownEpoch
from tests.forecast.making import Fact, chains, keys, once_and_again, sighted

TEXT = "input Temp(x: text, level: text, time) delay 2. P(X, T) :- Temp(X, high, T). query P(X, T)."
(CHAIN,) = chains(TEXT)
FAMILY = family_of(CHAIN)
HOT: list[Fact] = [("Temp", "a", "high", 3, 3), ("Temp", "a", "high", 4, 4), ("Temp", "a", "high", 5, 7)]


def learned(
    facts: list[Fact], epochs: int = 1, half_life: float | None = None
) -> tuple[SeriesCounts, Values]:
    sightings = sighted([FAMILY], facts)
    counts = no_counts(FAMILY, 2)
    for epoch in range(epochs):
        counts = and_then(counts, counted(sightings, FAMILY, epoch, 2))
    return up_to(counts, KnownEpoch(epochs - 1, half_life)), sightings.values


def odds(facts: list[Fact], *devices: str, epoch: int = 0) -> Odds:
    counts, values = learned(facts, epoch + 1)
    return _odds_of(counts, keys(values, X=devices), KnownEpoch(epoch, None))


def _odds_of(counts: SeriesCounts, rows: Keys, as_of: KnownEpoch) -> Odds:
    return odds_of(counts, CHAIN, rows, as_of, [np.ones(rows.count, np.bool_)])


def row(sightings: Sightings, epoch: int) -> list[float]:
    """What an epoch adds for all keys: facts, ticks after one, facts after one, and how late."""
    numbers: list[float] = counted(sightings, FAMILY, epoch, 2).numbers.sum(axis=0).tolist()
    return numbers


def test_epochs_do_not_count_what_lies_between_them_twice() -> None:
    last, next_ = ("Temp", "a", "high", EPOCH - 1, EPOCH - 1), ("Temp", "a", "high", EPOCH, EPOCH)
    sightings = sighted([FAMILY], [last, next_])
    assert row(sightings, 0) == [1, 0, 0, 1, 0, 0]  # the tick after it is the next epoch's
    assert row(sightings, 1) == [1, 2, 1, 1, 0, 0]


def test_odds_are_drawn_towards_those_of_all_keys() -> None:
    found = odds(HOT, "a", "b")
    # All keys: 20 ticks of one device, 3 hot, 2 of them after a hot one.
    once, again = 1.5 / 18, (2 + 1.5 / 18) / 4
    shares = np.array([2 + 1 / 3, 1 / 3, 1 + 1 / 3]) / 4
    rates = once_and_again(found)
    assert rates[0][:, 0].tolist() == pytest.approx([(1 + 20 * once) / (17 + 20), once])
    assert rates[1][:, 0].tolist() == pytest.approx([(2 + 5 * again) / (3 + 5), again])
    np.testing.assert_allclose(found.shares[:, 0], [([2, 0, 1] + 5 * shares) / 8, shares])
    assert found.known.tolist() == [True, True]


def test_what_all_keys_share_outlives_those_that_are_forgotten() -> None:
    counts, values = learned(HOT)
    late = FORGOTTEN + 1
    counts = up_to(counts, KnownEpoch(late, None))
    assert (counts.tally.count, counts.shared.count) == (0, 1)
    found = _odds_of(counts, keys(values, X=["a"]), KnownEpoch(late, None))
    once, again = once_and_again(found)
    assert again[0, 0] == pytest.approx((2 + once[0, 0]) / 4)
