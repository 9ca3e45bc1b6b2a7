"""A query's open answers, judged: how likely each is, by whom, and how good the judges have been.

    Malf(wt2, 0) told at 1: the model says 0.64, outcomes 0.71, together 0.67
    settled at 3, not confirmed: what both have lost counts from the next epoch but one on

In come the lines of an epoch, out go their chances. An epoch's lines are judged by what was known two epochs
before, so it makes no difference how a run is cut.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from antelog.engine.columns.joins import find
from antelog.engine.columns.tables import Column, Mask, Numbers, positions
from antelog.engine.step.lines import pattern_of
from antelog.forecast.judges import mean as average
from antelog.forecast.judges.mean import averaged, lost, no_losses
from antelog.forecast.outcomes import outcomes
from antelog.forecast.outcomes.following import OpenAnswers, SettledAnswers, age_bucket, nobody, state_of
from antelog.forecast.outcomes.outcomes import Outcomes, predicted
from antelog.forecast.rates.tally import AsOf, Waiting
from antelog.forecast.scores import scores
from antelog.forecast.scores.losses import log_losses
from antelog.forecast.scores.scores import Scores
from antelog.forecast.scores.settled import ScoredLines


@dataclass(frozen=True, eq=False)
class Predictions:
    """What was said of answers that are not settled yet: of which, when, in which pattern."""

    number: Column
    tick: Column
    pattern: Column
    model: Numbers
    outcomes: Numbers
    chance: Numbers

    def take(self, at: Column | Mask) -> Predictions:
        rows = positions(at)
        return Predictions(*(column.take(rows) for column in vars(self).values()))

    def and_then(self, later: Predictions) -> Predictions:
        pairs = zip(vars(self).values(), vars(later).values(), strict=True)
        return Predictions(*(np.concatenate(pair) for pair in pairs))


def nothing_told() -> Predictions:
    empty, none = np.zeros(0, np.int64), np.zeros(0)
    return Predictions(empty, empty, empty, none, none, none)


@dataclass(frozen=True, eq=False)
class Judged:
    """What is known of a query's answers: those followed, what became of others, how good judges were.

    `told` is what was said of those that are followed, `unscored` of some that are settled, and `scores`
    is what all before those have scored.
    """

    followed: OpenAnswers
    outcomes: Outcomes
    losses: Waiting
    told: Predictions
    unscored: ScoredLines
    scores: Scores


def nothing_judged(width: int, keys: int) -> Judged:
    """Of answers with so many columns, the time being the last, of which so many are the key."""
    return Judged(
        nobody(width),
        outcomes.nothing_known(keys),
        no_losses(),
        nothing_told(),
        nothing_unscored(),
        scores.nothing(),
    )


@dataclass(frozen=True, eq=False)
class Asked:
    """Open answers at ticks of an epoch: their ages, stages, keys, and what the model says.

    What is said of those that are `told` in lines is kept until the answers are settled.
    """

    number: Column
    tick: Column
    age: Column
    stage: Column
    keys: tuple[Column, ...]
    model: Numbers
    told: Mask


def ready(judged: Judged, as_of: AsOf) -> Judged:
    """With everything used that was learned up to an epoch."""
    known = outcomes.up_to(judged.outcomes, as_of.epoch, as_of.half_life)
    losses = average.up_to(judged.losses, as_of.epoch, as_of.half_life)
    if known is judged.outcomes and losses is judged.losses:
        return judged
    return replace(judged, outcomes=known, losses=losses)


def judge(judged: Judged, asked: Asked, as_of: AsOf) -> tuple[Judged, Predictions]:
    """The chances of open answers."""
    states = state_of(asked.stage, age_bucket(asked.age), ~asked.told)
    by_outcomes = predicted(judged.outcomes, states, asked.keys, as_of)
    pattern = pattern_of(asked.stage)
    chance = averaged(judged.losses, pattern, asked.model, by_outcomes, as_of.shared)
    said = Predictions(asked.number, asked.tick, pattern, asked.model, by_outcomes, chance)
    if not asked.told.any():
        return judged, said
    return replace(judged, told=judged.told.and_then(said.take(asked.told))), said


def source_of(told: Predictions) -> Column:
    """For each line whose chance it is: 0 the model's, 1 that of outcomes, 2 of both; -1 for none."""
    model, by_outcomes = ~np.isnan(told.model), ~np.isnan(told.outcomes)
    source: Column = model + 2 * by_outcomes - 1
    return source


def settle(judged: Judged, settled: SettledAnswers, at: Column, epoch: int | None) -> Judged:
    """Some of the settled answers are done with: what was said of them is scored.

    If the judges are weighed by it, what each has lost counts for the epoch in which that was.
    """
    if len(at) == 0:
        return judged
    place = find(judged.told.number, settled.number.take(at))
    mine = np.flatnonzero(place >= 0)
    told, of = judged.told.take(mine), at.take(place.take(mine))
    right = settled.confirmed.take(of)
    losses = judged.losses if epoch is None else _with_losses(judged.losses, told, right, epoch)
    done = ScoredLines(told.number, told.tick, told.chance, settled.tick.take(of), right)
    return _scored(
        replace(
            judged, told=judged.told.take(place < 0), losses=losses, unscored=_more(judged.unscored, done)
        )
    )


_AT_ONCE = 5_000
"""To score so many lines takes not much longer than to score one."""


def nothing_unscored() -> ScoredLines:
    empty = np.zeros(0, np.int64)
    return ScoredLines(empty, empty, np.zeros(0), empty, empty > 0)


def _more(one: ScoredLines, other: ScoredLines) -> ScoredLines:
    pairs = zip(vars(one).values(), vars(other).values(), strict=True)
    return ScoredLines(*(np.concatenate(pair) for pair in pairs))


def _scored(judged: Judged, enough: int = _AT_ONCE) -> Judged:
    if judged.unscored.count < enough:
        return judged
    found = scores.scored(judged.scores, judged.unscored)
    return replace(judged, scores=found, unscored=nothing_unscored())


def all_scored(judged: Judged) -> Scores:
    """The scores of everything that is settled."""
    return _scored(judged, 1).scores


def _with_losses(losses: Waiting, told: Predictions, confirmed: Mask, epoch: int) -> Waiting:
    """With what both judges have lost on each line of answers that were settled in an epoch."""
    both = np.flatnonzero(~np.isnan(told.model) & ~np.isnan(told.outcomes))
    if len(both) == 0:
        return losses
    pattern, confirmed = told.pattern.take(both), confirmed.take(both)
    model, by_outcomes = (log_losses(said.take(both), confirmed) for said in (told.model, told.outcomes))
    return lost(losses, epoch, pattern, model, by_outcomes)
