"""Alerts: what a pager would have told that goes by a threshold, and how long before certainty.

    at 80 %: 130 alerts, 113 of them right, of 140 confirmed answers; half of these known 3 ticks ahead

An answer is alerted at the first tick at which it is told with such a chance. The *lead time* of a right
alert is from that tick to the one at which the answer is confirmed.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from antelog.engine.columns.tables import NEVER, Column, groups, or_never
from antelog.forecast.scoring.leads import PLACES, places, quantile
from antelog.forecast.scoring.settled import Settled

THRESHOLDS = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95)


@dataclass(frozen=True, eq=False)
class Alerts:
    """How many answers were told with a chance, how many of them confirmed; and for each threshold how
    many were alerted, and the lead times of the right ones (see `leads`)."""

    answers: int = 0
    confirmed: int = 0
    alerted: Column = field(default_factory=lambda: np.zeros(len(THRESHOLDS), np.int64))
    leads: Column = field(default_factory=lambda: np.zeros((len(THRESHOLDS), PLACES), np.int64))

    def __add__(self, other: Alerts) -> Alerts:
        return Alerts(
            self.answers + other.answers,
            self.confirmed + other.confirmed,
            self.alerted + other.alerted,
            self.leads + other.leads,
        )


def alerts(lines: Settled) -> Alerts:
    """The alerts of lines that were told with a chance; all lines of an answer must be there."""
    found, same = Alerts(), groups(lines.answer)
    confirmed, settled = lines.confirmed.take(same.first), lines.settled.take(same.first)
    chance, told = lines.chance.take(same.order), lines.told.take(same.order)
    for number, threshold in enumerate(THRESHOLDS):
        since = np.minimum.reduceat(or_never(told, chance < threshold), same.starts) if same.count else told
        reached = since < NEVER
        right = reached & confirmed
        found.alerted[number] = reached.sum()
        np.add.at(found.leads[number], places((settled - since)[right]), 1)
    return Alerts(same.count, int(confirmed.sum()), found.alerted, found.leads)


@dataclass(frozen=True)
class Alerted:
    """What alerts of a threshold are worth.

    precision   of the alerts, the share that was confirmed
    found       of the confirmed answers, the share that was alerted
    lead        in ticks: a quarter of the right alerts had at most this, half of them, three quarters
    """

    threshold: float
    alerts: int
    precision: float | None
    found: float | None
    lead: tuple[int, int, int] | None


def by_threshold(sums: Alerts) -> tuple[Alerted, ...]:
    return tuple(_alerted(sums, number) for number in range(len(THRESHOLDS)))


def _alerted(sums: Alerts, number: int) -> Alerted:
    count, right = int(sums.alerted[number]), int(sums.leads[number].sum())
    quarter, half, most = (quantile(sums.leads[number], share) for share in (0.25, 0.5, 0.75))
    return Alerted(
        THRESHOLDS[number],
        count,
        right / count if count else None,
        right / sums.confirmed if sums.confirmed else None,
        None if quarter is None or half is None or most is None else (quarter, half, most),
    )
