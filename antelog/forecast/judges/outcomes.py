"""The judge of outcomes: of the answers that were once in this state, how many were confirmed?

    Malf, two of three hot, 1 tick old    wt2: 3 of 4    all devices: 61 of 200    the pattern: 70 of 900

What was counted for a key is drawn towards all keys, that towards the pattern, that towards the query. It
knows nothing of why. So it needs history, and it learns what no model of single facts knows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from antelog.engine.columns.tables import Column, Numbers
from antelog.engine.log.stages import pattern_of
from antelog.forecast.judges.following import Settled, either_of, stage_of
from antelog.forecast.odds.tally import AsOf, Counted, Waiting, looked_up, nothing_counted

WEIGHTS = (1.0, 1.0, 2.0, 5.0, 5.0)
"""What is known of wider classes counts as so many answers.

For the query, a pattern, a state whether silent or not, a state, a key.
"""


@dataclass(frozen=True, eq=False)
class Outcomes:
    """How many answers were in each state, and how many of them were confirmed.

    By query, by pattern, by state whether silent or not, by state, and by state and key: a tally each.
    """

    levels: tuple[Waiting, ...]


def nothing_known(keys: int) -> Outcomes:
    shared = (Waiting(nothing_counted(width, 2)) for width in (0, 1, 1, 1))
    return Outcomes((*shared, Waiting(nothing_counted(1 + keys, 2, forgets=keys > 0))))


def learned(
    outcomes: Outcomes, settled: Settled, keys: Sequence[Column], epochs: Column, *, shared: bool
) -> Outcomes:
    """With answers that are settled, their keys, and the epochs in which that was.

    If not what keys have in common is learned, too, the wider levels stay as they are.
    """
    levels = list(outcomes.levels)
    first = 0 if shared else len(levels) - 1
    of = settled.state_of
    confirmed = settled.confirmed.take(of).astype(np.float64)
    when = epochs.take(of)
    for epoch in np.unique(when).tolist():
        at = np.flatnonzero(when == epoch)
        numbers = np.stack([np.ones(len(at)), confirmed.take(at)], axis=1)
        own = (column.take(of.take(at)) for column in keys)
        columns = _columns(settled.states.take(at), tuple(own))
        for level, key in list(enumerate(columns))[first:]:
            levels[level] = levels[level].and_then(Counted(epoch, key, numbers))
    return Outcomes(tuple(levels))


def _columns(states: Column, keys: tuple[Column, ...]) -> list[tuple[Column, ...]]:
    """For each level the columns that are equal for answers of one class."""
    return [(), (pattern_of(stage_of(states)),), (either_of(states),), (states,), (states, *keys)]


def up_to(outcomes: Outcomes, epoch: int, half_life: float | None) -> Outcomes:
    """With everything used that was learned up to an epoch."""
    return Outcomes(tuple(level.up_to(epoch, half_life) for level in outcomes.levels))


def predicted(outcomes: Outcomes, states: Column, keys: Sequence[Column], as_of: AsOf) -> Numbers:
    """For answers in these states the share that is confirmed; NaN where nothing was counted at all."""
    chance, known = np.full(len(states), 0.5), np.zeros(len(states), np.bool_)
    if not any(level.tally.count for level in outcomes.levels):
        return np.full(len(states), np.nan)
    *wider, own = zip(outcomes.levels, _columns(states, tuple(keys)), WEIGHTS, strict=True)
    for (level, key, weight), then in [*((each, as_of.shared) for each in wider), (own, as_of.own)]:
        found = looked_up(level.tally, key, len(states), then).sums
        known |= found[:, 0] > 0
        chance = (found[:, 1] + weight * chance) / (found[:, 0] + weight)
    return np.where(known, chance, np.nan)
