"""Judged answers: the chances of a query's open answers by all judges, and the weights of these."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from antelog.engine.columns.joins import find
from antelog.engine.columns.tables import Column, Numbers, marked
from antelog.engine.step.lines import pattern_of
from antelog.forecast.columns import LINEAR, MODEL, OUTCOMES
from antelog.forecast.judges.following import DecidedAnswers, TrackedAnswers, nobody
from antelog.forecast.judges.judge import (
    AnswerRows,
    Features,
    Judge,
    JudgeWeights,
    Predictions,
    SettledLines,
    averaged,
    first_weights,
    log_odds,
    weighed,
)
from antelog.forecast.judges.linear import nothing_fitted, nothing_recalibrated
from antelog.forecast.judges.looks import QueryFeatures
from antelog.forecast.judges.outcomes import nothing_known
from antelog.forecast.rates.learning import Learns
from antelog.forecast.scores.scored_lines import FirstAlerts, ScoredLines
from antelog.forecast.scores.scores import Scores, at_threshold, scored

# ---- the table of judges ----

# To add a judge, write a module with a subclass of `Judge`, and a line for it in JUDGES.


OF_MODEL = 2.0  # the weight of declared chances before anything is known of them

NewJudge = Callable[[int, float | None], Judge]
"""Makes a judge from the number of key columns and the longest half-life."""

Judges = Mapping[str, NewJudge]

RECALIBRATION = "recalibration"  # no judge of its own: it corrects the mean of all

JUDGES: Judges = {OUTCOMES: nothing_known, LINEAR: nothing_fitted, RECALIBRATION: nothing_recalibrated}


# ---- judged answers ----


@dataclass(frozen=True, eq=False)
class Judged:
    """The open answers of a query, its judges besides the model of facts, and the weights of all judges."""

    followed: TrackedAnswers
    judges: Mapping[str, Judge]
    weights: JudgeWeights
    reported: Predictions  # for lines of open answers
    unscored: ScoredLines  # of decided answers, not among the `scores` yet
    scores: Scores
    likely: Column = field(default_factory=lambda: np.zeros(0, np.int64))  # numbers of answers with an alert
    alerts: FirstAlerts = field(default_factory=lambda: FirstAlerts(*np.zeros((2, 0), np.int64)))

    @property
    def sources(self) -> tuple[str, ...]:
        """The names for the numbers of `Predictions.source`."""
        return (MODEL, *(name for name, judge in self.judges.items() if judge.columns))

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns of `Predictions.each`."""
        return (MODEL, *(name for judge in self.judges.values() for name in judge.columns))

    @property
    def _owners(self) -> tuple[str, ...]:
        return (MODEL, *(name for name, judge in self.judges.items() for _ in judge.columns))

    def only(self, judges: Collection[str]) -> Judged:
        """Gives a say to these judges alone."""
        return replace(self, weights=self.weights.only(np.isin(self._owners, [*judges])))

    def looks(self, learns: Learns) -> bool:
        """Whether some judge asks for the features of answers."""
        return LINEAR in self.judges and (self.judges[LINEAR].rows > 0 or learns is Learns.ALL)


def nothing_judged(
    width: int, keys: int, half_life: float | None, features: QueryFeatures, judges: Judges = JUDGES
) -> Judged:
    """Makes the state before the first answer, which has `width` columns, the time being the last."""
    made = {name: judge(keys, half_life) for name, judge in judges.items()}
    weights = [OF_MODEL, *(weight for each in made.values() for weight in each.columns.values())]
    empty, each = np.zeros(0, np.int64), np.zeros((0, len(weights)))
    odds = 2 + sum(len(one.columns) for name, one in made.items() if name != LINEAR)
    seen = np.zeros((0, features.width + odds), np.float32)
    no_lines = Predictions(empty, empty, empty, each, np.zeros(0), np.zeros(0), empty, seen)
    return Judged(nobody(width), made, first_weights(weights), no_lines, NOTHING_UNSCORED, Scores())


def learned(judged: Judged, decided: DecidedAnswers, key: Sequence[int], learns: Learns) -> Judged:
    """Teaches the judges the answers decided in a step; `key` are the columns of their keys."""
    if learns is Learns.NOTHING or len(decided.states) == 0:
        return judged
    taught = {name: judge.learn(decided, key, learns) for name, judge in judged.judges.items()}
    return replace(judged, judges=taught)


def settled(judged: Judged, now: int) -> Judged:
    judges = {name: each.settled(now) for name, each in judged.judges.items()}
    return replace(judged, judges=judges, weights=judged.weights.settled())


def judge(
    judged: Judged, number: Column, rows: AnswerRows, by_model: Numbers, decided: DecidedAnswers | None
) -> tuple[Judged, Predictions]:
    """Predicts the outcomes of open answers, given the model's chances and the answers decided now."""
    pattern, reported = pattern_of(rows.stage), judged.reported
    here = some = marked(rows.at_line)
    settled = None
    said = {n: one.predict(rows) for n, one in judged.judges.items() if n not in (LINEAR, RECALIBRATION)}
    odds = _odds(judged, [by_model[:, None], *said.values()])
    rows = replace(rows, features=np.concatenate([rows.features, odds], axis=1))
    if decided is not None and rows.learns is Learns.ALL:
        # The lines, of those reported before and those of this step, whose answers are settled in it.
        at = find(np.append(reported.number, number.take(here)), decided.number)
        some = marked(at >= 0)
        of = at.take(some)
        tick = np.append(reported.tick, rows.tick.take(here)).take(some)
        features = np.concatenate([reported.features, rows.features.take(here, axis=0)]).take(some, axis=0)
        settled = SettledLines(decided.settled.take(of), tick, features, decided.confirmed.take(of))
        judged = _taught(judged, LINEAR, settled)
    if LINEAR in judged.judges:
        said[LINEAR] = judged.judges[LINEAR].predict(rows)
    each = np.column_stack([by_model, *(said[name] for name in judged.sources[1:])])
    # Nobody may have a say, before the first fit of the only judge.
    if settled is not None and settled.count and judged.weights.at_first.any():
        new = Predictions(number, rows.tick, pattern, each, by_model, by_model, number, rows.features)
        lines = reported.and_then(new.take(here)).take(some)
        judged = replace(judged, weights=weighed(judged.weights, lines, settled))
    weights = judged.weights.before(pattern, rows.tick)
    mean = chance = averaged(weights, each)
    if RECALIBRATION in judged.judges and judged.weights.at_first.all():
        if settled is not None:
            means = np.append(reported.mean, mean.take(here)).take(some)
            judged = _taught(judged, RECALIBRATION, replace(settled, features=_one_column(means)))
        calibrated = judged.judges[RECALIBRATION].predict(replace(rows, features=_one_column(mean)))
        chance = averaged(np.ones((len(mean), 2)), np.column_stack([mean, calibrated]))
    found = Predictions(
        number, rows.tick, pattern, each, mean, chance, _source(judged, weights, each), rows.features
    )
    if len(here):
        judged = replace(judged, reported=reported.and_then(found.take(here)))
    return judged, found


def _taught(judged: Judged, name: str, settled: SettledLines) -> Judged:
    """Teaches a judge the lines settled in the step that is followed."""
    if name not in judged.judges:
        return judged
    taught = judged.judges[name].learn_lines(settled)
    return replace(judged, judges={**judged.judges, name: taught})


def _odds(judged: Judged, judges: Sequence[Numbers]) -> Features:
    """How far the log odds by each judge are from those of their mean, and these, as the last column."""
    each = np.column_stack(judges)
    weights = judged.weights.at_first[: each.shape[1]]
    mean = averaged(np.broadcast_to(weights, each.shape), each)
    odds = _one_column(mean)
    apart = np.where(np.isnan(each), 0, log_odds(each) - odds)
    return np.concatenate([apart.astype(np.float32), odds], axis=1)


def _one_column(chance: Numbers) -> Features:
    """The log odds of chances, rounded, so that the last digits of these make no difference."""
    found: Features = log_odds(np.where(np.isnan(chance), 0.5, chance)).astype(np.float32)[:, None]
    return found


def _source(judged: Judged, weights: Numbers, each: Numbers) -> Column:
    """The judge with the most weight in each row, of those that say something, or -1."""
    weight = np.where(np.isnan(each), 0, weights)
    first = np.cumsum([0, 1, *(len(judged.judges[name].columns) for name in judged.sources[1:])][:-1])
    by_judge = np.add.reduceat(weight, first, axis=1)
    return np.where(by_judge.any(axis=1), by_judge.argmax(axis=1), -1)


def score_decided(judged: Judged, decided: DecidedAnswers, threshold: float | None = None) -> Judged:
    """Scores the predictions for decided answers, and their alerts at a threshold, and drops them."""
    scores = judged.scores.with_threshold(threshold)
    if scores is not judged.scores:
        judged = replace(judged, scores=scores)
    if len(decided.number) == 0:
        return judged
    at = find(judged.reported.number, decided.number)
    reported, of = judged.reported.take(at >= 0), at[at >= 0]
    lines = ScoredLines(
        reported.number, reported.tick, reported.chance, decided.tick.take(of), decided.confirmed.take(of)
    )
    if threshold is not None:
        at = find(judged.alerts.number, decided.number)
        first, of = judged.alerts.take(at >= 0), at[at >= 0]
        sure = np.full(len(of), threshold)
        rang = ScoredLines(first.number, first.tick, sure, decided.tick.take(of), decided.confirmed.take(of))
        scores = scores + at_threshold(lines, rang, threshold)
    found = replace(judged, unscored=judged.unscored.and_then(lines), scores=scores)
    return _scored(without(found, decided.number))


def without(judged: Judged, number: Column) -> Judged:
    """Drops answers that are scored, or lost: of these the outcome is unknown."""
    if len(number) == 0:
        return judged
    reported = judged.reported.take(find(judged.reported.number, number) < 0)
    alerts = judged.alerts.take(find(judged.alerts.number, number) < 0)
    likely = judged.likely[find(judged.likely, number) < 0]
    return replace(judged, reported=reported, alerts=alerts, likely=likely)


_AT_ONCE = 5_000  # to score this many lines takes not much longer than to score one
_EMPTY = np.zeros(0, np.int64)
NOTHING_UNSCORED = ScoredLines(_EMPTY, _EMPTY, np.zeros(0), _EMPTY, _EMPTY > 0)


def _scored(judged: Judged, enough: int = _AT_ONCE) -> Judged:
    if judged.unscored.count < enough:
        return judged
    found = scored(judged.scores, judged.unscored)
    return replace(judged, scores=found, unscored=NOTHING_UNSCORED)


def all_scored(judged: Judged) -> Scores:
    return _scored(judged, 1).scores
