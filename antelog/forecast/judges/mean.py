"""The average of two judges, in log odds; who was wrong less often counts more.

    the model says 0.9, outcomes say 0.7, both equally good: 0.82

In come the chances of both, and how wrong each has been on lines about settled answers of a pattern.
"""

from __future__ import annotations

import numpy as np

from antelog.engine.columns.tables import Column, Numbers
from antelog.forecast.rates import tally
from antelog.forecast.rates.tally import Counted, Waiting, looked_up, nothing_counted, summed
from antelog.forecast.scores.losses import LEAST
from antelog.forecast.scores.settled import UNIT, exactly

FASTER = 5
"""How good judges have been fades so many times as fast as what they have learned: a stream may change."""

MODEL, OUTCOMES, BOTH = "model", "outcomes", "both"


def no_losses() -> Waiting:
    """Nothing is known of either judge: for each pattern the sums of both losses, and of how many lines."""
    return Waiting(nothing_counted(1, 3))


def lost(losses: Waiting, epoch: int, pattern: Column, model: Numbers, outcomes: Numbers) -> Waiting:
    """With what both judges have lost on lines whose answers were settled in an epoch, one row for each.

    Losses are rounded to parts of a whole UNIT: so their sums are the same in whatever order they are added.
    """
    parts = [exactly(model) / UNIT, exactly(outcomes) / UNIT, np.ones(len(pattern))]
    keys, numbers = summed((pattern,), np.stack(parts, axis=1))
    return losses.and_then(Counted(epoch, keys, numbers))


def up_to(losses: Waiting, epoch: int, half_life: float | None) -> Waiting:
    """With everything used that was lost up to an epoch."""
    return losses.up_to(epoch, _faster(half_life))


def standing(losses: Waiting, epoch: int, half_life: float | None) -> Waiting:
    """The same as of an epoch."""
    return Waiting(tally.standing(losses.tally, epoch, _faster(half_life)))


def _faster(half_life: float | None) -> float | None:
    return None if half_life is None else half_life / FASTER


def averaged(
    losses: Waiting, pattern: Column, model: Numbers, outcomes: Numbers, as_of: tuple[int, float | None]
) -> Numbers:
    """The average of both chances; where one is not known (NaN), the other."""
    epoch, half_life = as_of
    found = looked_up(losses.tally, (pattern,), len(pattern), (epoch, _faster(half_life))).sums
    difference = np.clip(found[:, 0] - found[:, 1], -30, 30)
    weight = 1 / (1 + np.exp(difference))
    odds = weight * _log_odds(model) + (1 - weight) * _log_odds(outcomes)
    both = 1 / (1 + np.exp(-odds))
    return np.where(np.isnan(model), outcomes, np.where(np.isnan(outcomes), model, both))


def _log_odds(chance: Numbers) -> Numbers:
    clipped = np.clip(chance, LEAST, 1 - LEAST)
    result: Numbers = np.log(clipped / (1 - clipped))
    return result
