"""A query's open answers, judged: how likely each is, by whom, and how good the judges have been.

    Malf(wt2, 0) told at 1: the model says 0.64, outcomes 0.71, together 0.67
    settled at 3, not confirmed: what both have lost counts from the next epoch but one on

In come the lines of an epoch, out go their chances. An epoch's lines are judged by what was known two epochs
before, so it makes no difference how a run is cut.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from antelog.engine.columns.tables import Column, Mask, find, groups
from antelog.engine.log.stages import pattern_of
from antelog.forecast import outcomes
from antelog.forecast.average import averaged, loss, lost, no_losses
from antelog.forecast.following import Followed, Settled, age_bucket, nobody, state_of
from antelog.forecast.odds import Numbers
from antelog.forecast.outcomes import Outcomes, predicted
from antelog.forecast.tally import EPOCH, Waiting


@dataclass(frozen=True, eq=False)
class Told:
    """Lines about answers that are not settled yet: whose they are, when, the pattern, and what was said."""

    number: Column
    tick: Column
    pattern: Column
    model: Numbers
    outcomes: Numbers
    chance: Numbers

    def take(self, at: Column | Mask) -> Told:
        return Told(*(column[at] for column in vars(self).values()))

    def and_then(self, later: Told) -> Told:
        pairs = zip(vars(self).values(), vars(later).values(), strict=True)
        return Told(*(np.concatenate(pair) for pair in pairs))


def nothing_told() -> Told:
    empty, none = np.zeros(0, np.int64), np.zeros(0)
    return Told(empty, empty, empty, none, none, none)


@dataclass(frozen=True, eq=False)
class Judged:
    """What is known of a query's answers: those followed, what became of others, how good judges were."""

    followed: Followed
    outcomes: Outcomes
    losses: Waiting
    told: Told


def nothing_judged(width: int, keys: int) -> Judged:
    """Of answers with so many columns, the time being the last, of which so many are the key."""
    return Judged(nobody(width), outcomes.nothing_known(keys), no_losses(), nothing_told())


@dataclass(frozen=True, eq=False)
class Lines:
    """Open lines of an epoch: whose they are, their ticks and ages, stages, keys, and what the model says."""

    number: Column
    tick: Column
    age: Column
    stage: Column
    keys: tuple[Column, ...]
    model: Numbers


@dataclass(frozen=True)
class AsOf:
    """The epoch up to which everything is known that judges may use, and how it fades."""

    epoch: int
    half_life: float | None

    @property
    def both(self) -> tuple[int, float | None]:
        return self.epoch, self.half_life


def ready(judged: Judged, as_of: AsOf) -> Judged:
    """With everything used that was learned up to an epoch."""
    return replace(
        judged,
        outcomes=outcomes.up_to(judged.outcomes, as_of.epoch, as_of.half_life),
        losses=judged.losses.up_to(as_of.epoch, as_of.half_life),
    )


def judge(judged: Judged, lines: Lines, as_of: AsOf) -> tuple[Judged, Told]:
    """The chances of lines; they are kept until their answers are settled."""
    states = state_of(lines.stage, age_bucket(lines.age))
    by_outcomes = predicted(judged.outcomes, states, lines.keys, as_of.both)
    pattern = pattern_of(lines.stage)
    chance = averaged(judged.losses, pattern, lines.model, by_outcomes, as_of.both)
    told = Told(lines.number, lines.tick, pattern, lines.model, by_outcomes, chance)
    return replace(judged, told=judged.told.and_then(told)), told


def source_of(told: Told) -> Column:
    """For each line whose chance it is: 0 the model's, 1 that of outcomes, 2 of both; -1 for none."""
    model, by_outcomes = ~np.isnan(told.model), ~np.isnan(told.outcomes)
    return np.where(model & by_outcomes, 2, np.where(by_outcomes, 1, np.where(model, 0, -1)))


def settle(judged: Judged, settled: Settled, at: Column) -> tuple[Judged, Told, Column]:
    """Some of the settled answers are done with: their lines, and for each which of the settled it is of."""
    numbers = settled.number.take(at)
    place = find(judged.told.number, numbers)
    mine = np.flatnonzero(place >= 0)
    told, of = judged.told.take(mine), at.take(place.take(mine))
    losses = _with_losses(judged.losses, told, of, settled)
    return replace(judged, told=judged.told.take(place < 0), losses=losses), told, of


def _with_losses(losses: Waiting, told: Told, of: Column, settled: Settled) -> Waiting:
    """What both judges have lost on average over the lines of each answer in a pattern."""
    both = np.flatnonzero(~np.isnan(told.model) & ~np.isnan(told.outcomes))
    if len(both) == 0:
        return losses
    told, of = told.take(both), of.take(both)
    confirmed = settled.confirmed.take(of)
    model, by_outcomes = loss(told.model, confirmed), loss(told.outcomes, confirmed)
    same = groups(of)
    sizes = same.sizes
    means = [np.add.reduceat(each.take(same.order), same.starts) / sizes for each in (model, by_outcomes)]
    first = same.first
    epochs = settled.tick.take(of.take(first)) // EPOCH
    for epoch in np.unique(epochs).tolist():
        here = np.flatnonzero(epochs == epoch)
        losses = lost(losses, epoch, told.pattern.take(first.take(here)), means[0][here], means[1][here])
    return losses
