"""Conditions that a rule may have: each a measure of the moments, and a limit that it is over or under.

avg(U : Vibration(X, U, T-5..T)) > 47.5      the measure is a mean, the limit 47.5
Error(X, "E2", T-23..T)                      the measure is a count, the limit none
not Error(X, "E2", T-23..T)                  the same count, and none of it
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from antelog.compile.nodes.plan import Plan
from antelog.engine.columns.tables import Mask, Numbers
from antelog.incidents.suggest.streams import Moments, Stream, counts, highest, latest, means
from antelog.language.printer import value_text

Measured: TypeAlias = Literal["value", "avg", "max", "min", "change", "count", "last", "hour", "weekday"]
_OVER_RANGES: tuple[Measured, ...] = ("avg", "max", "min", "change")
_EVER = 1 << 38  # more ticks than there are
MOST_KINDS = 12  # the kinds of facts that are looked at, of each column
CALENDAR = ("hour", "weekday")
_COSTS = {"value": 0.0, "last": 0.0, "count": 0.1, "change": 8.0}  # of worth; 6 for others


@dataclass(frozen=True)
class Measure:
    """A number for each moment: of a column's values in the last `ticks`, or of facts of a kind."""

    what: Measured
    stream: int = 0
    column: str = ""
    ticks: int = 1
    kind: str | None = None  # the text that facts have in the column

    @property
    def reach(self) -> int:
        """The ticks that it looks back for, as people see it: a latest value is the present one."""
        return 1 if self.what == "last" else self.ticks


@dataclass(frozen=True)
class Condition:
    """A measure over its limit, or under it."""

    measure: Measure
    above: bool
    limit: float

    def holds(self, numbers: Numbers) -> Mask:
        with np.errstate(invalid="ignore"):
            return numbers > self.limit if self.above else numbers < self.limit

    @property
    def counted(self) -> bool:
        return self.measure.what in ("count", "last", *CALENDAR)


def cost(condition: Condition) -> float:
    """What a condition must be worth more than a plainer one that rings at the same moments."""
    is_number = condition.measure.what == "count" and condition.above and condition.limit > 1
    return 2.0 if is_number else _COSTS.get(condition.measure.what, 6.0)


def measures(streams: Sequence[Stream], windows: Sequence[int], plan: Plan, base: int) -> Iterator[Measure]:
    """All measures of some streams, the simple ones first."""
    for number, stream in enumerate(streams):
        for column in stream.values:
            if number == base or stream.has_latest:
                yield Measure("value", number, column)
            for ticks in windows:
                if ticks > 1:
                    yield from (Measure(what, number, column, ticks) for what in _OVER_RANGES)
        for column, kinds in stream.kinds.items() if stream.has_latest else ():
            yield from (Measure("last", number, column, _EVER, kind) for kind in kinds.texts[:MOST_KINDS])
        for ticks in windows:
            for column, kinds in stream.kinds.items():
                for kind in kinds.texts[:MOST_KINDS]:
                    yield Measure("count", number, column, ticks, kind)
            if number != base:
                yield Measure("count", number, "", ticks)
    if plan.tick is not None and plan.tick <= 3_600_000_000:
        yield Measure("hour")
    if plan.tick is not None and plan.tick <= 86_400_000_000:
        yield Measure("weekday")


def measured(measure: Measure, streams: Sequence[Stream], moments: Moments, plan: Plan) -> Numbers:
    """The number of each moment; NaN where there is none."""
    if measure.what in CALENDAR:
        return _calendar(measure.what, moments, plan)
    stream = streams[measure.stream]
    if measure.what in ("count", "last"):
        mask = None
        if measure.kind is not None:
            kinds = stream.kinds[measure.column]
            mask = kinds.code == kinds.texts.index(measure.kind)
        if measure.what == "last":
            return latest(moments.slices(stream, _EVER), np.asarray(mask, np.float64))
        return counts(moments.slices(stream, measure.ticks), mask).astype(np.float64)
    values = stream.values[measure.column]
    if measure.what == "value":
        ticks = 1 if stream is moments.base else _EVER
        return latest(moments.slices(stream, ticks), values)
    if measure.what == "change":
        before = means(moments.slices(stream, measure.ticks + 1, before=1), values)
        now = latest(moments.slices(stream, 1), values)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(before > 0, now / before, np.nan)
    slices = moments.slices(stream, measure.ticks)
    if measure.what == "avg":
        return means(slices, values)
    return highest(slices, values) if measure.what == "max" else -highest(slices, -values)


def _calendar(what: str, moments: Moments, plan: Plan) -> Numbers:
    scale = plan.timescale
    assert scale is not None
    ticks, at = np.unique(moments.tick, return_inverse=True)
    times = [scale.time(tick) for tick in ticks.tolist()]
    found = [time.hour if what == "hour" else time.isoweekday() for time in times]
    return np.array(found, np.float64)[at]


# ---- as text ----


@dataclass(frozen=True)
class Writing:
    """What literals of a rule need: the streams, and the variables of the key and of the time."""

    streams: Sequence[Stream]
    base: Stream
    key: str | None  # None: there is no key
    time: str = "T"

    def atom(self, stream: Stream, time: str, column: str = "", term: str = "") -> str:
        terms = []
        for position, name in enumerate(stream.source.columns[:-1]):
            if position == stream.key_at:
                terms.append(self.key or "_")
            else:
                terms.append(term if name == column else "_")
        return f"{stream.source.name}({', '.join([*terms, time])})"

    def now(self, stream: Stream) -> bool:
        """Whether a rule has the facts of a stream at its own time, and not the latest ones."""
        return stream is self.base


def literal(condition: Condition, writing: Writing, limit: str, variable: str) -> str:
    """A condition as a literal of the language; `limit` is the number, or its name."""
    measure, sign, now = condition.measure, ">" if condition.above else "<", writing.time
    if measure.what in CALENDAR:
        above = f">= {int(condition.limit) + 1}" if condition.above else f"< {int(condition.limit)}"
        return f"{measure.what}({now}) {above}"
    stream = writing.streams[measure.stream]
    span = now if measure.ticks == 1 else f"{now}-{measure.ticks - 1}..{now}"
    if measure.what == "count":
        term = "" if measure.kind is None else value_text(measure.kind)
        atom = writing.atom(stream, span, measure.column, term)
        if not condition.above and condition.limit <= 1:
            return f"not {atom}"
        if condition.above and condition.limit < 1:
            return atom
        return f"count({atom}) {'>=' if condition.above else '<'} {_number(condition)}"
    if measure.what == "last":
        return f"last {writing.atom(stream, now, measure.column, value_text(str(measure.kind)))}"
    if measure.what == "value":
        atom = writing.atom(stream, now, measure.column, variable)
        return f"{'' if writing.now(stream) else 'last '}{atom}, {variable} {sign} {limit}"
    if measure.what == "change":
        atom = writing.atom(stream, now, measure.column, variable)
        before = writing.atom(stream, f"{now}-{measure.ticks}..{now}-1", measure.column, f"{variable}0")
        return f"{atom}, {variable} {sign} avg({variable}0 : {before}) * {limit}"
    atom = writing.atom(stream, span, measure.column, variable)
    return f"{measure.what}({variable} : {atom}) {sign} {limit}"


def _number(condition: Condition) -> int:
    """The count that is enough, or that is too much."""
    return int(np.floor(condition.limit)) + 1 if condition.above else int(np.ceil(condition.limit))


def in_words(condition: Condition, writing: Writing, limit: str, span: str) -> str:
    """A condition as people say it: `mean of value of Vib over 6 hours above 47.5`."""
    measure = condition.measure
    side = "above" if condition.above else "below"
    if measure.what == "hour":
        hour = int(condition.limit) + 1 if condition.above else int(condition.limit)
        return f"{'from' if condition.above else 'before'} {hour}:00{' on' if condition.above else ''}"
    if measure.what == "weekday":
        day = DAYS[int(condition.limit) if condition.above else int(condition.limit) - 1]
        return f"{'from' if condition.above else 'before'} {day}{' on' if condition.above else ''}"
    name = writing.streams[measure.stream].source.name
    if measure.what == "count":
        facts = name if measure.kind is None else f"{name} {measure.kind}"
        if not condition.above and condition.limit <= 1:
            return f"no {facts} within {span}"
        if condition.above and condition.limit < 1:
            return f"{facts} within {span}"
        number = _number(condition)
        return (
            f"{number} or more {facts} within {span}"
            if condition.above
            else (f"fewer than {number} {facts} within {span}")
        )
    if measure.what == "last":
        return f"the last {measure.column} of {name} is {measure.kind}"
    column = measure.column if measure.column == name.lower() else f"{measure.column} of {name}"
    what = {"avg": "mean of ", "max": "highest ", "min": "lowest "}.get(measure.what, "")
    if measure.what == "value":
        return f"{column} {side} {limit}"
    if measure.what == "change":
        return f"{column} {side} {limit} times its mean over {span}"
    return f"{what}{column} over {span} {side} {limit}"


DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
