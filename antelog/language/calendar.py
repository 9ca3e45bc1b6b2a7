"""Calendar functions: what the clock and the calendar of the program's zone say when a tick begins.

tick 1 hour, zone Europe/Berlin, T is 2024-03-04 06:00 UTC:    hour(T) = 7    weekday(T) = 1, Monday
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime

from antelog.language.moments import Timescale

CALENDAR: Mapping[str, Callable[[datetime], int]] = {
    "minute": lambda time: time.minute,
    "hour": lambda time: time.hour,
    "weekday": lambda time: time.isoweekday(),
    "day": lambda time: time.day,
    "month": lambda time: time.month,
}
"""The functions of a tick, by name."""


def calendar_number(function: str, tick: int, timescale: Timescale) -> int | None:
    """The value of such a function; None if the tick has no time that can be written."""
    return CALENDAR[function](timescale.time(tick)) if tick in range(timescale.ticks.stop) else None
