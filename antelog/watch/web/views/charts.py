"""Charts of time: numbers in a table, which the browser draws with uPlot; in files they are drawn as SVG.

TimeChart("Facts a second", "rate", ("time", "facts a second"), rows)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from antelog.watch.web.templating import number
from antelog.watch.web.views.context import TickClock

WIDE, HIGH = 600.0, 140.0


@dataclass(frozen=True)
class ChartRow:
    """A moment, in milliseconds or ticks, and a value for each series; `shown` are the values as texts.

    `ticks` are those that the values are about, where a stretch of them can be chosen.
    """

    at: float
    label: str
    values: Sequence[float | None]
    shown: Sequence[str]
    ticks: range | None = None


@dataclass(frozen=True)
class TimeChart:
    """A chart of some series. `kind` says how it is drawn, `level` is a line in it.

    `zone`: moments are milliseconds, shown as times of this zone; without one they are ticks.
    """

    title: str
    kind: str
    head: Sequence[str]
    rows: Sequence[ChartRow]
    zone: str = ""
    level: float | None = None

    @property
    def stacks(self) -> Sequence[tuple[str, float, float, float, float]]:
        """The counts of each row on each other, the last series lowest: kind, x, y, width and height."""
        most = max((sum(value or 0 for value in row.values) for row in self.rows), default=0) or 1
        wide, found = WIDE / max(1, len(self.rows)), []
        for at, row in enumerate(self.rows):
            y = HIGH
            for kind, value in reversed([*zip(self.head[1:], row.values, strict=True)]):
                high = 0.95 * HIGH * (value or 0) / most
                y -= high
                if high:
                    found.append((kind, at * wide, y, 0.9 * wide, high))
        return found

    @property
    def paths(self) -> Sequence[str]:
        """A path for each series, in a box of `WIDE` by `HIGH`."""
        if not self.rows:
            return []
        first, last = self.rows[0].at, self.rows[-1].at
        most = max([value for row in self.rows for value in row.values if value is not None], default=0.0)
        most = 1.0 if self.kind == "chance" else most or 1.0
        found = []
        for at in range(len(self.head) - 1):
            spots = [
                (WIDE * (row.at - first) / max(1e-9, last - first), HIGH * (1 - 0.9 * value / most))
                for row in self.rows
                if (value := row.values[at]) is not None
            ]
            line = "H{}V{}" if self.kind == "chance" else "L{} {}"
            steps = [
                ("M{} {}" if at == 0 else line).format(*map(number, spot)) for at, spot in enumerate(spots)
            ]
            found.append("".join(steps))
        return found


def places(clock: TickClock, ticks: Sequence[int]) -> tuple[list[float], str]:
    """The places of ticks in a chart, and the zone: milliseconds of their beginnings, or their numbers."""
    begins = [clock.milliseconds(tick - 1) for tick in ticks]
    if clock.milliseconds(ticks[-1]) is None:
        return [*map(float, ticks)], ""
    return [
        float(tick if begin is None else begin) for tick, begin in zip(ticks, begins, strict=True)
    ], clock.zone
