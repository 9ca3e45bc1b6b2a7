"""Rows that have been read and wait until their tick is finished; they leave in batches, by arrival.

Recorded facts pass through a window of `ROOM` rows. If there are more, no row may come after its half of the
window has been handed on.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from antelog.arrow.arrays import from_blob, to_blob
from antelog.engine.columns.tables import Column
from antelog.files import ARRIVAL, LINE, Reject
from antelog.files.cells import part, stacked
from antelog.language.moments import Timescale
from antelog.run.sinks.result import reject_of
from antelog.run.store import StoredRows

ROOM = 2_000_000
"""Rows that are held at a time, or those of one tick if they are more."""

STEP = 200_000
"""Rows of a batch, or those of one tick if they are more."""


@dataclass(frozen=True, eq=False)
class QueuedRows:
    """Rows of one input, and for each the number of its file."""

    table: pa.Table
    files: Column

    @property
    def count(self) -> int:
        return len(self.files)

    @property
    def arrivals(self) -> Column:
        arrivals: Column = self.table.column(ARRIVAL).to_numpy()
        return arrivals

    @property
    def lines(self) -> Column:
        lines: Column = self.table.column(LINE).to_numpy()
        return lines

    def between(self, first: int, last: int) -> QueuedRows:
        return QueuedRows(part(self.table, first, last), self.files[first:last])


def joint_rows(parts: Sequence[QueuedRows]) -> QueuedRows:
    tables, files = [each.table for each in parts], [each.files for each in parts]
    return parts[0] if len(parts) == 1 else QueuedRows(stacked(tables), np.concatenate(files))


@dataclass(frozen=True, eq=False)
class DueRows:
    """Rows of each input that arrive up to the tick `now`, by arrival; `names` are those of files."""

    now: int
    rows: Mapping[str, QueuedRows]
    names: Sequence[str] = ()

    @property
    def facts(self) -> dict[str, pa.Table]:
        """The rows as the engine takes them."""
        return {name: each.table.drop_columns([LINE]) for name, each in self.rows.items()}

    @property
    def first(self) -> int | None:
        """The tick of the first arrival."""
        return min((int(each.arrivals[0]) for each in self.rows.values()), default=None)

    def between(self, after: int, now: int) -> DueRows:
        """The rows that arrive after a tick, up to another."""
        rows = {}
        for name, each in self.rows.items():
            first, last = np.searchsorted(each.arrivals, [after, now], "right").tolist()
            if last > first:
                rows[name] = each.between(first, last)
        return DueRows(now, rows, self.names)

    def rejects(self, found: pa.Table, timescale: Timescale | None) -> list[Reject]:
        """The rejects in `engine.last_rejects`, with their files and lines."""
        lines = {name: self.rows[name].lines for name in set(found.column("input").to_pylist())}
        return [
            reject_of(row, self.names[self.rows[name].files[number]], int(lines[name][number]), timescale)
            for row in found.to_pylist()
            for name, number in [(row["input"], row["row"])]
        ]


@dataclass(eq=False)
class _Queue:
    """The waiting rows of one input: some by arrival, and those that came since."""

    ordered: QueuedRows | None = None
    new: list[QueuedRows] = field(default_factory=list)
    count: int = 0

    def add(self, rows: QueuedRows) -> None:
        self.new.append(rows)
        self.count += rows.count

    def rows(self) -> QueuedRows | None:
        """All rows by arrival; those of one tick in the order in which they came."""
        if self.new:
            known = [] if self.ordered is None else [self.ordered]
            rows, self.new = joint_rows([*known, *self.new]), []
            if np.any(rows.arrivals[1:] < rows.arrivals[:-1]):
                order = np.argsort(rows.arrivals, kind="stable")
                rows = QueuedRows(rows.table.take(pa.array(order)), rows.files[order])
            self.ordered = rows
        return self.ordered

    def drop(self, count: int) -> None:
        """Removes the first rows, which have been handed on."""
        assert self.ordered is not None
        self.count -= count
        self.ordered = self.ordered.between(count, self.ordered.count) if self.count else None


class WaitingRows:
    """The waiting rows of each input."""

    def __init__(self) -> None:
        self._queues: dict[str, _Queue] = {}
        self._files: dict[str, int] = {}
        self._names: list[str] = []

    @property
    def last(self) -> int:
        """The tick in which the last row arrives; -1 if there is none."""
        return max((int(rows.arrivals[-1]) for _, rows in self._ordered()), default=-1)

    def count(self, name: str) -> int:
        return self._queues[name].count if name in self._queues else 0

    def add(self, name: str, file: str, table: pa.Table) -> None:
        if not table.num_rows:
            return
        if file not in self._files:
            self._files[file] = len(self._names)
            self._names.append(file)
        numbers = np.full(table.num_rows, self._files[file], np.int64)
        self._queues.setdefault(name, _Queue()).add(QueuedRows(table, numbers))

    def batch(self, now: int, step: int | None = None) -> DueRows:
        """Takes the rows that arrive up to a tick, or to one before it if there are many."""
        step = step or STEP
        ordered = self._ordered()
        due = {name: int(np.searchsorted(rows.arrivals, now, "right")) for name, rows in ordered}
        if sum(due.values()) > step:
            everything = np.sort(np.concatenate([rows.arrivals[: due[name]] for name, rows in ordered]))
            now = int(everything[step - 1])
            due = {name: int(np.searchsorted(rows.arrivals, now, "right")) for name, rows in ordered}
        found = {name: rows.between(0, due[name]) for name, rows in ordered if due[name]}
        for name, rows in found.items():
            self._queues[name].drop(rows.count)
        return DueRows(now, found, self._names)

    def until_gap(self, now: int, finished: int, longest: int) -> tuple[int, bool]:
        """The tick up to which rows are no more than `longest` ticks apart, and whether a gap comes first.

        Then it is the last tick before the next row.
        """
        arrived = [rows.arrivals[:STEP] for _, rows in self._ordered()]
        known = min((int(each[-1]) for each in arrived if len(each) == STEP), default=finished)
        until = min(finished, known)
        ticks = np.sort(np.concatenate([np.array([now, until], np.int64), *arrived]))
        ticks = ticks[(ticks >= now) & (ticks <= until)]
        gaps = np.flatnonzero(np.diff(ticks) > longest)
        if not len(gaps):
            return until, False
        before, after = (int(ticks[gaps[0] + i]) for i in (0, 1))
        if before > now:
            return before, False
        arrive_then = any(bool(np.any(rows.arrivals == after)) for _, rows in self._ordered())
        return (after if after == until and not arrive_then else after - 1), True

    def first(self) -> DueRows:
        """The rows that arrive first, which go on waiting."""
        ordered = self._ordered()
        now = min((int(rows.arrivals[0]) for _, rows in ordered), default=-1)
        found = {
            name: rows.between(0, int(np.searchsorted(rows.arrivals, now, "right"))) for name, rows in ordered
        }
        return DueRows(now, {name: rows for name, rows in found.items() if rows.count}, self._names)

    def window(self, unfinished: Collection[str]) -> int:
        """The tick up to which all rows count as read, given inputs that have more."""
        ordered = dict(self._ordered())
        more = [ordered[name].arrivals for name in unfinished if name in ordered]
        return min((int(arrivals[len(arrivals) // 2]) - 1 for arrivals in more), default=self.last)

    def stored(self) -> list[StoredRows]:
        """All rows, for a state."""
        found = []
        for name, rows in self._ordered():
            for number in np.unique(rows.files).tolist():
                table = rows.table.filter(pa.array(rows.files == number))
                found.append(StoredRows(name, self._names[number], to_blob(table)))
        return found

    def restore(self, parts: Sequence[StoredRows]) -> None:
        """Adds the rows of a state."""
        for each in parts:
            self.add(each.input, each.file, from_blob(each.content))

    def _ordered(self) -> list[tuple[str, QueuedRows]]:
        found = [(name, queue.rows()) for name, queue in self._queues.items()]
        return [(name, rows) for name, rows in found if rows is not None]
