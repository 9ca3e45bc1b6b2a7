"""One workload, run and measured: CPU seconds of this process, and what the engine holds at the end."""

from __future__ import annotations

import gc
import time
from collections import Counter
from dataclasses import dataclass

import numpy as np
import polars as pl
import pyarrow.compute as pc

from antelog import Engine, parse
from benchmarks.workloads import WORKLOADS, Input, Workload


@dataclass(frozen=True)
class Measured:
    """What a run took and gave: `seconds` for the batches, `limit` for grouping the same rows once.

    `late` is what late batches cost in proportion to early ones, where that is asked; `state` is
    how many facts and bytes the engine held after the early ones and after the late ones. `wrong`
    is empty if the changes are those that were counted without the engine.
    """

    name: str
    facts: int
    changes: int
    seconds: float
    limit: float
    late: float | None
    state: tuple[tuple[int, int], ...]
    wrong: str

    @property
    def rate(self) -> float:
        """Facts per CPU second."""
        return self.facts / self.seconds

    @property
    def to_limit(self) -> float:
        """How many times as long it took as grouping the rows."""
        return self.seconds / self.limit


def measure(name: str, scale: float) -> Measured:
    workload = WORKLOADS[name]
    given = workload.prepare(scale)
    limit = group_by_seconds(given)
    engine = Engine(parse(given.program), only=workload.only, static=given.static)
    (query,) = engine.plan.queries
    marks = _marks(workload, len(given.ends))
    counts: Counter[str] = Counter()
    seconds, state = [], []
    gc.collect()
    for number, (end, batch) in enumerate(given.facts.batches(given.ends), 1):
        began = time.process_time()
        log = engine.advance(end, {given.facts.predicate: batch})[query.name]
        seconds.append(time.process_time() - began)
        counts.update({e["values"]: e["counts"] for e in pc.value_counts(log["change"]).to_pylist()})
        if number in marks:
            status = engine.status
            state.append((status.state_rows, status.state_bytes))
    expected = {kind: count for kind, count in given.expected.items() if kind in workload.only}
    found = {kind: counts[kind] for kind in expected}
    return Measured(
        name,
        len(given.facts),
        counts.total(),
        sum(seconds),
        limit,
        _late(workload, seconds),
        tuple(state),
        "" if found == expected else f"there are {expected}, the engine has {found}",
    )


def group_by_seconds(given: Input) -> float:
    """What Polars needs to group the same rows once, by everything but their arrival."""
    frame = pl.DataFrame(given.facts.table())
    keys = [name for name in frame.columns if name != "arrival"]
    began = time.process_time()
    frame.group_by(keys).agg(pl.col("arrival").min())
    return time.process_time() - began


def _late(workload: Workload, seconds: list[float]) -> float | None:
    """The median cost of late batches, in proportion to that of early ones."""
    if workload.compare is None:
        return None
    early, late = (
        np.median([seconds[i] for i in range(*_batches(share, len(seconds)))])
        for share in (workload.compare.early, workload.compare.late)
    )
    return float(late / early)


def _marks(workload: Workload, count: int) -> set[int]:
    """After how many batches to look at what is kept."""
    compare = workload.compare
    return {_batches(share, count)[1] for share in (compare.early, compare.late)} if compare else {count}


def _batches(share: tuple[float, float], count: int) -> tuple[int, int]:
    first = int(share[0] * count)
    return first, max(first + 1, int(share[1] * count))
