"""Numbers that count seconds or parts of them since 1970, as distinct from ticks.

tick 10 minutes: 2857672 is a tick; 1714603200 are seconds, 1714603200000 milliseconds, of the same
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property

from antelog.language.durations import duration_text
from antelog.language.moments import Timescale

MICROSECONDS = {"s": Fraction(10**6), "ms": Fraction(10**3), "us": Fraction(1), "ns": Fraction(1, 10**3)}
TICKS = "ticks"  # the unit of numbers that are all ticks

UNITS = (*MICROSECONDS, TICKS)

WORDS = {"s": "seconds", "ms": "milliseconds", "us": "microseconds", "ns": "nanoseconds"}

_YEAR = 365.2425 * 86_400 * 10**6
_1973 = 10**8 * 10**6
_1980 = 315_532_800 * 10**6
_2100 = 4_102_444_800 * 10**6
_3000 = 32_503_680_000 * 10**6
_LARGEST = 2**63 - 1
_FAR = 2**63 - 2**11  # larger numbers stand for all that are larger still


@dataclass(frozen=True)
class Counting:
    """How an input writes times: numbers count `unit`, texts have the `form` of `strptime`, in `zone`."""

    timescale: Timescale | None = None
    unit: str | None = None
    zone: str | None = None
    form: str | None = None

    @property
    def tick(self) -> int | None:
        return None if self.timescale is None else self.timescale.length

    @cached_property
    def only_ticks(self) -> bool:
        return self.tick is None or self.unit == TICKS

    @cached_property
    def ranges(self) -> tuple[UnitRange, ...]:
        if self.tick is None or self.only_ticks:
            return ()
        return ranges(self.tick) if self.unit is None else (UnitRange(self.unit, -_LARGEST - 1, _LARGEST),)


TICKLESS = Counting()  # the times of a program without a `tick`


@dataclass(frozen=True)
class UnitRange:
    unit: str
    first: int
    last: int


@cache
def ranges(tick: int) -> tuple[UnitRange, ...]:
    """The numbers that are not ticks: as ticks they lie after 2100, and in a unit between 1980 and 3000."""
    found = []
    for unit, length in MICROSECONDS.items():
        first, last = max(int(_1980 / length), -(-_2100 // tick)), min(int(_3000 / length), _FAR) - 1
        if first <= last:
            found.append(UnitRange(unit, first, last))
    return tuple(found)


def last_tick(tick: int) -> int:
    """The last tick before the year 3000: larger numbers are likely not ticks."""
    return _3000 // tick


LIKELY = tuple(  # the numbers that would be times from 1973 to 3000 in a unit; each is one in one unit only
    UnitRange(unit, -int(-_1973 // length), -int(-_3000 // length) - 1)
    for unit, length in MICROSECONDS.items()
)


def likely(number: float) -> str | None:
    """The unit in which a number would be a time from 1973 to 3000."""
    return next((each.unit for each in LIKELY if each.first <= number <= each.last), None)


def remedy(unit: str | None, counting: Counting, name: str, column: str) -> str:
    """Says what to write where numbers of an input likely count a unit since 1970."""
    if counting.tick is None:
        return f"if it counts {WORDS[unit or 'ms']} since 1970, say how long a tick is: `tick 1 minute.`"
    if counting.unit in WORDS:
        return f"it was read as {WORDS[counting.unit]} since 1970: does it count another unit?"
    unit = unit or "ms"
    return (
        f"if it counts {WORDS[unit]} since 1970, write `{column}: {unit}` in `input {name}(…)`, "
        f"or --time-unit {name}={unit}"
    )


def far_note(number: int, counting: Counting, name: str, column: str) -> str:
    assert counting.tick is not None
    year = int(1970 + number * counting.tick / _YEAR)
    return (
        f"{name} has a time in the year {year:,}: {number} as a tick of {duration_text(counting.tick)}; "
        f"{remedy(likely(number), counting, name, column)}"
    )
