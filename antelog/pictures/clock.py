"""How ticks are shown: as numbers, or as timestamps where the program says how long a tick is."""

from __future__ import annotations

from dataclasses import dataclass

from antelog.language.durations import duration_text
from antelog.language.moments import literal_of, moment, on_calendar

MIDNIGHTS = "utcFormat(datum.value, utchours(datum.value) + utcminutes(datum.value) ? '%H:%M' : '%b %d')"
"""Vega's expression for the labels of an axis: the time of day, at midnight the day."""


@dataclass(frozen=True)
class Clock:
    """Ticks as numbers; `length` is that of one in microseconds, if known."""

    length: int | None = None
    stamps = False

    def place(self, tick: float) -> float:
        """Where a tick is on the axis."""
        return tick

    def text(self, tick: int) -> str:
        return str(tick)

    def literal(self, text: str) -> str:
        """A literal, given as text, with its time as `text` has it."""
        return literal_of(text, self.text)

    @property
    def title(self) -> str:
        return "tick" if self.length is None else f"tick ({duration_text(self.length)} each)"


@dataclass(frozen=True)
class Calendar(Clock):
    """Ticks as timestamps: those of one day as times, and the day in the title."""

    length: int
    first: int = 0
    last: int = 0
    stamps = True

    def place(self, tick: float) -> float:
        """The milliseconds since 1970."""
        return tick * self.length / 1000

    def text(self, tick: int) -> str:
        day, _, time = moment(tick, self.length).partition(" ")
        return time if time and day == self._day else f"{day} {time}".rstrip()

    @property
    def title(self) -> str:
        day = f"{self._day}, " if self._day else ""
        return f"{day}UTC, a tick is {duration_text(self.length)}"

    @property
    def _day(self) -> str:
        """The day, if there is but one."""
        first, last = (moment(tick, self.length).partition(" ")[0] for tick in (self.first, self.last))
        return first if first == last else ""


def clock(length: int | None, first: int, last: int) -> Clock:
    """Timestamps if a tick has a length, and both have times on a calendar."""
    if length is None or not (on_calendar(first, length) and on_calendar(last, length)):
        return Clock(length)
    return Calendar(length, first, last)
