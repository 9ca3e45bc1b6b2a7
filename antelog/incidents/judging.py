"""Alerts against incidents, with a lead of A to B ticks: which were right, and what was caught.

    incident begins at 100, lead 1..24      alert at 80: right; at 100: too late; at 70: false
                                            at 110, it lasts until 105 and settles by 129: neither

An alert is judged in this order: right, too late, neither, false.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import sqrt
from typing import Any, TypeAlias

import numpy as np

from antelog.engine.columns.tables import NEVER, Column, Mask, RowSet
from antelog.incidents.alerts import Alerts, overlapping

ALL_KEYS = -1  # the key of an incident of all keys, and of an alert of a query without a key
RIGHT, TOO_LATE, NEITHER, FALSE = range(4)


@dataclass(frozen=True, eq=False)
class Incidents(RowSet):
    """Incidents that do not overlap, by key and begin; each lasts from `begin` to `end`, both included."""

    key: Column
    begin: Column
    end: Column

    @classmethod
    def of(cls, key: Column, begin: Column, end: Column) -> Incidents:
        """Joins those of a key that overlap."""
        first, end = overlapping(key, begin, end)
        return cls(key[first], begin[first], end)


@dataclass(frozen=True)
class Lead:
    """The ticks before an incident in which an alert is right, and those after it in which none is false."""

    least: int
    most: int
    settle: int
    within: bool = False  # whether alerts during an incident are right


@dataclass(frozen=True)
class JudgedSpan:
    """The ticks that are judged: from the first fact, or from the split, to the last."""

    first: int
    last: int


@dataclass(frozen=True, eq=False)
class JudgedAlerts:
    """The kind of each alert, and for each incident whether it was caught, and when first."""

    kind: Column
    caught: Mask  # of each incident
    first: Column  # the tick of its first right alert
    counted: Mask  # the incidents that count: those with room for a lead before them


def judged(alerts: Alerts, incidents: Incidents, lead: Lead, span: JudgedSpan) -> JudgedAlerts:
    """Judges the alerts of one query at one level, which are by key and tick."""
    kind, first = np.full(alerts.count, FALSE), np.full(incidents.count, NEVER)
    kind[alerts.tick + lead.most > span.last] = NEITHER
    keys, starts = np.unique(alerts.key, return_index=True)
    ends = np.append(starts, alerts.count)[1:]
    for key, start, end in zip(keys.tolist(), starts.tolist(), ends.tolist(), strict=True):
        at = np.flatnonzero(about(incidents.key, key))
        if not len(at):
            continue
        at = at[np.argsort(incidents.begin[at], kind="stable")]
        own = incidents.take(at)
        tick = alerts.tick[start:end]
        kind[start:end] = _kinds(tick, own, lead, kind[start:end])
        first[at] = np.minimum(first[at], _first_right(tick, own, lead))
    counted = (incidents.begin >= span.first + lead.most) & (incidents.begin <= span.last)
    return JudgedAlerts(kind, counted & (first < NEVER), first, counted)


def about(keys: Column, key: int) -> Mask:
    """Masks the incidents that an alert of a key may be about, or the alerts that fit an incident."""
    found: Mask = (keys == key) | (keys == ALL_KEYS) | (key == ALL_KEYS)
    return found


def _kinds(tick: Column, own: Incidents, lead: Lead, kind: Column) -> Column:
    """Judges the alerts of one key, given its incidents by begin, and what an alert without any would be."""
    begin = np.append(own.begin, NEVER)
    latest = np.append(-NEVER, np.maximum.accumulate(own.end))  # those of all keys may overlap others
    until = latest[np.searchsorted(own.begin, tick, "right")]
    right = begin[np.searchsorted(own.begin, tick + lead.least)] <= tick + lead.most
    late = begin[np.searchsorted(own.begin, tick)] < tick + lead.least
    if lead.within:
        right |= tick <= until
    chosen = np.select([right, late, tick <= until + lead.settle], [RIGHT, TOO_LATE, NEITHER], kind)
    return np.asarray(chosen, np.int64)


def _first_right(tick: Column, own: Incidents, lead: Lead) -> Column:
    """The tick of the first right alert for each incident of a key; never if there is none."""
    tick = np.append(tick, NEVER)
    first = tick[np.searchsorted(tick, own.begin - lead.most)]
    first = np.where(first <= own.begin - lead.least, first, NEVER)
    if lead.within:
        during = tick[np.searchsorted(tick, own.begin)]
        first = np.minimum(first, np.where(during <= own.end, during, NEVER))
    return first


# ---- figures ----

_Z = 1.6448536269514722  # the quantile of a normal distribution that leaves 5 % on either side
FEW = 10  # with fewer incidents rules cannot be told apart


def wilson(part: int, whole: int) -> tuple[float, float] | None:
    """Wilson's 90 % interval of a share."""
    if not whole:
        return None
    share, z = part / whole, _Z * _Z / whole
    middle, half = share + z / 2, _Z * sqrt(share * (1 - share) / whole + z / (4 * whole))
    return max(0.0, (middle - half) / (1 + z)), min(1.0, (middle + half) / (1 + z))


@dataclass(frozen=True)
class Figures:
    """How a query did at a level. Leads are in ticks; `ticks` is the time in which an alert may be false."""

    query: str | None  # None: all together
    level: float
    limit: float | None  # the value of the limit that was varied
    caught: int
    incidents: int
    right: int
    too_late: int
    neither: int
    false: int
    ticks: float
    lead: tuple[int, int, int] | None = None
    intervals: dict[str, tuple[float, float] | None] = field(default_factory=dict)


def quartiles(numbers: Column) -> tuple[int, int, int] | None:
    """The numbers that a quarter, a half and three quarters of all are at most."""
    if not len(numbers):
        return None
    quarter, half, most = np.quantile(numbers, (0.25, 0.5, 0.75), method="inverted_cdf").astype(int).tolist()
    return quarter, half, most


def figures(found: JudgedAlerts, begin: Column, **named: Any) -> Figures:
    """The figures of what was judged, given the begins of incidents; `named` are those known before."""
    right, late, neither, false = (int(np.sum(found.kind == each)) for each in range(4))
    caught, incidents = int(found.caught.sum()), int(found.counted.sum())
    intervals = {"caught": wilson(caught, incidents), "right": wilson(right, right + false)}
    lead = quartiles((begin - found.first)[found.caught])
    return Figures(
        caught=caught, incidents=incidents, right=right, too_late=late, neither=neither, false=false,
        lead=lead, intervals=intervals, **named,
    )  # fmt: skip


def f1(found: Figures) -> float:
    """The harmonic mean of the share of incidents that were caught and that of alerts that were right."""
    if not found.caught or not found.right:
        return 0.0
    caught, right = found.caught / found.incidents, found.right / (found.right + found.false)
    return 2 * caught * right / (caught + right)


def quiet_ticks(incidents: Incidents, keys: Column, lead: Lead, span: JudgedSpan) -> float:
    """The ticks of a span outside incidents and settling: the mean over keys, at least one."""
    own = np.isin(keys, np.append(incidents.key, ALL_KEYS))
    taken = [_taken(incidents.take(about(incidents.key, key)), lead, span) for key in keys[own].tolist()]
    of_all = _taken(incidents.take(incidents.key == ALL_KEYS), lead, span)
    mean = (sum(taken) + of_all * int((~own).sum())) / len(keys)
    return max(span.last - span.first + 1 - mean, 1.0)


def _taken(own: Incidents, lead: Lead, span: JudgedSpan) -> int:
    """The ticks of a span in incidents and settling, each once."""
    first, end = overlapping(np.zeros_like(own.key), own.begin, own.end + lead.settle)
    begin = np.maximum(own.begin[first], span.first)
    return int(np.maximum(np.minimum(end, span.last) + 1 - begin, 0).sum())


# ---- rows ----

RowName: TypeAlias = tuple[str | None, float, float | None]


@dataclass(frozen=True, eq=False)
class Scene:
    """The measure of alerts: incidents, leads, the ticks that count, and how many of them are quiet."""

    incidents: Incidents
    lead: Lead
    span: JudgedSpan
    quiet: float  # the ticks outside incidents and settling, the mean over keys
    quiet_of_all: float  # those outside all incidents, for queries without a key

    @classmethod
    def of(cls, incidents: Incidents, lead: Lead, span: JudgedSpan, keys: Column) -> Scene:
        quiet = [quiet_ticks(incidents, each, lead, span) for each in (keys, np.array([ALL_KEYS]))]
        return cls(incidents, lead, span, *quiet)

    def row(self, alerts: Alerts, **named: Any) -> BacktestRow:
        alerts = alerts.take((alerts.tick >= self.span.first) & (alerts.tick <= self.span.last))
        found = judged(alerts, self.incidents, self.lead, self.span)
        of_all = alerts.count and np.all(alerts.key == ALL_KEYS)
        ticks = self.quiet_of_all if of_all else self.quiet
        return BacktestRow(figures(found, self.incidents.begin, ticks=ticks, **named), found, alerts)


@dataclass(frozen=True, eq=False)
class BacktestRow:
    """A row of the result: figures, what each alert was, and the alerts."""

    figures: Figures
    judged: JudgedAlerts
    alerts: Alerts

    @property
    def name(self) -> RowName:
        """The name of the row: its query, its level, and the value of the limit."""
        return self.figures.query, self.figures.level, self.figures.limit
