"""Measures of moments: a mean of the last hours, a count of errors, the latest mode, the hour of the day.

A *moment* is a tick at which a key has a fact of the densest input: there a rule may hold.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal, TypeAlias

import numpy as np

from antelog.compile.nodes.plan import Plan
from antelog.engine.columns.tables import Column, Numbers, changed
from antelog.incidents.alerts import Alerts
from antelog.incidents.judging import FALSE, Incidents, JudgedSpan, Lead, judged
from antelog.incidents.suggest.input_columns import APART, InputColumns, counts, highest, latest, means

CALENDAR = ("hour", "weekday")
MOST_KINDS = 12  # the kinds of facts that are looked at, of each column
MOST_MOMENTS = 120_000  # more are not looked at, but a sample
_OVER_RANGES: tuple[Literal["avg", "max", "min", "change"], ...] = ("avg", "max", "min", "change")
_EVER = 1 << 38  # more ticks than there are
_STRETCH = 4  # times as long as an alert is on are stretches of a sample
_HOUR, DAY = 3_600_000_000, 86_400_000_000  # microseconds
Done: TypeAlias = Callable[[float], None]


@dataclass(frozen=True)
class Measure:
    """A number for each moment: of a column's values in the last `ticks`, or of facts of a kind."""

    what: Literal["value", "avg", "max", "min", "change", "count", "last", "hour", "weekday"]
    source: int = 0
    column: str = ""
    ticks: int = 1
    kind: str | None = None  # the text that facts have in the column


@dataclass(frozen=True, eq=False)
class SearchedHistory:
    """The moments at which rules may hold, by key and tick, with their measures; and the incidents.

    Of many moments a sample is looked at; `weight` is how many moments each stands for.
    """

    plan: Plan
    inputs: Sequence[InputColumns]
    keys: Mapping[str, int]
    incidents: Incidents
    lead: Lead
    base: InputColumns  # has a fact at each moment
    key: Column
    tick: Column
    weight: Numbers
    span: JudgedSpan
    numbers: Mapping[Measure, Numbers] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        plan: Plan,
        inputs: Sequence[InputColumns],
        keys: Mapping[str, int],
        incidents: Incidents,
        lead: Lead,
    ) -> SearchedHistory:
        """All moments, or a sample of them; nothing is measured yet."""
        base = max(inputs, key=lambda each: int(np.count_nonzero(changed(each.code))))
        fresh = changed(base.code)
        key, tick = base.key[fresh], base.tick[fresh]
        span = JudgedSpan(int(tick.min()), int(tick.max()))
        every = cls(plan, inputs, keys, incidents, lead, base, key, tick, np.ones(len(key)), span)
        return every if every.count <= MOST_MOMENTS else every._sample()

    def _sample(self) -> SearchedHistory:
        """All moments near incidents, and of the others stretches of time by chance."""
        alerts = Alerts(np.zeros_like(self.key), self.key, self.tick, self.tick)
        near = judged(alerts, self.incidents, self.lead, self.span).kind != FALSE
        stretch = np.cumsum(changed(self.code // (_STRETCH * (self.lead.settle + 1)))) - 1
        kept = np.bincount(stretch, near) > 0
        share = max(MOST_MOMENTS - int(kept[stretch].sum()), MOST_MOMENTS // 4) / self.count
        chosen = np.random.default_rng(0).random(len(kept)) < share
        rows = np.flatnonzero((kept | chosen)[stretch])
        weight = np.where(kept[stretch[rows]], 1.0, 1 / share)
        return replace(self, key=self.key[rows], tick=self.tick[rows], weight=weight)

    def measured(self, done: Done = lambda _: None) -> SearchedHistory:
        """Computes all measures of the history; `done` is called with the share of the work after each."""
        wanted, found = list(self._wanted()), dict[Measure, Numbers]()
        for each in wanted:
            numbers = self.number(each)
            if not np.all(np.isnan(numbers)):
                found[each] = numbers
            done(1 / len(wanted))
        return replace(self, numbers=found)

    def _wanted(self) -> Iterator[Measure]:
        """All measures, the simple ones first."""
        windows = windows_of(self.lead)
        for number, source in enumerate(self.inputs):
            texts = [(column, kind) for column, own in source.kinds.items() for kind in own[:MOST_KINDS]]
            for column in source.values:
                if source is self.base or source.has_latest:
                    yield Measure("value", number, column)
                for ticks in windows[1:]:
                    yield from (Measure(what, number, column, ticks) for what in _OVER_RANGES)
            if source.has_latest:
                yield from (Measure("last", number, column, 1, kind) for column, kind in texts)
            for ticks in windows:
                yield from (Measure("count", number, column, ticks, kind) for column, kind in texts)
                if source is not self.base:
                    yield Measure("count", number, "", ticks)
        if self.plan.tick is not None:
            yield from [Measure("hour")] if self.plan.tick <= _HOUR else ()
            yield from [Measure("weekday")] if self.plan.tick <= DAY else ()

    @property
    def count(self) -> int:
        return len(self.key)

    @cached_property
    def code(self) -> Column:
        return self.key * APART + self.tick

    @property
    def days(self) -> float:
        """The days that facts are about; thousands of ticks if these have no length."""
        ticks = self.span.last - self.span.first + 1
        return float(ticks * self.plan.tick / DAY if self.plan.tick is not None else ticks / 1000)

    def number(self, measure: Measure) -> Numbers:
        """The number of each moment; NaN where there is none."""
        if measure.what in CALENDAR:
            return self._calendar(measure.what)
        source = self.inputs[measure.source]
        if measure.what in ("count", "last"):
            mask = None if measure.kind is None else source.are(measure.column, measure.kind)
            if measure.what == "last":
                return latest(*self._rows(source, _EVER), np.asarray(mask, np.float64))
            return counts(*self._rows(source, measure.ticks), mask).astype(np.float64)
        values = source.values[measure.column]
        if measure.what == "value":
            return latest(*self._rows(source, 1 if source is self.base else _EVER), values)
        if measure.what == "change":
            before = means(*self._rows(source, measure.ticks + 1, before=1), values)
            now = latest(*self._rows(source, 1), values)
            with np.errstate(invalid="ignore", divide="ignore"):
                return np.where(before > 0, now / before, np.nan)
        rows = self._rows(source, measure.ticks)
        if measure.what == "avg":
            return means(*rows, values)
        return highest(*rows, values) if measure.what == "max" else -highest(*rows, -values)

    def _rows(self, source: InputColumns, ticks: int, *, before: int = 0) -> tuple[Column, Column]:
        """For each moment the facts of an input in the last ticks, from a row to before another one."""
        first = np.searchsorted(source.code, self.code - ticks + 1)
        end = np.searchsorted(source.code, self.code - before, "right")
        return first, np.maximum(first, end)

    def _calendar(self, what: str) -> Numbers:
        scale = self.plan.timescale
        assert scale is not None
        ticks, at = np.unique(self.tick, return_inverse=True)
        times = map(scale.time, ticks.tolist())
        found = [time.hour if what == "hour" else time.isoweekday() for time in times]
        return np.array(found, np.float64)[at]


def windows_of(lead: Lead) -> list[int]:
    """The ticks of ranges that are tried, up to the upper lead: 1, 2, 3, 6, 12, 24, …"""
    found = [1, 2, 3]
    while found[-1] * 2 <= lead.most:
        found.append(found[-1] * 2)
    return [each for each in found if each <= max(lead.most, 1)]
