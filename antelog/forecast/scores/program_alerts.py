"""Alerts at the threshold that the program gives a query: `query Malf(X, T) alert 75%.`

    answer  first alert  decided  confirmed
    7       12           15       yes          right, three ticks ahead
    8       13           14       no
    9                    16       yes          confirmed without an alert

These are the alerts that rang, also those between two lines of an answer, where only time passed.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from antelog.engine.columns.joins import find
from antelog.engine.columns.tables import Column, Mask, distinct
from antelog.forecast.column_set import ColumnSet
from antelog.forecast.scores.scored_lines import ScoredLines
from antelog.forecast.scores.thresholds import Alerted, AlertSums, alerts, by_threshold, no_alerts


@dataclass(frozen=True, eq=False)
class ProgramAlerts:
    """The sums at the program's threshold; it is None if there is none."""

    threshold: float | None = None
    sums: AlertSums = field(default_factory=lambda: no_alerts(1))

    def __add__(self, other: ProgramAlerts) -> ProgramAlerts:
        """Both together; they have the same threshold, or one has none."""
        threshold = self.threshold if other.threshold is None else other.threshold
        return ProgramAlerts(threshold, self.sums + other.sums)

    @property
    def alerted(self) -> Alerted | None:
        """Their precision, recall and lead times."""
        return None if self.threshold is None else by_threshold(self.sums, (self.threshold,))[0]


@dataclass(frozen=True, eq=False)
class FirstAlerts(ColumnSet):
    """Answers, by number, and the tick of the first alert of each."""

    number: Column
    tick: Column

    def with_later(self, more: FirstAlerts) -> FirstAlerts:
        """These and later ones, in the order of ticks; an answer keeps its first."""
        every = self.and_then(more)
        return every.take(find(distinct(every.number), every.number))


def no_first_alerts() -> FirstAlerts:
    empty = np.zeros(0, np.int64)
    return FirstAlerts(empty, empty)


@dataclass(frozen=True, eq=False)
class AlertOutcomes(ColumnSet):
    """Decided answers, by number: when they were decided, how, and whether a line of them had a chance."""

    number: Column
    decided: Column
    confirmed: Mask
    had_chance: Mask


def alert_sums(first: FirstAlerts, outcomes: AlertOutcomes, threshold: float) -> ProgramAlerts:
    """The sums of decided answers, of those that had a chance or an alert."""
    at = find(outcomes.number, first.number)
    rang = at >= 0
    since = np.where(rang, np.append(first.tick, 0).take(at), outcomes.decided)
    chance = np.where(rang, threshold, 0.0)
    lines = ScoredLines(outcomes.number, since, chance, outcomes.decided, outcomes.confirmed)
    return ProgramAlerts(threshold, alerts(lines.take(rang | outcomes.had_chance), (threshold,)))
