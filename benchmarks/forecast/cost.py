"""Measures the cost of chances: streams without chances, with declared and with learned ones.

    turbines  the two million readings of `make bench`, which are high or low
    values    300,000 readings of numbers; a program cannot declare how likely a number is above another

{"facts": 2000000, "changes": 2225057, "plain": 1.9, "declared": 3.8, "learned": 5.2}: CPU seconds

The ways take turns, so that a busy machine is busy for each of them; what counts are the medians.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np
import pyarrow as pa

from antelog import Engine, parse
from antelog.process import Engine as Plain
from benchmarks.workloads import ODDS, TURBINE, WORKLOADS

ROUNDS = 3
Batches = Sequence[tuple[int, pa.Table]]


@dataclass(frozen=True)
class CostStream:
    """A stream: in words, the batches of its only input with their last ticks, and the ways of running it."""

    words: str
    batches: Callable[[float], Batches]
    ways: Mapping[str, Callable[[], Plain]]


def _turbines(scale: float) -> Batches:
    given = WORKLOADS["turbines"].prepare(scale)
    return list(given.facts.batches(given.ends))


VALUES = """
input Reading(device, value: number, time).
Hot(X, T) :- Reading(X, V, T), V >= 90, Reading(X, W, T+1), W >= 90, Reading(X, U, T+2), U >= 90.
query Hot(X, T).
"""
_DEVICES, _TICKS, _STEP = 300, 1_000, 50


def _values(scale: float) -> Batches:
    """Values that go up and down about 85, and come at once."""
    devices, random = max(round(_DEVICES * scale), 1), np.random.default_rng(1)
    value, rows = np.full(devices, 85.0), []
    for _ in range(_TICKS):
        value = 85 + 0.9 * (value - 85) + random.normal(0, 2, devices)
        rows.append(value.round(1))
    names, batches = pa.array([f"d{number}" for number in range(devices)]), []
    for first in range(0, _TICKS, _STEP):
        tick = np.repeat(np.arange(first, first + _STEP), devices)
        device = names.take(pa.array(np.tile(np.arange(devices), _STEP)))
        value_ = np.concatenate(rows[first : first + _STEP])
        batches.append((first + _STEP - 1, pa.table({"device": device, "value": value_, "time": tick})))
    return batches


STREAMS: Mapping[str, CostStream] = {
    "turbines": CostStream(
        "turbines, high or low",
        _turbines,
        {
            "plain": lambda: Plain(parse(TURBINE)),
            "declared": lambda: Engine(parse(TURBINE + ODDS)),
            "learned": lambda: Engine(parse(TURBINE), model="learn"),
        },
    ),
    "values": CostStream(
        "numbers",
        _values,
        {"plain": lambda: Plain(parse(VALUES)), "learned": lambda: Engine(parse(VALUES), model="learn")},
    ),
}

Cost = Mapping[str, float]


def costs(scale: float = 1.0) -> dict[str, Cost]:
    """For each stream the CPU seconds of each way, and how many facts and changes there were."""
    return {name: _costs(stream, scale) for name, stream in STREAMS.items()}


def _costs(stream: CostStream, scale: float) -> Cost:
    batches = stream.batches(scale)
    taken: dict[str, list[float]] = {name: [] for name in stream.ways}
    changes = 0
    for _ in range(ROUNDS):
        for name, engine in stream.ways.items():
            seconds, changes = _seconds(engine(), batches)
            taken[name].append(seconds)
    return {
        "facts": sum(each.num_rows for _, each in batches),
        "changes": changes,
        **{name: round(median(seconds), 3) for name, seconds in taken.items()},
    }


def _seconds(engine: Plain, batches: Batches) -> tuple[float, int]:
    (query,), (source,) = engine.plan.queries, engine.plan.inputs
    gc.collect()
    seconds, changes = 0.0, 0
    for end, batch in batches:
        began = time.process_time()
        log = engine.advance(end, {source.name: batch})[query.name]
        seconds += time.process_time() - began
        changes += log.num_rows
    return seconds, changes
