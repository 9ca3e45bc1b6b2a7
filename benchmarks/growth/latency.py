"""From the arrival of a fact to its change line, where facts come by the clock whether or not one is ready.

The clock goes on when the engine does not keep up: facts wait then, and what they waited counts. Three high
readings in a row are asked for with all changes, so that each high reading has a line that names it: its
answer is possible, revised, confirmed or rejected.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow.compute as pc
from numpy.typing import NDArray

from antelog import Engine, parse
from benchmarks.counting import Counts
from benchmarks.growth.sources import HIGH, LEVELS, SHARES
from benchmarks.streams import Facts, Numbers, readings
from benchmarks.workloads import TURBINE, ends_of, hot_in_a_row

TICK = 0.1
"""Seconds in a tick, in process."""
SECONDS = 10
RATES = (1_000, 10_000, 100_000, 300_000, 600_000)

Seconds = NDArray[np.float64]


@dataclass(frozen=True)
class Spread:
    """Seconds: the median and the 99th percentile."""

    median: float
    p99: float


@dataclass(frozen=True)
class Latency:
    """What facts waited for their lines, at so many facts a second.

    `waited` is from arrival to line. `alone` is the same if each batch took no longer than its CPU seconds:
    what it would be if nobody else wanted the core. `busy` is how many CPU seconds a second of the stream
    took. `behind` is how late lines were at a quarter of the way, and at the end. `wrong` is empty if the
    changes are those that were counted without the engine. On Spark, `lag` is how many ticks the finished one
    lies behind the last one seen.
    """

    rate: int
    facts: int
    waited: Spread
    alone: Spread | None
    busy: float
    behind: tuple[float, float]
    keeps_up: bool
    wrong: str
    lag: int | None = None


@dataclass(frozen=True)
class Load:
    """Readings by the clock: each device has one in each tick, spread evenly over it."""

    rate: int
    tick: float
    ticks: int

    @property
    def devices(self) -> int:
        return max(1, round(self.rate * self.tick))

    def facts(self) -> Facts:
        return readings(1, self.devices, self.ticks, LEVELS, SHARES)

    def instants(self, facts: Facts) -> tuple[Numbers, Seconds]:
        """Of each high reading the tick of its arrival, and when in seconds it arrived."""
        starts = np.searchsorted(facts.arrival, facts.arrival, "left")
        sizes = np.searchsorted(facts.arrival, facts.arrival, "right") - starts
        places = (np.arange(len(facts)) - starts + 0.5) / sizes
        high = facts.objects[1] == HIGH
        return facts.arrival[high], ((facts.arrival + places) * self.tick)[high]


def spread(load: Load, facts: Facts, out: Seconds, warm: int = 0) -> Spread:
    """From the arrival of each high reading to when the lines of its tick were out, but at first."""
    ticks, arrived = load.instants(facts)
    counted = (ticks >= warm) & (ticks < len(out))
    waited = out[ticks[counted]] - arrived[counted]
    return Spread(float(np.median(waited)), float(np.quantile(waited, 0.99)))


def behind(load: Load, out: Seconds, warm: int = 0) -> tuple[float, float]:
    """How long after their tick lines were out, in the second quarter of the way and in the last."""
    late = (out - (np.arange(len(out)) + 1) * load.tick)[warm:]
    quarter = len(late) // 4
    return float(np.median(late[quarter : 2 * quarter])), float(np.median(late[-quarter:]))


def grows(load: Load, late: tuple[float, float]) -> bool:
    """Whether lines are later and later, by more than chance."""
    before, after = late
    return after >= 2 * max(before, load.tick)


def in_process(rate: int, seconds: float = SECONDS, tick: float = TICK) -> Latency:
    """One tick in each batch, begun when the tick is over and the batch before is done."""
    load = Load(rate, tick, round(seconds / tick))
    facts, ends = load.facts(), ends_of(load.ticks, None)
    engine = Engine(parse(TURBINE))
    counts: Counter[str] = Counter()
    out, costs = [], []
    batches = list(facts.batches(ends))
    began = time.monotonic()
    for end, table in batches:
        time.sleep(max(0.0, began + (end + 1) * tick - time.monotonic()))
        used = time.process_time()
        log = engine.advance(end, {"Temp": table})["Malf"]
        costs.append(time.process_time() - used)
        out.append(time.monotonic() - began)
        counts.update({e["values"]: e["counts"] for e in pc.value_counts(log["change"]).to_pylist()})
    wrong = compared(hot_in_a_row(facts, load.devices, int(ends[-1])), counts)
    measured, alone = np.array(out)[: load.ticks], queued(load, costs)[: load.ticks]
    late, busy = behind(load, alone), sum(costs) / (len(costs) * tick)
    return Latency(
        rate,
        len(facts),
        spread(load, facts, measured),
        spread(load, facts, alone),
        busy,
        late,
        busy < 1 and not grows(load, late),
        wrong,
    )


def queued(load: Load, costs: Sequence[float]) -> Seconds:
    """When batches are done that take so long, and begin once their tick and the batch before are over."""
    done, out = 0.0, []
    for tick, cost in enumerate(costs):
        done = max(done, (tick + 1) * load.tick) + cost
        out.append(done)
    return np.array(out)


def compared(expected: Counts, counts: Counts) -> str:
    found = {kind: counts[kind] for kind in expected}
    return "" if found == expected else f"there are {expected}, the engine has {found}"


def highest(found: Sequence[Latency]) -> int | None:
    """The highest rate up to which all kept up, with a lag if there is one."""
    last = None
    for each in sorted((each for each in found if each.lag != 0), key=lambda each: each.rate):
        if not each.keeps_up:
            break
        last = each.rate
    return last
