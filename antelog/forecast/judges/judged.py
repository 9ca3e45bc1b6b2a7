"""Judged answers: the chances of a query's open answers by all judges, and the losses of these.

    Malf(wt2, 0) reported at 1: the model says 0.64, outcomes 0.71, together 0.67
    decided at 3, not confirmed: what both have lost counts from the next epoch but one on

Lines of an epoch are judged by what was known two epochs before, so it makes no difference how a run is cut.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import cast

import numpy as np

from antelog.engine.columns.joins import find
from antelog.engine.columns.tables import Column, Mask, Numbers
from antelog.engine.step.lines import pattern_of
from antelog.forecast.column_set import ColumnSet
from antelog.forecast.judges import mean
from antelog.forecast.judges.judge import BOTH, JUDGES, MODEL, OUTCOMES, SEVERAL, Judge, Judges, Summing
from antelog.forecast.judges.mean import no_losses
from antelog.forecast.outcomes.following import DecidedAnswers, TrackedAnswers, nobody
from antelog.forecast.outcomes.outcomes import OutcomeStatistics
from antelog.forecast.outcomes.rows import AnswerRows, RowOutcomes
from antelog.forecast.rates.tally import KnownEpoch, Waiting
from antelog.forecast.scores import scores
from antelog.forecast.scores.losses import log_losses
from antelog.forecast.scores.program_alerts import AlertOutcomes, FirstAlerts, alert_sums, no_first_alerts
from antelog.forecast.scores.scored_lines import ScoredLines
from antelog.forecast.scores.scores import Scores


@dataclass(frozen=True, eq=False)
class Predictions(ColumnSet):
    """Predictions of judges for open answers: which answer, when, in which pattern.

    `each` has a column for each judge, the model of facts first; `chance` is their mean.
    """

    number: Column
    tick: Column
    pattern: Column
    each: Numbers
    chance: Numbers

    @property
    def source(self) -> Column:
        """For each row the number of the only judge that says something; one more for two, then for several.

        It is -1 where none does.
        """
        known, judges = ~np.isnan(self.each), self.each.shape[1]
        count = known.sum(axis=1)
        source: Column = np.where(count == 1, known.argmax(axis=1), judges - 2 + np.minimum(count, 3))
        return np.where(count == 0, -1, source)


def no_predictions(judges: int) -> Predictions:
    empty, none = np.zeros(0, np.int64), np.zeros(0)
    return Predictions(empty, empty, empty, np.zeros((0, judges)), none)


@dataclass(frozen=True, eq=False)
class Judged:
    """The open answers of a query, its judges besides the model of facts, and the losses of all judges.

    `reported` are the predictions for lines of open answers, `unscored` lines of some decided answers, and
    `scores` are those of all before. `likely` are the numbers of the answers with an alert, `alerts` are the
    first ones of answers.
    """

    followed: TrackedAnswers
    judges: Mapping[str, Judge]
    losses: Waiting
    reported: Predictions
    unscored: ScoredLines
    scores: Scores
    likely: Column = field(default_factory=lambda: np.zeros(0, np.int64))
    alerts: FirstAlerts = field(default_factory=no_first_alerts)

    @property
    def outcomes(self) -> OutcomeStatistics:
        """The judge that counts outcomes."""
        return cast(OutcomeStatistics, self.judges[OUTCOMES])

    @property
    def sources(self) -> tuple[str, ...]:
        """The names for the numbers of `Predictions.source`."""
        return (MODEL, *self.judges, BOTH, SEVERAL)

    def with_outcomes(self, outcomes: OutcomeStatistics, losses: Waiting) -> Judged:
        return replace(self, judges={**self.judges, OUTCOMES: outcomes}, losses=losses)


def nothing_judged(width: int, keys: int, judges: Judges = JUDGES) -> Judged:
    """Before the first answer, which has `width` columns, the time being the last, and `keys` in its key."""
    made = {name: judge(keys) for name, judge in judges.items()}
    number = 1 + len(made)
    no_lines = no_predictions(number)
    return Judged(nobody(width), made, no_losses(number), no_lines, nothing_unscored(), Scores())


def learned(judged: Judged, rows: AnswerRows, outcome: RowOutcomes) -> Judged:
    """The judges after a lesson of decided answers."""
    if len(outcome.epoch) == 0:
        return judged
    taught = {name: judge.learn(rows, outcome) for name, judge in judged.judges.items()}
    return replace(judged, judges=taught)


def ready(judged: Judged, as_of: KnownEpoch) -> Judged:
    """The judges with all lessons in use that may be used as of an epoch."""
    judges = {
        name: each.up_to(as_of) if isinstance(each, Summing) else each for name, each in judged.judges.items()
    }
    return replace(judged, judges=judges, losses=mean.up_to(judged.losses, as_of.epoch, as_of.half_life))


def judge(judged: Judged, rows: AnswerRows, by_model: Numbers) -> tuple[Judged, Predictions]:
    """The predictions for open answers, given those of the model of facts."""
    each = np.stack([by_model, *(one.predict(rows) for one in judged.judges.values())], axis=1)
    pattern = pattern_of(rows.stage)
    chance = mean.averaged(judged.losses, pattern, each, *rows.as_of.shared)
    said = Predictions(rows.number, rows.tick, pattern, each, chance)
    if not rows.at_line.any():
        return judged, said
    return replace(judged, reported=judged.reported.and_then(said.take(rows.at_line))), said


def score_decided(judged: Judged, decided: DecidedAnswers, at: Column, epoch: int | None) -> Judged:
    """Scores the predictions for some of the decided answers, and drops them.

    With an `epoch`, the losses of each judge are added to that epoch's, by which judges are weighed.
    """
    if len(at) == 0:
        return judged
    place = find(judged.reported.number, decided.number.take(at))
    mine = np.flatnonzero(place >= 0)
    reported, of = judged.reported.take(mine), at.take(place.take(mine))
    right = decided.confirmed.take(of)
    losses = judged.losses if epoch is None else _with_losses(judged.losses, reported, right, epoch)
    done = ScoredLines(reported.number, reported.tick, reported.chance, decided.tick.take(of), right)
    return _scored(
        replace(
            judged,
            reported=judged.reported.take(place < 0),
            losses=losses,
            unscored=judged.unscored.and_then(done),
        )
    )


def score_alerts(judged: Judged, outcomes: AlertOutcomes, threshold: float) -> Judged:
    """Scores the alerts of answers that are decided, and drops them."""
    found = alert_sums(judged.alerts, outcomes, threshold)
    alerts = judged.alerts.take(find(judged.alerts.number, outcomes.number) < 0)
    scores = replace(judged.scores, program=judged.scores.program + found)
    return replace(judged, alerts=alerts, scores=scores)


_AT_ONCE = 5_000
"""To score so many lines takes not much longer than to score one."""


def nothing_unscored() -> ScoredLines:
    empty = np.zeros(0, np.int64)
    return ScoredLines(empty, empty, np.zeros(0), empty, empty > 0)


def _scored(judged: Judged, enough: int = _AT_ONCE) -> Judged:
    if judged.unscored.count < enough:
        return judged
    found = scores.scored(judged.scores, judged.unscored)
    return replace(judged, scores=found, unscored=nothing_unscored())


def all_scored(judged: Judged) -> Scores:
    """The scores of everything that is decided."""
    return _scored(judged, 1).scores


def _with_losses(losses: Waiting, reported: Predictions, confirmed: Mask, epoch: int) -> Waiting:
    """Adds the losses of each judge on lines of answers that were decided in an epoch.

    A judge that said nothing loses what the mean did: so it is neither better nor worse for it.
    """
    some = np.flatnonzero((~np.isnan(reported.each)).sum(axis=1) > 1)
    if len(some) == 0:
        return losses
    each, chance = reported.each.take(some, axis=0), reported.chance.take(some)[:, None]
    lost = log_losses(np.where(np.isnan(each), chance, each), confirmed.take(some)[:, None])
    return mean.lost(losses, epoch, reported.pattern.take(some), lost)
