"""Ticks on an axis: as numbers, or as timestamps where the program says how long a tick is."""

from __future__ import annotations

from dataclasses import dataclass

from antelog.language.durations import duration_text
from antelog.language.moments import DEFAULT_ZONE, Timescale, moment

_LABELS = (
    "utcFormat(datum.value, utcmilliseconds(datum.value) ? '%H:%M:%S.%L'"
    " : utcseconds(datum.value) ? '%H:%M:%S'"
    " : utchours(datum.value) + utcminutes(datum.value) ? '%H:%M' : {day})"
)
_DAY, _DAY_OF_YEAR = "'%b %d'", "utcmonth(datum.value) + utcdate(datum.value) == 1 ? '%Y' : '%b %d %Y'"
_BEYOND = 0.05
"""The part of an axis before the first and after the last tick, at most."""


@dataclass(frozen=True)
class Clock:
    """Ticks as numbers; `timescale` says how long they are, if known."""

    timescale: Timescale | None = None
    stamps = False

    def axis_value(self, tick: float) -> float:
        """The position of a tick on the axis."""
        return tick

    def text(self, tick: int) -> str:
        return str(tick)

    @property
    def title(self) -> str:
        each = self.timescale
        return "tick" if each is None else f"tick ({duration_text(each.length)} each)"


@dataclass(frozen=True)
class Calendar(Clock):
    """Ticks as timestamps of UTC: those of one day as times, and the day in the title."""

    timescale: Timescale
    first: int = 0
    last: int = 0
    stamps = True

    @property
    def labels(self) -> str:
        """Vega's expression for labels: times; at midnight the day, with its year if there are several."""
        return _LABELS.format(day=_DAY_OF_YEAR if self.several_years else _DAY)

    @property
    def several_years(self) -> bool:
        beyond = int(_BEYOND * (self.last - self.first)) + 1
        ends = (max(self.first - beyond, 0), self.last + beyond)
        return len({moment(tick, self._shown)[:4] for tick in ends}) > 1

    def axis_value(self, tick: float) -> float:
        """The milliseconds since 1970."""
        return (tick * self.timescale.length - self.timescale.ahead) / 1000

    def text(self, tick: int) -> str:
        day, _, time = moment(tick, self._shown).partition(" ")
        return time if time and self._days == (day, day) else f"{day} {time}".rstrip()

    @property
    def title(self) -> str:
        days = " to ".join(dict.fromkeys(self._days))
        zone = self.timescale.zone if self.timescale.of_days else DEFAULT_ZONE
        return f"{days}, {zone}, a tick is {duration_text(self.timescale.length)}"

    @property
    def _shown(self) -> Timescale:
        return Timescale(self.timescale.length)

    @property
    def _days(self) -> tuple[str, str]:
        """The first day, and the last."""
        first, last = (moment(tick, self._shown).partition(" ")[0] for tick in (self.first, self.last))
        return first, last


def clock(timescale: Timescale | None, first: int, last: int) -> Clock:
    """Timestamps if a tick has a length, and both have times on a calendar."""
    if timescale is None or not all(tick in timescale.ticks for tick in (first, last)):
        return Clock(timescale)
    return Calendar(timescale, first, last)
