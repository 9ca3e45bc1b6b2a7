"""Time lines: one axis, and on it a lane for each answer with what is there and what is awaited.

    axis = axis_between(clock, 17, 29)
    lane(axis, marks, answer)

Places are shares of the width, so that all rows share the axis at every width.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from antelog.watch.board.tracked_answer import Mark, TrackedAnswer
from antelog.watch.web.views.context import TickClock

_EDGE = 3.0  # percents of the width before the first and behind the last tick
_LEVELS = (0, -9, 9)  # places of marks of the same tick, in pixels above and below the line
_LABELS, _CLOSE = 3, 15  # labels of an axis, about; percents of its width that stay free around now
_SECONDS = (
    *(1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200),
    *(86_400, 172_800, 604_800, 1_209_600, 2_419_200),
)
"""Round times, in seconds."""


@dataclass(frozen=True)
class TimeAxis:
    """An axis from one tick to another, as percents of a width."""

    clock: TickClock
    first: float
    last: float

    def x(self, tick: float) -> float:
        """The place of a tick; what lies outside is drawn at the edge."""
        inside = min(max(tick, self.first), self.last)
        return _EDGE + (100 - 2 * _EDGE) * (inside - self.first) / max(1e-9, self.last - self.first)

    @property
    def now(self) -> float:
        return self.x(self.clock.now)

    @property
    def labels(self) -> Sequence[tuple[float, str, bool]]:
        """Labels at round times, none of them close to now; those near it have room on a wide axis only."""
        step = _step((self.last - self.first) / _LABELS, self.clock.length)
        ticks = range(-int(-self.first // step) * step, int(self.last) + 1, step)
        return [
            (self.x(tick), self.clock.short(tick), abs(self.x(tick) - self.now) < 2.5 * _CLOSE)
            for tick in ticks
            if tick >= 0 and abs(self.x(tick) - self.now) > _CLOSE
        ]


def _step(least: float, length: int | None) -> int:
    """A round number of ticks, or a round time in ticks, that is not less."""
    if length is not None:
        rounds = (each * 1_000_000 for each in _SECONDS)
        found = next(
            (each // length for each in rounds if each % length == 0 and each >= least * length), None
        )
        if found is not None:
            return found
    power: int = 10 ** max(0, len(str(int(least))) - 1)
    return next(each * power for each in (1, 2, 5, 10) if each * power >= least)


@dataclass(frozen=True)
class LaneMark:
    """A mark on a lane; with `until` it is a stretch."""

    x: float
    until: float | None
    y: int
    known: bool
    negated: bool
    title: str


@dataclass(frozen=True)
class Lane:
    """The drawing of an answer: marks, its deadline, and the stretch that is overdue."""

    axis: TimeAxis
    begin: float
    end: float | None
    overdue: float | None
    spots: Sequence[LaneMark]
    label: str


def lane(axis: TimeAxis, marks: Sequence[Mark], answer: TrackedAnswer) -> Lane:
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
        until = None if high in (None, low) else axis.x(high or 0)
        spots.append(LaneMark(axis.x(low), until, level, mark.known, mark.negated, title))
    wall = axis.clock.wall
    late = end is not None and wall is not None and wall > end + 1
    known = sum(each.known for each in marks)
    return Lane(
        axis,
        axis.x(min([answer.since, *(each.tick for each in marks if each.tick is not None)])),
        None if end is None else axis.x(end),
        axis.x(wall) if late and wall is not None else None,
        spots,
        f"{known} of {len(marks)} there",
    )
