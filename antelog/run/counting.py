"""Counts of each input: facts, how late they are, and rows that were set aside.

7 facts, the newest about tick 9; 5 of them at once, 2 a tick late
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

import msgspec
import numpy as np
import pyarrow as pa

from antelog.compile.nodes.plan import Input
from antelog.engine.columns.tables import Column
from antelog.files import ARRIVAL, Reject

_BINS = 60
"""Of a long delay so many parts are counted."""


class Count(msgspec.Struct):
    """The counts of one input; `late` has them by how many ticks late facts were."""

    facts: int = 0
    newest: int | None = None
    late: dict[int, int] = {}
    rejects: dict[str, int] = {}


class InputCounts:
    """Counts by input, from the start or from a state on."""

    def __init__(self, inputs: Iterable[Input], known: dict[str, Count] | None = None) -> None:
        self._inputs = {source.name: source for source in inputs}
        self.each = {name: (known or {}).get(name) or Count() for name in self._inputs}

    def add(self, name: str, table: pa.Table) -> None:
        """Rows with their arrivals."""
        if not table.num_rows:
            return
        count, source = self.each[name], self._inputs[name]
        time: Column = table.column(source.columns[-1]).to_numpy()
        count.facts += table.num_rows
        count.newest = max(count.newest or 0, int(time.max()))
        bound = max(source.delays)
        width = -(-(bound + 1) // _BINS)
        late = np.clip(table.column(ARRIVAL).to_numpy() - time, 0, bound + 1) // width
        for at, more in enumerate(np.bincount(late).tolist()):
            if more:
                count.late[at * width] = count.late.get(at * width, 0) + more

    def add_rejects(self, rejects: Iterable[Reject]) -> None:
        for (name, reason), more in Counter((each.predicate, each.reason) for each in rejects).items():
            known = self.each[name].rejects
            known[reason] = known.get(reason, 0) + more

    def status(self) -> dict[str, Any]:
        """As the feed has it."""
        return {
            name: {
                "facts": count.facts,
                "newest": count.newest,
                "delay": max(self._inputs[name].delays),
                "late": count.late,
                "rejects": count.rejects,
            }
            for name, count in self.each.items()
        }
