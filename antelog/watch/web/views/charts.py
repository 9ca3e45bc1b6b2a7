"""Drawings over time: charts, by uPlot or in files as SVG, and lanes, in shares of the width, of answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import log1p

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

_LEVELS = (0, -9, 9)  # places of marks of the same tick, in pixels above and below the line
_NOW, _FIRST, _LAST = 26.0, 2.0, 97.0  # percent of the width: now, and the ends of an axis
_LEAST = 2.0  # ticks before and after now, at least
_APART = 17.0  # percent of the width between two labels, at least
# Round times, in seconds, and round numbers of ticks.
_SECONDS = (5, 10, 30, 60, 300, 600, 1800, 3600, 10_800, 43_200, 86_400, 604_800, 2_419_200)
_TICKS = (1, 2, 5, 10, 20, 50, 100, 500, 1_000, 10_000)


@dataclass(frozen=True)
class TimeAxis:
    """An axis of which now is a place in percent; away from it ticks are ever closer, as logarithms are."""

    clock: TickClock
    past: float
    reach: float
    now: float = _NOW

    def ahead(self, tick: float) -> float:
        """The ticks from now to the end of a tick."""
        return tick - self.clock.now if self.clock.wall is None else tick + 1 - self.clock.wall

    def x(self, tick: float) -> float:
        """Returns the place of a tick; ticks outside are drawn at the edge."""
        return self._at(self.ahead(tick))

    def _at(self, ahead: float) -> float:
        wide, most = (_LAST - self.now, self.reach) if ahead >= 0 else (_FIRST - self.now, self.past)
        most = max(most, _LEAST)
        return self.now + wide * log1p(min(abs(ahead), most)) / log1p(most)

    @cached_property
    def labels(self) -> Sequence[tuple[float, str]]:
        """Round times ahead that are not close to each other, and how long it is to them."""
        length, last, found = self.clock.length, self.now, []
        for each in (second * 1_000_000 / length for second in _SECONDS) if length else _TICKS:
            x = self._at(each)
            if each == int(each) and each <= self.reach and x >= last + _APART:
                last = x
                found.append((x, f"+{self.clock.brief(int(each)).removesuffix(' ticks')}"))
        return found


def axis_of(clock: TickClock, ticks: Iterable[int | None], now: float = _NOW) -> TimeAxis:
    """Makes the axis on which all of some ticks are."""
    axis = TimeAxis(clock, _LEAST, _LEAST, now)
    ahead = [axis.ahead(each) for each in ticks if each is not None]
    return TimeAxis(clock, max([_LEAST, *(-each for each in ahead)]), max([_LEAST, *ahead]), now)


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
