"""Ticks as people read them on the page: when something was, and how long is left.

    Clock(length=600_000_000, now=2856253).left(2856256)    30 minutes

Without a length, ticks are numbers: `tick 17`, `3 ticks`.
"""

from __future__ import annotations

from dataclasses import dataclass

from antelog.forecast.reports.words import lead
from antelog.language.moments import moment, on_calendar

_MILLISECOND = 1_000


@dataclass(frozen=True)
class Clock:
    """How long a tick is (in microseconds, if known), and the tick that is reached."""

    length: int | None
    now: int

    def at(self, tick: int) -> str:
        """When: `2024-04-21 20:30`, or `tick 17`."""
        text = moment(tick, self.length)
        return f"tick {text}" if text == str(tick) else text

    def ahead(self, ticks: int) -> str:
        """How long: `30 minutes`, or `3 ticks`."""
        return lead(ticks, self.length) if ticks else "no time"

    def left(self, tick: int) -> str:
        """How long is left until a tick is over."""
        return self.ahead(tick - self.now) if tick > self.now else "this tick"

    def milliseconds(self, tick: int) -> int | None:
        """When a tick ends, by the wall clock, for a countdown in the browser."""
        if self.length is None or not on_calendar(tick, self.length):
            return None
        return (tick + 1) * self.length // _MILLISECOND
