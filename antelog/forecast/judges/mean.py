"""The mean of judges in log odds; those that were wrong less often count more.

    the model says 0.9, outcomes say 0.7, both equally good: 0.82

The weight of a judge falls with its losses on lines of decided answers of a pattern.
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


def no_losses(judges: int) -> Waiting:
    """Before any loss: for each pattern the sums of the losses of each judge, and the number of lines."""
    return Waiting(nothing_counted(1, judges + 1))


def lost(losses: Waiting, epoch: int, pattern: Column, each: Numbers) -> Waiting:
    """Adds the losses of judges (columns) on lines whose answers were decided in an epoch.

    Losses are rounded to parts of a whole UNIT: so their sums are the same in whatever order they are added.
    """
    numbers = np.concatenate([exactly(each) / UNIT, np.ones((len(pattern), 1))], axis=1)
    return losses.and_then(Counted(epoch, *summed((pattern,), numbers)))


def up_to(losses: Waiting, epoch: int, half_life: float | None) -> Waiting:
    """Moves the losses of epochs up to this one into use."""
    return losses.up_to(epoch, _faster(half_life))


def at_epoch(losses: Waiting, epoch: int, half_life: float | None) -> Waiting:
    """Losses faded to an epoch."""
    return Waiting(tally.at_epoch(losses.tally, epoch, _faster(half_life)))


def _faster(half_life: float | None) -> float | None:
    return None if half_life is None else half_life / FASTER


def averaged(losses: Waiting, pattern: Column, each: Numbers, epoch: int, half_life: float | None) -> Numbers:
    """The mean of the chances of judges (columns) in log odds; NaN where none is known."""
    known = ~np.isnan(each)
    found = looked_up(losses.tally, (pattern,), len(pattern), epoch, _faster(half_life)).sums[:, :-1]
    least = np.where(known, found, np.inf).min(axis=1)
    behind = np.minimum(np.where(known, found - least[:, None], _MOST), _MOST)
    weight = np.exp(-behind) * known
    with np.errstate(invalid="ignore"):
        odds = (weight * _log_odds(np.where(known, each, 0.5))).sum(axis=1) / weight.sum(axis=1)
    alone = known.sum(axis=1) == 1
    chance: Numbers = np.where(alone, np.where(known, each, 0).sum(axis=1), 1 / (1 + np.exp(-odds)))
    return chance


_MOST = 30.0
"""A judge that is behind by more than this has no weight to speak of."""


def _log_odds(chance: Numbers) -> Numbers:
    clipped = np.clip(chance, LEAST, 1 - LEAST)
    result: Numbers = np.log(clipped / (1 - clipped))
    return result
