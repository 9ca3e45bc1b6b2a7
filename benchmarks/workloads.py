"""What is measured: programs, streams, batches, and the changes that must come out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks import counting
from benchmarks.counting import Counts
from benchmarks.streams import DELAY, Facts, Numbers, hops, numbered, readings, starts, trips

TURBINE = """
input Temp(device, level, time) delay 2.
Flag(X, T)   :- Temp(X, high, T).
Cool(X, T+1) :- Flag(X, T), Flag(X, T+1).
Shdn(X, T+1) :- Cool(X, T), Flag(X, T+1).
Malf(X, T-2) :- Shdn(X, T).
query Malf(X, T).
"""

ODDS = "chance Temp(_, high, _) = 30%.\n"
"""As the stream of turbines is made: a reading is hot with 30 %, whatever the one before was."""

NEGATION = """
input Temp(device, level, time) delay 2.
static Turbine(device).
Flag(X, T)   :- Temp(X, high, T).
Cool(X, T+1) :- Flag(X, T), Flag(X, T+1).
Shdn(X, T+1) :- Cool(X, T), Flag(X, T+1).
OK(X, T-2)   :- Turbine(X), not Shdn(X, T).
query OK(X, T).
"""

RELAY = """
input Heard(node, message, time) delay 2.
Relay(A, B, T) :- Heard(A, M, T), Heard(B, M, T+1), A != B.
query Relay(A, B, T).
"""

CASCADE = """
input Trip(device, time) delay 2.
static Feeds(device, other).
Cascade(X, Y, T) :- Trip(X, T), Feeds(X, Y), Trip(Y, T+1).
query Cascade(X, Y, T).
"""

WINDOW = """
input Beat(device, time) delay 2.
Pair(X, T) :- Beat(X, T), Beat(X, T+{window}).
query Pair(X, T).
"""

ALL = ("possible", "revised", "confirmed", "rejected")
CONFIRMED = ("confirmed",)

Static = Mapping[str, Sequence[tuple[str, ...]]]


@dataclass(frozen=True)
class Input:
    """A stream ready to be fed: the facts, the ticks at which batches end, and what must come out."""

    program: str
    facts: Facts
    ends: Numbers
    expected: Counts
    static: Static


@dataclass(frozen=True)
class Comparison:
    """Early and late batches, as shares of the way, and how many times as much the late may cost."""

    early: tuple[float, float]
    late: tuple[float, float]
    target: float


FLAT = Comparison((0.01, 0.11), (0.88, 0.98), 1.15)
FULL = Comparison((0.01, 0.05), (0.95, 0.99), 5.0)


@dataclass(frozen=True)
class Workload:
    """A stream for a program, the kinds of changes asked for, and how fast it is meant to be.

    `target` is in facts per CPU second. A workload without compares batches late in its run with
    early ones: those between two shares of the way, and what they may cost in proportion.
    """

    name: str
    what: str
    only: tuple[str, ...]
    target: int | None
    prepare: Callable[[float], Input]
    compare: Comparison | None = None


def size(scale: float, full: int, least: int = 8) -> int:
    return max(least, round(full * scale))


def ends_of(ticks: int, batches: int | None) -> Numbers:
    """The last ticks of so many batches (None: one for each tick); all answers are settled at the last."""
    last = ticks + DELAY + 3
    return np.arange(last + 1) if batches is None else np.linspace(last / batches, last, batches).astype(int)


def turbines(scale: float, devices: int, ticks: int, batches: int | None) -> Input:
    """`scale` changes the number of devices, and with one tick per batch that of the ticks."""
    if batches is None:
        ticks = size(scale, ticks)
    else:
        devices = size(scale, devices)
    facts = readings(1, devices, ticks, ("high", "low"), (0.3, 0.7))
    ends = ends_of(ticks, batches)
    return Input(TURBINE, facts, ends, hot_in_a_row(facts, devices, int(ends[-1])), {})


def hot_in_a_row(facts: Facts, devices: int, until: int, delay: int = DELAY) -> Counts:
    """Changes of the turbines' answers up to a tick."""
    return counting.in_a_row(_high(facts, devices, until), (0, 1, 2), until, delay)


def negation(scale: float) -> Input:
    devices = size(scale, 1_000)
    facts = readings(1, devices, 2_000, ("high", "low"), (0.3, 0.7))
    ends = ends_of(2_000, 20)
    arrived = _high(facts, devices, int(ends[-1]))
    expected = counting.not_in_a_row(arrived, (0, 1, 2), ends[-1])
    return Input(NEGATION, facts, ends, expected, {"Turbine": [(name,) for name in _texts("wt", devices)]})


def _high(facts: Facts, devices: int, until: int) -> Numbers:
    high = facts.take(facts.objects[1] == 0)
    return counting.first_arrivals(high, devices, until + 1, until)


def relay(scale: float) -> Input:
    facts = hops(2, 1_000, size(scale, 300_000), size(scale, 1_000_000), 2_000)
    return Input(RELAY, facts, ends_of(2_003, 20), counting.relayed(facts), {})


def cascade(scale: float) -> Input:
    devices = size(scale, 1_000)
    facts = trips(3, devices, 2_000, 0.5)
    feeds = [(i, (i + step) % devices) for i in range(devices) for step in (1, 3, 7)]
    names = _texts("d", devices)
    static = {"Feeds": [(names[i], names[j]) for i, j in feeds]}
    return Input(CASCADE, facts, ends_of(2_000, 20), counting.cascaded(facts, feeds), static)


def window(scale: float) -> Input:
    """Each tick opens answers that stay open for the whole window; at its end the window is full."""
    wide = size(scale, 1_000, least=50)
    devices = size(scale, 1_000)
    facts = starts(4, devices, wide + 100)
    ends = np.arange(wide + 100)
    arrived = counting.first_arrivals(facts, devices, len(ends), int(ends[-1]))
    expected = counting.in_a_row(arrived, (0, wide), int(ends[-1]))
    return Input(WINDOW.format(window=wide), facts, ends, expected, {})


def _texts(prefix: str, count: int) -> list[str]:
    return [str(name) for name in numbered(prefix, count)]


def workloads() -> Iterator[Workload]:
    def usual(scale: float) -> Input:
        return turbines(scale, 1_000, 2_000, 20)

    def single_ticks(scale: float) -> Input:
        return turbines(scale, 1_000, 2_000, None)

    def long(scale: float) -> Input:
        return turbines(scale, 100, 20_000, 200)

    yield Workload("turbines", "three hot readings in a row, all changes", ALL, 1_000_000, usual)
    yield Workload("turbines-confirmed", "the same, confirmed answers only", CONFIRMED, 2_000_000, usual)
    yield Workload("turbines-ticks", "the same, all changes, one tick per batch", ALL, 300_000, single_ticks)
    yield Workload("negation", "not three hot readings in a row, all changes", ALL, 500_000, negation)
    yield Workload("relay", "a join that leaves a variable open, all changes", ALL, 300_000, relay)
    yield Workload("cascade", "a join over static neighbours, all changes", ALL, 300_000, cascade)
    yield Workload("flat", "20,000 ticks: the last tenth against the first", ALL, None, long, FLAT)
    yield Workload("window", "one tick per batch: full window against empty state", ALL, None, window, FULL)


WORKLOADS = {workload.name: workload for workload in workloads()}
