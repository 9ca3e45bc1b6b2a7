"""Random streams of facts as Arrow tables, the same ones in every run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

Numbers = NDArray[np.int64]

DELAY = 2
"""How late facts may be, in ticks, unless a workload says otherwise."""

LATE = 0.1
"""The share of the facts that are late, by one tick up to all that is allowed."""


@dataclass(frozen=True, eq=False)
class Facts:
    """The facts of one input, in the order of arrival: columns of numbers, the last two of them ticks.

    `objects` are the numbers of devices and the like; `names` says for each column how its numbers
    are written.
    """

    predicate: str
    objects: tuple[Numbers, ...]
    names: tuple[tuple[str, NDArray[np.str_]], ...]
    time: Numbers
    arrival: Numbers

    def __len__(self) -> int:
        return len(self.time)

    def take(self, at: NDArray[np.bool_]) -> Facts:
        objects = tuple(column[at] for column in self.objects)
        return Facts(self.predicate, objects, self.names, self.time[at], self.arrival[at])

    def table(self) -> pa.Table:
        """What the engine is given."""
        texts = {
            column: pa.array(names).take(pa.array(numbers))
            for (column, names), numbers in zip(self.names, self.objects, strict=True)
        }
        return pa.table({**texts, "time": self.time, "arrival": self.arrival})

    def batches(self, ends: Numbers) -> Iterator[tuple[int, pa.Table]]:
        """The facts that arrive up to each of these ticks, after the one before."""
        table = self.table()
        start = 0
        for end, stop in zip(
            ends.tolist(), np.searchsorted(self.arrival, ends, "right").tolist(), strict=True
        ):
            yield end, table.slice(start, stop - start)
            start = stop


def readings(
    seed: int,
    devices: int,
    ticks: int,
    levels: tuple[str, ...],
    shares: tuple[float, ...],
    delay: int = DELAY,
) -> Facts:
    """One reading of each device at each tick, of levels that are as frequent as `shares` says."""
    random = np.random.default_rng(seed)
    device = np.tile(np.arange(devices), ticks)
    time = np.repeat(np.arange(ticks), devices)
    level = random.choice(len(levels), len(time), p=shares)
    names = (("device", numbered("wt", devices)), ("level", np.array(levels)))
    return arriving(random, "Temp", (device, level), names, time, delay)


def hops(seed: int, nodes: int, messages: int, facts: int, ticks: int) -> Facts:
    """Messages that spread: each is heard by some nodes, tick after tick."""
    random = np.random.default_rng(seed)
    message = random.integers(0, messages, facts)
    time = random.integers(0, ticks, messages)[message] + random.integers(0, 3, facts)
    names = (("node", numbered("n", nodes)), ("message", numbered("m", messages)))
    return arriving(random, "Heard", (random.integers(0, nodes, facts), message), names, time)


def trips(seed: int, devices: int, ticks: int, share: float) -> Facts:
    """At each tick so large a share of the devices trips."""
    random = np.random.default_rng(seed)
    time, device = np.nonzero(random.random((ticks, devices)) < share)
    return arriving(random, "Trip", (device,), (("device", numbered("d", devices)),), time)


def starts(seed: int, devices: int, ticks: int) -> Facts:
    """A fact about each device at each tick."""
    random = np.random.default_rng(seed)
    device, time = np.tile(np.arange(devices), ticks), np.repeat(np.arange(ticks), devices)
    return arriving(random, "Beat", (device,), (("device", numbered("d", devices)),), time)


def arriving(
    random: np.random.Generator,
    predicate: str,
    objects: tuple[Numbers, ...],
    names: tuple[tuple[str, NDArray[np.str_]], ...],
    time: Numbers,
    delay: int = DELAY,
) -> Facts:
    """Facts with arrivals of their own, in that order."""
    late = random.random(len(time)) < LATE
    arrival = time + np.where(late, random.integers(min(1, delay), delay + 1, len(time)), 0)
    order = np.argsort(arrival, kind="stable")
    return Facts(predicate, tuple(column[order] for column in objects), names, time[order], arrival[order])


def numbered(prefix: str, count: int) -> NDArray[np.str_]:
    return np.char.add(prefix, np.arange(count).astype(np.str_))
