"""Streams of readings, high or low, made from chances that are known: how likely a reading is high depends on
the machine's last two. Training and test are two streams of the same machines.

    High,0,m0
    Low,0,m1
    Low,1,m0    each machine has one reading at each tick
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

Flags = NDArray[np.bool_]
Numbers = NDArray[np.float64]

HIGH_AFTER = np.array([[0.10, 0.50], [0.25, 0.75]])
"""How likely a reading is high after an older and a newer one, each low (0) or high (1)."""

TICKS = 2_000


@dataclass(frozen=True)
class Machines:
    """`spread`: by how much they differ, as the standard deviation of what is added to log odds."""

    count: int
    spread: float = 0.0

    @property
    def high_after(self) -> Numbers:
        """For each machine, how likely a reading is high after an older and a newer one."""
        own = np.random.default_rng(7).normal(0, self.spread, (self.count, 1, 1))
        odds = np.log(HIGH_AFTER / (1 - HIGH_AFTER)) + own
        chances: Numbers = 1 / (1 + np.exp(-odds))
        return chances

    def readings(self, seed: int, ticks: int = TICKS) -> Flags:
        """Whether each reading is high: a row for each tick, a column for each machine."""
        rng, after = np.random.default_rng(seed), self.high_after
        high, each = np.zeros((ticks + 2, self.count), np.int64), np.arange(self.count)
        for tick in range(2, ticks + 2):
            high[tick] = rng.random(self.count) < after[each, high[tick - 2], high[tick - 1]]
        return high[2:].astype(np.bool_)


def write(readings: Flags, file: Path) -> None:
    """A line for each reading, in order: its level, its tick, its machine."""
    tick, machine = np.indices(readings.shape)
    lines = pl.DataFrame({"high": readings.ravel(), "tick": tick.ravel(), "machine": machine.ravel()})
    lines.select(
        level=pl.when("high").then(pl.lit("High")).otherwise(pl.lit("Low")),
        time="tick",
        machine=pl.concat_str(pl.lit("m"), "machine"),
    ).write_csv(file, include_header=False)
