"""How ticks are shown: as numbers, or as timestamps where the program says how long a tick is."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from antelog.language.durations import duration_text

_SECOND = 1_000_000
_YEAR = 365 * 24 * 3600 * _SECOND
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

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
        time = "%H:%M" if self.length % (60 * _SECOND) == 0 else "%H:%M:%S"
        return self._moment(tick).strftime(time if self._day else f"%Y-%m-%d {time}")

    @property
    def title(self) -> str:
        day = f"{self._day}, " if self._day else ""
        return f"{day}UTC, a tick is {duration_text(self.length)}"

    @property
    def _day(self) -> str:
        """The day, if there is but one."""
        first, last = (self._moment(tick).date() for tick in (self.first, self.last))
        return first.isoformat() if first == last else ""

    def _moment(self, tick: int) -> datetime:
        return _EPOCH + timedelta(microseconds=tick * self.length)


def clock(length: int | None, first: int, last: int) -> Clock:
    """Timestamps if a tick has a length, and the first one was not counted from 0."""
    return Clock(length) if length is None or first * length < _YEAR else Calendar(length, first, last)
