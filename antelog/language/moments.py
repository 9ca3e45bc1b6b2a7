"""The times of ticks, in a program that says how long a tick is, and their texts."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache, lru_cache
from zoneinfo import ZoneInfo, available_timezones

_MICROSECOND = timedelta(microseconds=1)
_DAY, _MINUTE, _SECOND = (
    length // _MICROSECOND for length in (timedelta(days=1), timedelta(minutes=1), timedelta(seconds=1))
)
_WEEK = 7 * _DAY
_MONDAY = 3 * _DAY  # from a Monday to the first of January 1970
_PARTS = {"minutes": _MINUTE, "seconds": _SECOND, "milliseconds": _SECOND // 1000}
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_COUNTED = timedelta(days=365) // _MICROSECOND
_END = timedelta(days=2_900_000) // _MICROSECOND

TIME = "time"  # the column with the time of a line's tick; also the kind of variables whose ticks are times
DURATION = "duration"  # the kind of variables whose ticks are lengths


def timed(name: str) -> str:
    """The name of the column with the times of a column of ticks."""
    return TIME if name == "tick" else f"{name}_{TIME}"


DEFAULT_ZONE = "UTC"


@cache
def zones() -> frozenset[str]:
    return frozenset({DEFAULT_ZONE, *available_timezones()})


@dataclass(frozen=True)
class Timescale:
    """The length of a tick in microseconds, and the zone where ticks of days and weeks begin at midnight."""

    length: int
    zone: str = DEFAULT_ZONE

    @classmethod
    def of_moment(cls, tick: int, time: datetime, zone: str) -> Timescale:
        days = round((time.replace(tzinfo=UTC) - _EPOCH) / _MICROSECOND / tick / _DAY)
        found = cls(days * _DAY, zone)
        if days and found.time(tick).date() == time.date():
            return found
        return cls((time - _EPOCH) // _MICROSECOND // tick, zone)

    @property
    def of_days(self) -> bool:
        return self.length % _DAY == 0

    @property
    def even(self) -> bool:
        """Whether tick 0 begins with 1970 in UTC, and all are equally long."""
        return not self.of_days or (self.zone == DEFAULT_ZONE and not self.ahead)

    @property
    def ahead(self) -> int:
        """The microseconds by which tick 0 begins before 1970: the first week has the first of January."""
        return _MONDAY if self.length % _WEEK == 0 else 0

    @property
    def ticks(self) -> range:
        """The ticks with a time that can be written, from 1971 on: earlier ones are likely counted from 0."""
        return range(-(-_COUNTED // self.length), -(-_END // self.length))

    def time(self, tick: int) -> datetime:
        zone = UTC if self.zone == DEFAULT_ZONE else ZoneInfo(self.zone)
        begin = _EPOCH + (tick * self.length - self.ahead) * _MICROSECOND
        if self.of_days:
            # Where clocks skip midnight, this is the time at which they go on.
            begin = begin.replace(tzinfo=zone).astimezone(UTC)
        return begin.astimezone(zone)

    def offset(self, tick: int) -> int:
        """How far the clocks of the zone are ahead at a tick, in microseconds; 0 if it has no time."""
        ahead = self.time(tick).utcoffset() if tick in self.ticks else None
        return 0 if ahead is None else ahead // _MICROSECOND

    def begin(self, tick: int) -> int:
        """When a tick begins, in microseconds since 1970."""
        return (self.time(tick) - _EPOCH) // _MICROSECOND


@lru_cache(maxsize=1 << 14)
def moment(tick: int, timescale: Timescale | None) -> str:
    """Writes the time or day at which a tick begins, with an offset unless in UTC; or else its number."""
    if timescale is None or tick not in timescale.ticks:
        return str(tick)
    time = timescale.time(tick)
    if timescale.of_days:
        return f"{time:%Y-%m-%d}"
    if timescale.zone == DEFAULT_ZONE:
        time = time.replace(tzinfo=None)
    return time.isoformat(" ", _unit(timescale))


def moment_near(tick: int, timescale: Timescale | None, near: int | None) -> str:
    """As `moment`, without the day and offset that it shares with another tick: `06:10`."""
    if timescale is None or timescale.of_days or near is None:
        return moment(tick, timescale)
    if tick not in timescale.ticks or near not in timescale.ticks:
        return moment(tick, timescale)
    time, other = timescale.time(tick), timescale.time(near)
    day, clock = time.replace(tzinfo=None).isoformat(" ", _unit(timescale)).split(" ")
    same_day, same_offset = time.date() == other.date(), time.utcoffset() == other.utcoffset()
    offset = "" if same_offset else time.isoformat()[len(time.replace(tzinfo=None).isoformat()) :]
    return f"{'' if same_day else f'{day} '}{clock}{offset}"


def tick_in_words(tick: int, timescale: Timescale | None) -> str:
    """Writes the time at which a tick begins, or `tick 5`."""
    text = moment(tick, timescale)
    return f"tick {text}" if text == str(tick) else text


def _unit(timescale: Timescale) -> str:
    return next((unit for unit, size in _PARTS.items() if timescale.length % size == 0), "microseconds")
