"""The facts of several files in the order in which they arrived.

Files that together have no more than `ROOM` rows are sorted in memory, whatever their order.
Larger ones pass through a window of that many rows: they must be sorted by arrival at least so
far that no row comes after its half of the window has been handed on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from antelog.engine.columns.tables import Column
from antelog.errors import DataError
from antelog.files.cells import part, stacked
from antelog.files.columns import ARRIVAL, LINE

ROOM = 2_000_000
"""How many rows are held at a time, or those of one tick if they are more."""

STEP = 200_000
"""How many rows a batch has, or those of one tick if they are more."""


@dataclass(frozen=True, eq=False)
class Batch:
    """The facts that arrived after the last batch, up to and including a tick; sorted by arrival.

    `lines` are the lines of their files they come from.
    """

    now: int
    facts: Mapping[str, pa.Table]
    lines: Mapping[str, Column]


@dataclass(frozen=True)
class End:
    """The last tick, if one is given, and who is told of what arrived later: an input, rows, their lines."""

    until: int | None = None
    left_out: Callable[[str, pa.Table, Column], None] | None = None


_OPEN = End()


@dataclass(eq=False)
class _Pending:
    """The rows of one input that have been read and not handed on."""

    name: str
    source: Iterator[pa.Table]
    end: End
    tables: list[pa.Table] = field(default_factory=list)
    rows: int = 0
    ended: bool = False

    def fill(self, room: int, done: int) -> None:
        while self.rows < room and not self.ended:
            table = next(self.source, None)
            if table is None:
                self.ended = True
                return
            arrival = table.column(ARRIVAL)
            least = pc.min(arrival).as_py()
            if least <= done:
                raise DataError(
                    f"the facts of {self.name} are too many to be sorted, and not in order: one that arrived "
                    f"at tick {least} comes long after one of tick {done}; sort them by arrival"
                )
            if self.end.until is not None:
                inside = pc.less_equal(arrival, self.end.until)
                if not pc.all(inside).as_py():
                    self._leave_out(table.filter(pc.invert(inside)))
                    table = table.filter(inside)
            if table.num_rows:
                self.tables.append(table)
                self.rows += table.num_rows

    def _leave_out(self, table: pa.Table) -> None:
        if self.end.left_out is not None:
            self.end.left_out(self.name, _without_lines(table), _lines(table))

    def sorted(self) -> pa.Table | None:
        if self.tables:
            table = stacked(self.tables)
            arrival = table.column(ARRIVAL).to_numpy()
            if np.any(arrival[1:] < arrival[:-1]):
                table = table.take(pa.array(np.argsort(arrival, kind="stable")))
            self.tables = [table]
        return self.tables[0] if self.tables else None

    def drop(self, count: int) -> None:
        """Forget the first rows, which have been handed on."""
        self.rows -= count
        self.tables = [part(self.tables[0], count, self.tables[0].num_rows)] if self.rows else []


def batches(
    sources: Mapping[str, Iterator[pa.Table]], end: End = _OPEN, *, room: int = ROOM, step: int = STEP
) -> Iterator[Batch]:
    """The facts of tables in the order of their arrival, each in the batch of its tick.

    Facts that arrive after the end are left out. Raises DataError if the tables have too many
    rows to be sorted and are too far from the order of arrival.
    """
    pending = [_Pending(name, source, end) for name, source in sources.items()]
    share = max(1, room // max(1, len(pending)))
    done = -1
    while True:
        for each in pending:
            each.fill(share, done)
        ready = {each.name: table for each in pending if (table := each.sorted()) is not None}
        if not ready:
            return
        finished = _end(pending, ready)
        if finished <= done:
            share *= 2  # one tick alone fills the window
            continue
        counts = {n: int(np.searchsorted(_arrivals(t), finished, "right")) for n, t in ready.items()}
        yield from _cut({n: part(t, 0, counts[n]) for n, t in ready.items() if counts[n]}, step)
        done = finished
        for each in pending:
            each.drop(counts.get(each.name, 0))


def _lines(table: pa.Table) -> Column:
    lines: Column = table.column(LINE).to_numpy()
    return lines


def _without_lines(table: pa.Table) -> pa.Table:
    return table.select([name for name in table.column_names if name != LINE])


def _arrivals(table: pa.Table) -> Column:
    arrivals: Column = table.column(ARRIVAL).to_numpy()
    return arrivals


def _end(pending: list[_Pending], ready: Mapping[str, pa.Table]) -> int:
    """The tick up to which everything that arrived is taken to have been read."""
    open_ = [_arrivals(ready[each.name]) for each in pending if not each.ended]
    if not open_:
        return max(int(_arrivals(table)[-1]) for table in ready.values())
    return min(int(arrivals[len(arrivals) // 2]) - 1 for arrivals in open_)


def _cut(facts: Mapping[str, pa.Table], step: int) -> Iterator[Batch]:
    """Batches of so many rows, if ticks allow it."""
    everything = np.sort(np.concatenate([np.zeros(0, np.int64), *map(_arrivals, facts.values())]))
    before = 0
    while before < len(everything):
        now = int(everything[min(before + step, len(everything)) - 1])
        facts_now = {}
        for name, table in facts.items():
            arrivals = _arrivals(table)
            first = np.searchsorted(arrivals, everything[before], "left")
            last = np.searchsorted(arrivals, now, "right")
            if last > first:
                facts_now[name] = part(table, int(first), int(last))
        lines = {name: _lines(table) for name, table in facts_now.items()}
        yield Batch(now, {name: _without_lines(table) for name, table in facts_now.items()}, lines)
        before = int(np.searchsorted(everything, now, "right"))
