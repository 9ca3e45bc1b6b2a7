"""Durations: in ticks, and in the units people write."""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction

from antelog.language.moments import TIME, Timescale, moment
from antelog.language.syntax import Bound, Shifted, number

_MICROSECONDS = {
    **dict.fromkeys(("us", "microsecond"), 1),
    **dict.fromkeys(("ms", "millisecond"), 1_000),
    **dict.fromkeys(("s", "sec", "second"), 1_000_000),
    **dict.fromkeys(("min", "minute"), 60_000_000),
    **dict.fromkeys(("h", "hour"), 3_600_000_000),
    **dict.fromkeys(("d", "day"), 86_400_000_000),
    "week": 604_800_000_000,
}
LENGTHS = tuple(  # the units of shown durations with their microseconds, from the longest on
    (name, _MICROSECONDS[name]) for name in ("week", "day", "hour", "minute", "second", "ms", "us")
)
UNITS = tuple(sorted({*_MICROSECONDS, *(f"{name}s" for name in _MICROSECONDS if len(name) > 2)}))


def microseconds(bound: Bound) -> Fraction | None:
    """The microseconds of a duration; None if its unit is not in `UNITS`."""
    unit = bound.unit or ""
    factor = _MICROSECONDS.get(unit)
    if factor is None and unit in UNITS:
        factor = _MICROSECONDS[unit.removesuffix("s")]
    return None if factor is None else Fraction(str(bound.amount)) * factor


def ticks_later(term: Shifted, tick: int | None) -> int:
    """The ticks by which a time is shifted, given the microseconds of a tick."""
    if term.unit is None or tick is None:
        return int(term.offset)
    return int((microseconds(Bound(term.offset, term.unit)) or 0) / tick)


def ticks_of(text: str, tick: int) -> int | None:
    """Reads a duration, `30 minutes`, in ticks; None if that is not a whole number of them."""
    found = _WRITTEN.fullmatch(text)
    length = microseconds(Bound(number(float(found[1])), found[2])) if found else None
    return None if length is None or length % tick else int(length / tick)


_WRITTEN = re.compile(r"\s*([0-9]{1,15}(?:\.[0-9]{1,6})?) *([a-z]+)\s*")


def duration_text(length: int) -> str:
    """Writes microseconds in the largest unit that gives a whole number: `10 minutes`."""
    unit, size = next(each for each in LENGTHS if length % each[1] == 0)
    number = length // size
    return f"{number} {unit}" + ("s" if number != 1 and len(unit) > 2 else "")


def long_duration_text(length: int) -> str:
    """Writes a duration in several units where one needs a large number: `2 days 10 minutes`."""
    longest = next((size for _, size in LENGTHS if length >= size), 1)
    if longest < _MICROSECONDS["second"] or int(duration_text(length).split()[0]) <= _READABLE:
        return duration_text(length)
    parts = []
    for _, size in LENGTHS:
        whole = length // size * size
        parts += [duration_text(whole)] if whole else []
        length -= whole
    return " ".join(parts)


def span_in_words(ticks: int, timescale: Timescale | None) -> str:
    """Writes how long some ticks last, or how many they are: `3 ticks`, `2 days`."""
    if timescale is None:
        return f"{ticks:,} tick{'' if ticks == 1 else 's'}"
    return long_duration_text(ticks * timescale.length)


_READABLE = 120  # larger numbers of a unit are hard to read


def ticks_in_words(
    ticks: int, type_: str, timescale: Timescale | None, written: Callable[[int], str] | None = None
) -> str:
    """Writes the ticks of a variable: a time, perhaps by `written`, or a length such as `9 minutes`."""
    if type_ == TIME:
        return moment(ticks, timescale) if written is None else written(ticks)
    if timescale is None:
        return str(ticks)
    if not ticks:
        return f"0 {next(unit for unit, size in LENGTHS if timescale.length % size == 0)}s"
    return "-" * (ticks < 0) + long_duration_text(abs(ticks) * timescale.length)


def in_ticks(length: Fraction, tick: int) -> int:
    """The most ticks that a duration spans, wherever within a tick it starts."""
    return -int(-length // tick)
