"""The streams whose size is varied: programs, facts, and the changes that must come out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from benchmarks import counting
from benchmarks.counting import Counts
from benchmarks.streams import DELAY, Facts, Numbers, arriving, numbered, readings, starts
from benchmarks.workloads import ALL, TURBINE, WINDOW, ends_of, hot_in_a_row

LEVELS, SHARES = ("high", "low"), (0.3, 0.7)
HIGH = 0
"""The number of the level `high`."""

SENSORS = "input Reading(device, sensor, time) delay 2.\n"


@dataclass(frozen=True)
class Source:
    """A program and the batches to feed it. How many changes there must be is asked when all were taken."""

    program: str
    predicate: str
    batches: Iterator[tuple[int, pa.Table]]
    expected: Callable[[], Counts]
    only: tuple[str, ...] = ALL


def source(program: str, facts: Facts, ends: Numbers, expected: Callable[[], Counts]) -> Source:
    return Source(program, facts.predicate, facts.batches(ends), expected)


def turbines(devices: int, ticks: int, ends: Numbers, delay: int = DELAY) -> Source:
    """Three high readings in a row, of which facts may be so many ticks late."""
    facts = readings(1, devices, ticks, LEVELS, SHARES, delay)
    program = TURBINE.replace("delay 2", f"delay {delay}")
    return source(program, facts, ends, lambda: hot_in_a_row(facts, devices, int(ends[-1]), delay))


def distant(devices: int, ticks: int, window: int) -> Source:
    """Two facts that are so many ticks apart."""
    facts, ends = starts(4, devices, ticks), ends_of(ticks, None)
    return source(WINDOW.format(window=window), facts, ends, lambda: beats(facts, devices, ends, (0, window)))


def unbroken(devices: int, ticks: int, length: int) -> Source:
    """So many high readings in a row, where most are high."""
    facts = readings(1, devices, ticks, LEVELS, (0.9, 0.1))
    ends = ends_of(ticks, 20)
    body = ", ".join(f"Temp(X, high, T+{i})" for i in range(length))
    program = f"input Temp(device, level, time) delay 2.\nRun(X, T) :- {body}.\nquery Run(X, T).\n"
    high = facts.take(facts.objects[1] == HIGH)
    return source(program, high, ends, lambda: beats(high, devices, ends, range(length)))


def beats(facts: Facts, devices: int, ends: Numbers, offsets: tuple[int, ...] | range) -> Counts:
    until = int(ends[-1])
    return counting.in_a_row(counting.first_arrivals(facts, devices, until + 1, until), offsets, until)


def alternatives(devices: int, ticks: int, levels: int, *, one_query: bool) -> Source:
    """The same level twice in a row: for each level a pattern of one query, or a query of its own."""
    names = tuple(f"l{i}" for i in range(levels))
    facts, ends = readings(1, devices, ticks, names, (1 / levels,) * levels), ends_of(ticks, 5)
    heads = ["Same"] * levels if one_query else [f"Same{i}" for i in range(levels)]
    rules = [
        f"{head}(X, T) :- Temp(X, {name}, T), Temp(X, {name}, T+1)."
        for head, name in zip(heads, names, strict=True)
    ]
    queries = [f"query {head}(X, T)." for head in dict.fromkeys(heads)]
    program = "\n".join(["input Temp(device, level, time) delay 2.", *rules, *queries])

    def expected() -> Counts:
        total: Counter[str] = Counter()
        for level in range(levels):
            total.update(beats(facts.take(facts.objects[1] == level), devices, ends, (0, 1)))
        # One answer may be possible for two levels at once; it is confirmed for one of them only.
        return {"confirmed": total["confirmed"]} if one_query else dict(total)

    return source(program, facts, ends, expected)


def chained(devices: int, ticks: int, rules: int) -> Source:
    """Rules each of which rests on the one before, over what is high."""
    facts, ends = readings(1, devices, ticks, LEVELS, SHARES), ends_of(ticks, 5)
    chain = [f"P{i}(X, T) :- P{i - 1}(X, T)." for i in range(1, rules)]
    base = ["input Temp(device, level, time) delay 2.", "P0(X, T) :- Temp(X, high, T)."]
    high = facts.take(facts.objects[1] == HIGH)
    program = "\n".join([*base, *chain, f"query P{rules - 1}(X, T)."])
    return source(program, facts, ends, lambda: beats(high, devices, ends, (0,)))


def crowded(ticks: int, sensors: int, body: str, expected: Callable[[Facts], Counts]) -> Source:
    """One device with half of the facts: so many in each tick. Every other fact has a device of its own."""
    number = np.tile(np.arange(2 * sensors), ticks)
    device = np.where(number < sensors, 0, number)
    names = (("sensor", numbered("s", 2 * sensors)), ("device", numbered("d", 2 * sensors)))
    time = np.repeat(np.arange(ticks), 2 * sensors)
    facts = arriving(np.random.default_rng(5), "Reading", (number, device), names, time)
    head = body.partition(" :-")[0]
    return source(f"{SENSORS}{body}\nquery {head}.\n", facts, ends_of(ticks, None), lambda: expected(facts))


NEAR = """input Event(device, kind, time) delay 2.
Stopped(X, T) :- Event(X, start, T), Event(X, stop, U), T < U, U <= T+3.
query Stopped(X, T).
"""
START, STOP = 0, 1
IN_TIME = 3


def near_misses(count: int) -> Source:
    """Starts and stops of one device: a tenth of the stops comes just in time, all others a tick later."""
    pairs = count // 2
    begin = 10 * np.arange(pairs)
    time = np.concatenate([begin, begin + np.where(np.arange(pairs) % 10 == 0, IN_TIME, IN_TIME + 1)])
    kind = np.repeat([START, STOP], pairs)
    names = (("device", numbered("d", 1)), ("kind", np.array(["start", "stop"])))
    facts = arriving(np.random.default_rng(6), "Event", (np.zeros_like(kind), kind), names, time)
    return source(NEAR, facts, ends_of(10 * pairs, 5), lambda: stopped(facts))


def stopped(facts: Facts) -> Counts:
    """Starts with a stop in time: how many stops there are up to that tick, less those up to the start."""
    kind, stops = facts.objects[1], np.sort(facts.time[facts.objects[1] == STOP])
    start = facts.time[kind == START]
    between = np.searchsorted(stops, start + IN_TIME, "right") - np.searchsorted(stops, start, "right")
    return {"confirmed": int(np.count_nonzero(between))}


FAST = """input Pay(card, payment, time) delay 2.
Fast(C, P, T) :- Pay(C, P, T), count(Pay(C, _, T-{window}..T)) >= {least}.
query Fast(C, P, T).
"""


def counted(count: int, cards: int, ticks: int, window: int, least: int) -> Source:
    """Payments of cards that have at least so many within a window."""
    random = np.random.default_rng(7)
    card, time = random.integers(0, cards, count), np.sort(random.integers(0, ticks, count))
    names = (("card", numbered("c", cards)), ("payment", numbered("p", count)))
    facts = arriving(random, "Pay", (card, np.arange(count)), names, time)
    program = FAST.format(window=window, least=least)
    return source(program, facts, ends_of(ticks, 20), lambda: within_windows(facts, window, least))


def within_windows(facts: Facts, window: int, least: int) -> Counts:
    """Facts with so many of their card up to so many ticks before them."""
    span = int(facts.time.max()) + window + 1
    own = facts.objects[0] * span + facts.time + window
    at = np.sort(own)
    there = np.searchsorted(at, own, "right") - np.searchsorted(at, own - window)
    return {"confirmed": int(np.count_nonzero(there >= least))}


def by_sensor(facts: Facts) -> Counts:
    """Sensors with facts in two ticks in a row."""
    ticks = int(facts.time.max()) + 1
    return beats(facts, int(facts.objects[0].max()) + 1, ends_of(ticks, None), (0, 1))


def by_device(facts: Facts) -> Counts:
    """Devices with facts in two ticks in a row: as often confirmed as there are such ticks."""
    devices = replace(facts, objects=facts.objects[::-1])
    return {"confirmed": by_sensor(devices)["confirmed"]}


LEAD = 3
"""So many ticks are silent before each piece of a long stream, so that no answer spans two pieces."""


def endless(devices: int, ticks: int, pieces: int, only: tuple[str, ...] = ALL) -> Source:
    """Three high readings in a row, in a stream that is made and counted piece by piece."""
    total: Counter[str] = Counter()

    def batches() -> Iterator[tuple[int, pa.Table]]:
        begin = 0
        for piece in range(pieces):
            facts = readings(piece, devices, ticks, LEVELS, SHARES)
            facts = replace(facts, time=facts.time + LEAD, arrival=facts.arrival + LEAD)
            last = int(ends_of(ticks + LEAD, 1)[0])
            total.update(hot_in_a_row(facts, devices, last))
            moved = replace(facts, time=facts.time + begin, arrival=facts.arrival + begin)
            yield begin + last, moved.table()
            begin += last + 1

    return Source(TURBINE, "Temp", batches(), lambda: dict(total), only)
