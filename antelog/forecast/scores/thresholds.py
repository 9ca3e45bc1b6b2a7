"""Alerts by threshold: how many are right, and how long before the confirmation they come.

    at 80 %: 130 alerts, 113 of them right, of 140 confirmed answers; half of these known 3 ticks ahead

An answer is alerted at the first tick at which its line has such a chance. The *lead time* of a right
alert is from that tick to the one at which the answer is confirmed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from antelog.engine.columns.column_set import ColumnSet
from antelog.engine.columns.joins import find
from antelog.engine.columns.tables import NEVER, Column, Mask, distinct, groups, or_never
from antelog.forecast.scores.scored_lines import ScoredLines, Sums

_EXACT = 8
"""Below 2 to this power each number of ticks has a place of its own."""
_STEPS = 4
"""From there on, the numbers between two powers of 2 have 2 to this power places."""
_LONGEST = 50
"""Longer leads than 2 to this power count as that long."""
PLACES = (1 << _EXACT) + ((_LONGEST - _EXACT) << _STEPS)


def places(leads: Column) -> Column:
    """The place of each lead."""
    leads = np.minimum(leads, (1 << _LONGEST) - 1)
    power = np.frexp(np.maximum(leads, 1).astype(np.float64))[1].astype(np.int64) - 1
    step = (leads >> np.maximum(power - _STEPS, 0)) - (1 << _STEPS)
    return np.where(power < _EXACT, leads, (1 << _EXACT) + ((power - _EXACT) << _STEPS) + step)


def least(place: int) -> int:
    """The shortest lead that has this place."""
    if place < 1 << _EXACT:
        return place
    power, step = divmod(place - (1 << _EXACT), 1 << _STEPS)
    return ((1 << _STEPS) + step) << (power + _EXACT - _STEPS)


def quantile(counts: Column, share: float) -> int | None:
    """The shortest lead that is at least as long as this share of all; None if there are none."""
    below = np.cumsum(counts)
    if below[-1] == 0:
        return None
    return least(int(np.searchsorted(below, max(share * float(below[-1]), 1.0))))


THRESHOLDS = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95)


@dataclass(frozen=True, eq=False)
class AlertSums(Sums):
    """How many answers had a chance, how many of them confirmed; and for each threshold how
    many were alerted, and the lead times of the right ones (see `leads`)."""

    answers: int = 0
    confirmed: int = 0
    alerted: Column = field(default_factory=lambda: np.zeros(len(THRESHOLDS), np.int64))
    leads: Column = field(default_factory=lambda: np.zeros((len(THRESHOLDS), PLACES), np.int64))


def no_alerts(thresholds: int) -> AlertSums:
    """The sums of nothing, for so many thresholds."""
    return AlertSums(alerted=np.zeros(thresholds, np.int64), leads=np.zeros((thresholds, PLACES), np.int64))


def alerts(lines: ScoredLines, thresholds: Sequence[float] = THRESHOLDS) -> AlertSums:
    """The alerts of lines that had a chance; all lines of an answer must be there."""
    found, same = no_alerts(len(thresholds)), groups(lines.answer)
    confirmed, decided = lines.confirmed.take(same.first), lines.decided.take(same.first)
    chance, reported = lines.chance.take(same.order), lines.reported.take(same.order)
    for number, threshold in enumerate(thresholds):
        since = (
            np.minimum.reduceat(or_never(reported, chance < threshold), same.starts)
            if same.count
            else reported
        )
        reached = since < NEVER
        right = reached & confirmed
        found.alerted[number] = reached.sum()
        np.add.at(found.leads[number], places((decided - since)[right]), 1)
    return AlertSums(same.count, int(confirmed.sum()), found.alerted, found.leads)


@dataclass(frozen=True)
class Alerted:
    """The precision, recall and lead times of alerts at a threshold.

    precision   of the alerts, the share that was confirmed
    found       of the confirmed answers, the share that was alerted
    lead        in ticks: a quarter of the right alerts had at most this, half of them, three quarters
    """

    threshold: float
    alerts: int
    precision: float | None
    found: float | None
    lead: tuple[int, int, int] | None


def by_threshold(sums: AlertSums, thresholds: Sequence[float] = THRESHOLDS) -> tuple[Alerted, ...]:
    return tuple(_alerted(sums, number, threshold) for number, threshold in enumerate(thresholds))


def _alerted(sums: AlertSums, number: int, threshold: float) -> Alerted:
    count, right = int(sums.alerted[number]), int(sums.leads[number].sum())
    quarter, half, most = (quantile(sums.leads[number], share) for share in (0.25, 0.5, 0.75))
    return Alerted(
        threshold,
        count,
        right / count if count else None,
        right / sums.confirmed if sums.confirmed else None,
        None if quarter is None or half is None or most is None else (quarter, half, most),
    )


# ---- alerts at the threshold that the program gives a query ----

# Those that rang, also between two lines of an answer, where only time passed.


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
