"""How ticks are shown: as numbers, or as timestamps where the program says how long a tick is."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from antelog.language.durations import duration_text

_SECOND = 1_000_000
_YEAR = 365 * 24 * 3600 * _SECOND
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Clock:
    """`length` is that of a tick in microseconds, if known; `stamps` says whether to show timestamps."""

    length: int | None = None
    stamps: bool = False

    def place(self, tick: float) -> float:
        """Where a tick is on the axis: its number, or the milliseconds since 1970."""
        return tick * (self.length or 1) / 1000 if self.stamps else tick

    def text(self, tick: int) -> str:
        if not self.stamps:
            return str(tick)
        moment = _EPOCH + timedelta(microseconds=tick * (self.length or 1))
        short = (self.length or 1) % (60 * _SECOND) == 0
        return moment.strftime("%Y-%m-%d %H:%M" if short else "%Y-%m-%d %H:%M:%S")

    @property
    def title(self) -> str:
        if self.length is None:
            return "tick"
        each = duration_text(self.length)
        return f"time (UTC); a tick is {each}" if self.stamps else f"tick ({each} each)"


def clock(length: int | None, first: int) -> Clock:
    """Timestamps if a tick has a length, and the first one was not counted from 0."""
    return Clock(length, length is not None and first * length > _YEAR)
