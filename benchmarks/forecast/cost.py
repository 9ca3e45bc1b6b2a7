"""Measures the cost of chances: the turbines of `make bench` without, with declared and with learned ones.

{"facts": 2000000, "changes": 2225057, "plain": 1.9, "declared": 3.8, "learned": 5.2}: CPU seconds

The three take turns, so that a busy machine is busy for each of them; what counts are the medians.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Mapping
from statistics import median

from antelog import Engine, parse
from antelog.process import Engine as Plain
from benchmarks.workloads import ODDS, TURBINE, WORKLOADS, Input

ROUNDS = 3

WAYS: Mapping[str, Callable[[], Plain]] = {
    "plain": lambda: Plain(parse(TURBINE)),
    "declared": lambda: Engine(parse(TURBINE + ODDS)),
    "learned": lambda: Engine(parse(TURBINE), model="learn"),
}


def costs(scale: float = 1.0) -> dict[str, float]:
    """The CPU seconds of each way, and how many facts and changes there were."""
    given = WORKLOADS["turbines"].prepare(scale)
    taken: dict[str, list[float]] = {name: [] for name in WAYS}
    changes = 0
    for _ in range(ROUNDS):
        for name, engine in WAYS.items():
            seconds, changes = _seconds(engine(), given)
            taken[name].append(seconds)
    return {
        "facts": len(given.facts),
        "changes": changes,
        **{name: round(median(seconds), 3) for name, seconds in taken.items()},
    }


def _seconds(engine: Plain, given: Input) -> tuple[float, int]:
    (query,) = engine.plan.queries
    gc.collect()
    seconds, changes = 0.0, 0
    for end, batch in given.facts.batches(given.ends):
        began = time.process_time()
        log = engine.advance(end, {given.facts.predicate: batch})[query.name]
        seconds += time.process_time() - began
        changes += log.num_rows
    return seconds, changes
