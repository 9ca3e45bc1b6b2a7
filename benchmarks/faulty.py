"""Readings with faults in them, and how many of each kind there are: a stream that can be made again.

Each device sends a reading a tick, most of the time, and is always so many ticks behind. What it sent
about a tick follows from the seed, the device and the tick, so it can be counted without keeping it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

DELAY = 4
"""So many ticks late a reading may be."""

LEVELS = ("high", "low", "normal", "")
"""What a device may say of itself; last, nothing."""

SHARES = (0.4, 0.2, 0.3, 0.1)
HIGH, LOW, NORMAL, NOTHING = range(4)

PROGRAM = f"""\
tick 1 second.
input Temp(device: text, level: text, time) delay {DELAY}.
Low(X, T) :- Temp(X, low, T).
Alert(X, T) :- Temp(X, high, T), Temp(X, high, T+1), not Low(X, T+2).
query Alert(X, T).
"""
SETTLED = 2 + DELAY
"""So many ticks after its own an alert is certain: no reading about its last tick may come any more."""

FAULTS = ("late", "early", "malformed", "repeated")
HEADER = "device,level,time,arrival"
_BAD = (
    "d{device},{level},soon,{arrival}",
    "d{device},{level},{time}.5,{arrival}",
    "d{device},{level},-{arrival},{arrival}",
    "d{device},{level},99999999999999999999,{arrival}",
    "d{device},{level},,{arrival}",
    ",{level},{time},{arrival}",
    "d{device},{level},{time}",
    "{{nonsense",
)

Levels = NDArray[np.int64]


@dataclass(frozen=True)
class Made:
    """How many rows of each kind were made. `used` and `repeated` are those that some rule asks for."""

    used: int = 0
    repeated: int = 0
    unneeded: int = 0
    late: int = 0
    early: int = 0
    malformed: int = 0

    @property
    def rows(self) -> int:
        return self.used + self.repeated + self.unneeded + self.late + self.early + self.malformed

    def __add__(self, other: Made) -> Made:
        return Made(
            self.used + other.used,
            self.repeated + other.repeated,
            self.unneeded + other.unneeded,
            self.late + other.late,
            self.early + other.early,
            self.malformed + other.malformed,
        )


@dataclass(frozen=True)
class Readings:
    """So many devices, and so large a share of rows that are not as they should be."""

    devices: int
    faults: float
    seed: int = 1

    def file(self, first: int, last: int) -> tuple[str, Made]:
        """The rows that arrive from one tick to another, as CSV, and what they are."""
        lines, made = [HEADER], Made()
        for arrival in range(first, last + 1):
            good = list(self._good(arrival))
            dice = np.random.default_rng((self.seed, 1, arrival))
            bad = [self._faulty(arrival, dice) for _ in range(dice.binomial(len(good), self._odds()))]
            for line, kind in (*good, *bad):
                lines.append(line)
                made += Made(**{kind: 1})
        return "\n".join(lines) + "\n", made

    def needed(self, tick: int) -> int:
        """How many readings about a tick some rule asks for."""
        return int(np.isin(self._levels(tick), (HIGH, LOW)).sum()) if tick >= 0 else 0

    def alerts(self, until: int) -> int:
        """How many alerts are certain at a tick: two high readings, and then none that is low."""
        return sum(
            int(
                (
                    (self._levels(tick) == HIGH)
                    & (self._levels(tick + 1) == HIGH)
                    & (self._levels(tick + 2) != LOW)
                ).sum()
            )
            for tick in range(until - SETTLED + 1)
        )

    def _odds(self) -> float:
        """How many faulty rows there are for each that is not."""
        return self.faults / (1 - self.faults)

    def _levels(self, tick: int) -> Levels:
        return _levels(self.seed, self.devices, tick)

    def _good(self, arrival: int) -> Iterator[tuple[str, str]]:
        for device in range(self.devices):
            time = arrival - device % (DELAY + 1)
            level = self._levels(time)[device] if time >= 0 else NOTHING
            if level != NOTHING:
                kind = "unneeded" if level == NORMAL else "used"
                yield f"d{device},{LEVELS[level]},{time},{arrival}", kind

    def _faulty(self, arrival: int, dice: np.random.Generator) -> tuple[str, str]:
        kind = FAULTS[dice.integers(len(FAULTS))]
        device = int(dice.integers(self.devices))
        level = LEVELS[dice.integers(NOTHING)]
        if kind == "repeated":
            return self._again(arrival, device)
        if kind == "malformed" or (kind == "late" and arrival <= DELAY):
            bad = _BAD[dice.integers(len(_BAD))]
            return bad.format(device=device, level=level, time=arrival, arrival=arrival), "malformed"
        time = arrival - DELAY - 1 if kind == "late" else arrival + int(dice.integers(1, 50))
        return f"d{device},{level},{time},{arrival}", kind

    def _again(self, arrival: int, device: int) -> tuple[str, str]:
        """What a device sent already, as late as it may be; if it sent nothing, what it never should."""
        device -= device % (DELAY + 1)
        time = arrival - DELAY
        level = self._levels(time)[device] if time >= 0 else NOTHING
        if level == NOTHING:
            return _BAD[-1].format(), "malformed"
        return f"d{device},{LEVELS[level]},{time},{arrival}", "unneeded" if level == NORMAL else "repeated"


@lru_cache(maxsize=64)
def _levels(seed: int, devices: int, tick: int) -> Levels:
    return np.random.default_rng((seed, 0, tick)).choice(len(LEVELS), devices, p=SHARES)
