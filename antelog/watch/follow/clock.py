"""When facts arrive, and which tick is over: by their arrivals, by their own times, or by the wall clock.

    lag 1, by their own times: 7 ─▶ arrives at 7; 9 ─▶ at 9, and 8 is over; 7 ─▶ at 9, the first that is not

By their own times, what arrives when follows from the rows before and from nothing else. So a file that is
read in other pieces, as after a restart, tells the same.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pyarrow as pa

from antelog.engine.columns.tables import Column
from antelog.errors import UnsupportedError
from antelog.files import ARRIVAL
from antelog.files.columns import Wanted
from antelog.watch.sources.source import Rows

ClockName = Literal["arrival", "event", "processing"]


@dataclass(frozen=True)
class Timing:
    """What moves time on; None: arrivals, where there is a column of them, else the facts' own times.

    `lag` is in ticks; `idle` and the length of a `tick` are in microseconds.
    """

    clock: ClockName | None = None
    lag: int = 1
    idle: int | None = None
    tick: int | None = None

    def __post_init__(self) -> None:
        if self.tick is None and (self.clock == "processing" or self.idle is not None):
            raise UnsupportedError(
                "the wall clock shows no ticks that have no length; begin the program with `tick 1 minute`"
            )


class Clock:
    """Knows the highest tick that was seen in each input."""

    def __init__(self, timing: Timing, highest: Mapping[str, int] | None = None) -> None:
        self._timing = timing
        self.highest = dict(highest or {})
        self._heard: int | None = None

    def dated(self, wanted: Wanted, rows: Rows, now: int, wall: int) -> pa.Table:
        """Rows with the ticks at which they arrive, `now` being the last finished one.

        `wall` is the time in microseconds.
        """
        table, timing = rows.table, self._timing
        if not table.num_rows:
            return table
        self._heard = wall
        time: Column = table.column(wanted.columns[-1]).to_numpy()
        if timing.clock == "processing":
            arrival = np.clip(time, now + 1, max(now + 1, self._ticks(wall)))
            seen = arrival
        elif timing.clock == "event" or not rows.arrive:
            before = self.highest.get(wanted.name, -1)
            highest = np.maximum.accumulate(np.append(before, time))[:-1]
            arrival = np.maximum(np.maximum(time, highest - timing.lag + 1), now + 1)
            seen = time
        else:
            arrival = seen = table.column(ARRIVAL).to_numpy()
        self.highest[wanted.name] = max(self.highest.get(wanted.name, -1), int(seen.max()))
        return table.set_column(table.schema.get_field_index(ARRIVAL), ARRIVAL, pa.array(arrival))

    def over(self, now: int, behind: Collection[str], wall: int) -> int:
        """The last tick that is over. Inputs that are `behind` have more to be read at once: they hold it."""
        timing = self._timing
        if timing.clock == "processing":
            return max(now, self._ticks(wall) - timing.lag)
        held = [self.highest.get(name, -1) for name in behind]
        top = min([max(self.highest.values(), default=-1), *held])
        if timing.idle is not None and not behind and self.highest:
            self._heard = self._heard or wall
            silent = wall - self._heard
            top += self._ticks(silent) if silent >= timing.idle else 0
        return max(now, top - timing.lag)

    def holding(self, behind: Collection[str]) -> str | None:
        """The input that holds time back."""
        top = max(self.highest.values(), default=-1)
        slow = {name: self.highest.get(name, -1) for name in behind}
        name = min(slow, key=slow.__getitem__, default=None)
        moves = self._timing.clock != "processing" and name is not None and slow[name] < top
        return name if moves else None

    def _ticks(self, microseconds: int) -> int:
        assert self._timing.tick is not None
        return microseconds // self._timing.tick
