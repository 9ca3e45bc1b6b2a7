"""The arrivals of rows, and the earliest one, at which time begins.

Temp: a, low, 7     has no arrival of its own, so it arrives at 7; or at 9, if 8 is finished already
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from antelog.arrow.ticks import LAST, ticks_of
from antelog.engine.facts.admission import admit, arrivals
from antelog.engine.values.values import Values
from antelog.run.clock import NOTHING
from antelog.spark.job.job import ARRIVED, Job

_FEW = 1_000
"""The first rows looked at, among which there is most likely a fact."""


def with_arrival(job: Job, name: str, facts: pa.Table, now: int, latest: int | None = None) -> pa.Table:
    """Rows of an input with the ticks they arrive at, when the tick `now` is finished.

    Rows without an arrival get one by `admission.arrivals`, by the wall clock at `latest`.
    """
    if ARRIVED in facts.column_names:
        return facts
    time = ticks_of(facts.column(job.inputs[name].columns[-1]), job.plan.timescale)
    arrival = np.where(time.whole, arrivals(time.numbers, now, latest), now + 1)
    return facts.append_column(ARRIVED, pa.array(arrival, pa.int64()))


def earliest(job: Job, name: str, facts: pa.Table) -> int | None:
    """The tick of the earliest arrival among the rows that are not set aside."""
    table = with_arrival(job, name, facts, NOTHING)
    arrival = ticks_of(table.column(ARRIVED), job.plan.timescale)
    rows = np.flatnonzero(arrival.whole & (arrival.numbers >= 0) & (arrival.numbers <= LAST))
    rows = rows[np.argsort(arrival.numbers[rows], kind="stable")]
    start, size = 0, _FEW
    while start < len(rows):
        some = table.take(pa.array(rows[start : start + size]))
        found = admit(job.plan, {name: some}, Values(), -1, LAST, arrival=ARRIVED).facts[name]
        if found.count:
            return int(found.arrival.min())
        start, size = start + size, 2 * size
    return None
