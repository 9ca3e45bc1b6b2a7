"""Charts of time: numbers in a table, which the browser draws with uPlot; in files they are drawn as SVG.

TimeChart("Facts a second", "rate", ("time", "facts a second"), rows)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from antelog.watch.web.templating import number

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
class StackedBar:
    """A part of a bar, in a box of `WIDE` by `HIGH`; its kind is the head of its series."""

    kind: str
    x: float
    y: float
    wide: float
    high: float


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
    def stacks(self) -> Sequence[StackedBar]:
        """The counts of each row on each other, the last series lowest."""
        most = max((sum(value or 0 for value in row.values) for row in self.rows), default=0) or 1
        wide, found = WIDE / max(1, len(self.rows)), []
        for at, row in enumerate(self.rows):
            y = HIGH
            for kind, value in reversed([*zip(self.head[1:], row.values, strict=True)]):
                high = 0.95 * HIGH * (value or 0) / most
                y -= high
                if high:
                    found.append(StackedBar(kind, at * wide, y, 0.9 * wide, high))
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
            lead = "H" if self.kind == "chance" else "L"
            steps = [
                f"H{number(x)}V{number(y)}" if lead == "H" else f"L{number(x)} {number(y)}" for x, y in spots
            ]
            found.append(f"M{number(spots[0][0])} {number(spots[0][1])}{''.join(steps[1:])}" if spots else "")
        return found
