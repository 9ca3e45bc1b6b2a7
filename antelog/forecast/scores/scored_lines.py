"""Scored lines: lines of the change log whose answers are decided by now, their losses and alerts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from math import log
from typing import Self

import numpy as np

from antelog.engine.columns.tables import NEVER, Column, Mask, Numbers, RowSet, groups, or_never

UNIT = 2**30  # a chance of 1 as a whole number


def exactly(numbers: Numbers) -> Column:
    return np.rint(numbers * UNIT).astype(np.int64)


class Sums:
    """A dataclass of sums, which are added one by one."""

    def __add__(self, other: Self) -> Self:
        names = [each.name for each in fields(self)]  # type: ignore[arg-type]  # subclasses are dataclasses
        return type(self)(*(getattr(self, name) + getattr(other, name) for name in names))


@dataclass(frozen=True, eq=False)
class ScoredLines(RowSet):
    """A row for each reported line of answers of one query that are now decided."""

    answer: Column  # any numbers, equal for the lines of one answer
    reported: Column  # the tick of the line
    chance: Numbers  # NaN where the line had none
    decided: Column  # the tick at which the answer was confirmed, or finally not
    confirmed: Mask


def with_chance(decided: ScoredLines) -> ScoredLines:
    """The lines that had a chance. Raises ValueError if they cannot be right."""
    lines = decided.take(~np.isnan(decided.chance))
    if not np.all((lines.chance >= 0) & (lines.chance <= 1)):
        raise ValueError("a chance is below 0 or above 1")
    if np.any(lines.reported > lines.decided):
        raise ValueError("an answer was reported after it was decided")
    return lines


# ---- losses ----

#     chance 0.8, confirmed      Brier 0.04 = (1 - 0.8)²    log loss 0.22 = -ln 0.8
#     chance 0.8, not confirmed  Brier 0.64 = (0 - 0.8)²    log loss 1.61 = -ln 0.2
#
# Both are compared with the *base rate*: the share of all scored lines whose answers were confirmed, taken
# for the chance of each. It is known only afterwards, and no other single number has a smaller loss. So
# skill, the part of its loss that is avoided, is never made to look better than it is.


LEAST = 1e-4  # for the log loss, chances are taken to be at least this, and at most 1 minus this


@dataclass(frozen=True)
class Losses(Sums):
    """Sums over lines: their number, that of confirmed answers' lines, and losses (see `exactly`)."""

    lines: int = 0
    confirmed: int = 0
    brier: int = 0
    log: int = 0


def log_losses(chance: Numbers, confirmed: Mask) -> Numbers:
    """The log loss of each chance, given the outcomes of the answers."""
    return log_losses_of(np.where(confirmed, chance, 1 - chance))


def log_losses_of(right: Numbers) -> Numbers:
    """The log loss of each chance, given the chances of the actual outcomes."""
    return -np.log(np.minimum(np.maximum(right, LEAST), 1 - LEAST))


def losses(lines: ScoredLines) -> Losses:
    missed = np.where(lines.confirmed, 1 - lines.chance, lines.chance)
    brier, logs = exactly(missed**2), exactly(log_losses(lines.chance, lines.confirmed))
    return Losses(lines.count, int(lines.confirmed.sum()), int(brier.sum()), int(logs.sum()))


@dataclass(frozen=True)
class Loss:
    """A mean loss, that of the base rate, and the part avoided: there is none where all lines ended alike."""

    mean: float | None
    base: float | None
    skill: float | None


def base_rate(sums: Losses) -> float | None:
    return sums.confirmed / sums.lines if sums.lines else None


def mean_losses(sums: Losses) -> tuple[Loss, Loss]:
    """The Brier score and the log loss."""
    share = base_rate(sums)
    if share is None:
        return Loss(None, None, None), Loss(None, None, None)
    rate = min(max(share, LEAST), 1 - LEAST)
    means = [total / UNIT / sums.lines for total in (sums.brier, sums.log)]
    bases = share * (1 - share), -share * log(rate) - (1 - share) * log(1 - rate)
    alike = sums.confirmed in (0, sums.lines)
    brier, logs = (Loss(m, b, None if alike else 1 - m / b) for m, b in zip(means, bases, strict=True))
    return brier, logs


# ---- alerts by threshold ----

#     at 80 %: 130 alerts, 113 of them right, of 140 confirmed answers; half of these known 3 ticks ahead
#
# An answer is alerted at the first tick at which its line has such a chance. The *lead time* of a right
# alert is from that tick to the one at which the answer is confirmed.

_EXACT = 8  # below 2 to this power each number of ticks has a place of its own
_STEPS = 4  # from there on, the numbers between two powers of 2 have 2 to this power places
_LONGEST = 50  # longer leads than 2 to this power count as that long
PLACES = (1 << _EXACT) + ((_LONGEST - _EXACT) << _STEPS)


def places(leads: Column) -> Column:
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
    """Answers with a chance, confirmed ones; for each threshold the alerted ones and their lead `places`."""

    answers: int = 0
    confirmed: int = 0
    alerted: Column = field(default_factory=lambda: np.zeros(len(THRESHOLDS), np.int64))
    leads: Column = field(default_factory=lambda: np.zeros((len(THRESHOLDS), PLACES), np.int64))


def no_alerts(thresholds: int) -> AlertSums:
    return AlertSums(alerted=np.zeros(thresholds, np.int64), leads=np.zeros((thresholds, PLACES), np.int64))


def alerts(lines: ScoredLines, thresholds: Sequence[float] = THRESHOLDS) -> AlertSums:
    """The alerts of lines that had a chance; all lines of an answer must be there."""
    found, same = no_alerts(len(thresholds)), groups(lines.answer)
    confirmed, decided = lines.confirmed.take(same.first), lines.decided.take(same.first)
    for number, threshold in enumerate(thresholds):
        since = same.least(or_never(lines.reported, lines.chance < threshold))
        reached = since < NEVER
        right = reached & confirmed
        found.alerted[number] = reached.sum()
        np.add.at(found.leads[number], places((decided - since)[right]), 1)
    return AlertSums(same.count, int(confirmed.sum()), found.alerted, found.leads)


@dataclass(frozen=True)
class Alerted:
    """The precision, recall and lead times of alerts at a threshold."""

    threshold: float
    alerts: int
    precision: float | None  # the confirmed share of the alerts
    found: float | None  # the alerted share of the confirmed answers
    lead: tuple[int, int, int] | None  # quartiles of the right alerts' lead times, in ticks


def by_threshold(sums: AlertSums, thresholds: Sequence[float] = THRESHOLDS) -> tuple[Alerted, ...]:
    found = []
    for threshold, count, leads in zip(thresholds, sums.alerted.tolist(), sums.leads, strict=True):
        right = int(leads.sum())
        quarter, half, most = (quantile(leads, share) for share in (0.25, 0.5, 0.75))
        lead = None if quarter is None or half is None or most is None else (quarter, half, most)
        precision, of_confirmed = (right / each if each else None for each in (count, sums.confirmed))
        found.append(Alerted(threshold, count, precision, of_confirmed, lead))
    return tuple(found)


@dataclass(frozen=True, eq=False)
class FirstAlerts(RowSet):
    """Answers, by number, and the tick of the first alert of each."""

    number: Column
    tick: Column
