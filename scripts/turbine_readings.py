"""The readings of sixty wind turbines, always the same ones, for the pictures of the documentation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from random import Random

BEGUN, TICK = datetime(2026, 3, 29, 13, tzinfo=UTC), timedelta(minutes=10)


@dataclass(frozen=True)
class TurbineReading:
    """What a turbine reports about a tick, and the tick at which that arrives; ticks count from BEGUN."""

    turbine: str
    level: str
    tick: int
    arrival: int

    @property
    def line(self) -> str:
        """The reading as a line of CSV: device, level, time, arrival."""
        times = (str(BEGUN + at * TICK) for at in (self.tick, self.arrival))
        return f"{self.turbine},{self.level},{','.join(times)}\n"


def readings(ticks: int) -> Iterator[TurbineReading]:
    """A hot turbine stays hot for a while. Each reading comes in its tick or, one of four, in the next."""
    random, hot = Random(11), set[int]()
    for tick in range(ticks):
        for turbine in range(1, 61):
            is_hot = random.random() < (0.8 if turbine in hot else 0.06)
            (hot.add if is_hot else hot.discard)(turbine)
            arrival = tick + (random.random() < 0.25)
            if arrival < ticks:
                yield TurbineReading(f"wt{turbine}", "high" if is_hot else "low", tick, arrival)
