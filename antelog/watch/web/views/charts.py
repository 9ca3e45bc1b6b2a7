"""Drawings over time: charts, by uPlot or in files as SVG, and lanes, in shares of the width, of answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from antelog.watch.board.tracked_answer import Mark, TrackedAnswer
from antelog.watch.web.views.context import TickClock


@dataclass(frozen=True)
class ChartRow:
    """A moment, in milliseconds or ticks, with a value for each series; `shown` are the values as texts."""

    at: float
    label: str
    values: Sequence[float | None]
    shown: Sequence[str]
    ticks: range | None = None  # those of the row, where a stretch of them can be chosen


@dataclass(frozen=True)
class TimeChart:
    """A chart of some series; `kind` decides how it is drawn, `level` is a line across it."""

    title: str
    kind: str
    head: Sequence[str]
    rows: Sequence[ChartRow]
    zone: str = ""  # moments are milliseconds, shown as times of this zone; without one they are ticks
    level: float | None = None
    most: float | None = None  # the top of the scale, above which values are cut


def places(clock: TickClock, ticks: Sequence[int]) -> tuple[list[float], str]:
    """Returns the moments of ticks for a chart, milliseconds of their beginnings or numbers, and the zone."""
    begins = [clock.milliseconds(tick - 1) for tick in ticks]
    if clock.milliseconds(ticks[-1]) is None:
        return [*map(float, ticks)], ""
    return [
        float(tick if begin is None else begin) for tick, begin in zip(ticks, begins, strict=True)
    ], clock.zone


# ---- lanes ----

_EDGE = 3.0  # percent of the width before the first and after the last tick
_LEVELS = (0, -9, 9)  # places of marks of the same tick, in pixels above and below the line
_LABELS, _CLOSE = 3, 15  # labels of an axis, about; percent of its width that stays free around now
# Round times, in seconds.
_SECONDS = (
    *(1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200),
    *(86_400, 172_800, 604_800, 1_209_600, 2_419_200),
)


@dataclass(frozen=True)
class TimeAxis:
    """An axis from one tick to another, as percents of a width."""

    clock: TickClock
    first: float
    last: float

    def x(self, tick: float) -> float:
        """Returns the place of a tick; ticks outside are drawn at the edge."""
        inside = min(max(tick, self.first), self.last)
        return _EDGE + (100 - 2 * _EDGE) * (inside - self.first) / max(1e-9, self.last - self.first)

    @property
    def now(self) -> float:
        return self.x(self.clock.now)

    @property
    def labels(self) -> Sequence[tuple[float, str, bool]]:
        """Labels at round times, not close to now, and whether each has room on a wide axis only."""
        step = _step((self.last - self.first) / _LABELS, self.clock.length)
        ticks = range(-int(-self.first // step) * step, int(self.last) + 1, step)
        return [
            (self.x(tick), self.clock.short(tick), abs(self.x(tick) - self.now) < 2.5 * _CLOSE)
            for tick in ticks
            if tick >= 0 and abs(self.x(tick) - self.now) > _CLOSE
        ]


def _step(least: float, length: int | None) -> int:
    """Returns the next round number of ticks, or round time in ticks."""
    if length is not None:
        rounds = (each * 1_000_000 for each in _SECONDS)
        found = next(
            (each // length for each in rounds if each % length == 0 and each >= least * length), None
        )
        if found is not None:
            return found
    power: int = 10 ** max(0, len(str(int(least))) - 1)
    return next(each * power for each in (1, 2, 5, 10) if each * power >= least)


def lane(axis: TimeAxis, marks: Sequence[Mark], answer: TrackedAnswer) -> dict[str, object]:
    """Places an answer on an axis: its marks, its deadline (`end`), and what is overdue since then."""
    levels: Counter[int | None] = Counter()
    end = answer.now.decided_by
    spots = []
    for mark in marks:
        low, high = mark.literal.span or (mark.tick, mark.tick)
        if low is None:
            continue
        level = _LEVELS[min(levels[mark.tick], 2)]
        levels[mark.tick] += 1
        title = f"{'there' if mark.known else 'awaited'}: {mark.text}"
        high = end if high is None else high
        until = None if high in (None, low) else axis.x(high or 0)  # then it is a stretch
        kind = {"known": mark.known, "negated": mark.negated}
        spots.append({"x": axis.x(low), "until": until, "y": level, "title": title, **kind})
    wall = axis.clock.wall
    late = end is not None and wall is not None and wall > end + 1
    known = sum(each.known for each in marks)
    return {
        "axis": axis,
        "begin": axis.x(min([answer.since, *(each.tick for each in marks if each.tick is not None)])),
        "end": None if end is None else axis.x(end),
        "overdue": axis.x(wall) if late and wall is not None else None,
        "spots": spots,
        "label": f"{known} of {len(marks)} there",
    }
