"""Rows that have been read and wait until their tick is finished; they leave in batches, by arrival.

Recorded facts pass through a window of `ROOM` rows; none may come after half of it has been handed on.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from antelog.arrow.arrays import from_blob, to_blob
from antelog.compile.nodes.plan import Plan
from antelog.engine.columns.tables import Column
from antelog.engine.transition import RuleChange
from antelog.files import ARRIVAL, LINE, Reject
from antelog.files.cells import part, stacked
from antelog.language.moments import Timescale
from antelog.run.sinks.result import reject_of
from antelog.run.store.store import StoredRows

ROOM = 2_000_000  # rows that are held at a time, or those of one tick if they are more
STEP = 200_000  # rows of a batch, at most, or those of one tick if they are more
FILE = "the file"  # the name of the column of the numbers of files that rows are from


def arrivals_of(rows: pa.Table) -> Column:
    column = rows.column(ARRIVAL)
    arrivals: Column = (column.chunk(0) if column.num_chunks == 1 else column).to_numpy()
    return arrivals


@dataclass(frozen=True, eq=False)
class DueRows:
    """Rows of each input that arrive up to the tick `now`, by arrival; `names` are those of files."""

    now: int
    rows: Mapping[str, pa.Table]
    names: Sequence[str] = ()

    @property
    def facts(self) -> dict[str, pa.Table]:
        """The rows as the engine takes them."""
        return {name: each.drop_columns([LINE, FILE]) for name, each in self.rows.items()}

    @property
    def count(self) -> int:
        return sum(each.num_rows for each in self.rows.values())

    @property
    def first(self) -> int | None:
        return min((int(arrivals_of(each)[0]) for each in self.rows.values()), default=None)

    def between(self, after: int, now: int) -> DueRows:
        """The rows that arrive after a tick, up to another."""
        rows = {}
        for name, each in self.rows.items():
            first, last = np.searchsorted(arrivals_of(each), [after, now], "right").tolist()
            if last > first:
                rows[name] = part(each, first, last)
        return DueRows(now, rows, self.names)

    def rejects(self, found: pa.Table, timescale: Timescale | None) -> list[Reject]:
        """The rejects in `engine.last_rejects`, with their files and lines; of calls with their functions."""
        places = {
            name: [each.column(column).to_numpy() for column in (FILE, LINE)]
            for name, each in self.rows.items()
        }
        rejects = []
        for row in found.to_pylist():
            file, line, at = row["input"], None, row["row"]
            if at is not None:
                files, lines = places[file]
                file, line = self.names[files[at]], int(lines[at])
            rejects.append(reject_of(row, file, line, timescale))
        return rejects


@dataclass(eq=False)
class _Queue:
    """The waiting rows of one input: some by arrival, and those that came since."""

    ordered: pa.Table | None = None
    new: list[pa.Table] = field(default_factory=list)
    count: int = 0

    def add(self, rows: pa.Table) -> None:
        self.new.append(rows)
        self.count += rows.num_rows

    def rows(self) -> pa.Table | None:
        """All rows by arrival; those of one tick in the order in which they came."""
        if self.new:
            rows = stacked([*([] if self.ordered is None else [self.ordered]), *self.new])
            arrivals, self.new = arrivals_of(rows), []
            # In one piece they are looked at without a copy.
            rows = rows.set_column(rows.schema.get_field_index(ARRIVAL), ARRIVAL, pa.array(arrivals))
            if np.any(arrivals[1:] < arrivals[:-1]):
                rows = rows.take(pa.array(np.argsort(arrivals, kind="stable")))
            self.ordered = rows
        return self.ordered

    def drop(self, count: int) -> None:
        assert self.ordered is not None
        self.count -= count
        self.ordered = part(self.ordered, count, self.ordered.num_rows) if self.count else None


class WaitingRows:
    """The waiting rows of each input."""

    def __init__(self) -> None:
        self._queues: dict[str, _Queue] = {}
        self._files: dict[str, int] = {}
        self._names: list[str] = []

    @property
    def last(self) -> int:
        """The tick in which the last row arrives; -1 if there is none."""
        return max((int(arrivals_of(rows)[-1]) for _, rows in self._ordered()), default=-1)

    def count(self, name: str) -> int:
        return self._queues[name].count if name in self._queues else 0

    def add(self, name: str, file: str, table: pa.Table) -> None:
        if not table.num_rows:
            return
        if file not in self._files:
            self._files[file] = len(self._names)
            self._names.append(file)
        numbers = pa.array(np.full(table.num_rows, self._files[file], np.int64))
        self._queues.setdefault(name, _Queue()).add(table.append_column(FILE, numbers))

    def batch(self, now: int, step: int | None = None) -> DueRows:
        """Takes the rows that arrive up to a tick, or to one before it if there are many."""
        step = min(step or STEP, STEP)
        ordered = self._ordered()
        due = _due(ordered, now)
        if sum(due.values()) > step:
            first = [arrivals_of(rows)[: min(due[name], step)] for name, rows in ordered]
            now = int(np.sort(np.concatenate(first))[step - 1])
            due = _due(ordered, now)
        found = {name: part(rows, 0, due[name]) for name, rows in ordered if due[name]}
        for name, rows in found.items():
            self._queues[name].drop(rows.num_rows)
        return DueRows(now, found, self._names)

    def until_gap(self, now: int, finished: int, longest: int) -> tuple[int, bool]:
        """The tick up to which rows are close, and False; if a gap comes first, its last tick and True."""
        arrived = [arrivals_of(rows)[:STEP] for _, rows in self._ordered()]
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
        arrive_then = any(bool(np.any(arrivals_of(rows) == after)) for _, rows in self._ordered())
        return (after if after == until and not arrive_then else after - 1), True

    def first(self) -> DueRows:
        """The rows that arrive first, which go on waiting."""
        ordered = self._ordered()
        now = min((int(arrivals_of(rows)[0]) for _, rows in ordered), default=-1)
        due = _due(ordered, now)
        found = {name: part(rows, 0, due[name]) for name, rows in ordered if due[name]}
        return DueRows(now, found, self._names)

    def window(self, unfinished: Collection[str]) -> int:
        """The tick up to which all rows count as read, given inputs that have more."""
        ordered = dict(self._ordered())
        more = [arrivals_of(ordered[name]) for name in unfinished if name in ordered]
        return min((int(arrivals[len(arrivals) // 2]) - 1 for arrivals in more), default=self.last)

    def stored(self) -> list[StoredRows]:
        found = []
        for name, rows in self._ordered():
            files = rows.column(FILE).to_numpy()
            for number in np.unique(files).tolist():
                table = rows.filter(pa.array(files == number)).drop_columns([FILE])
                found.append(StoredRows(name, self._names[number], to_blob(table)))
        return found

    def restore(self, parts: Sequence[StoredRows]) -> None:
        for each in parts:
            self.add(each.input, each.file, from_blob(each.content))

    def _ordered(self) -> list[tuple[str, pa.Table]]:
        found = [(name, queue.rows()) for name, queue in self._queues.items()]
        return [(name, rows) for name, rows in found if rows is not None]


def _due(ordered: Sequence[tuple[str, pa.Table]], now: int) -> dict[str, int]:
    return {name: int(np.searchsorted(arrivals_of(rows), now, "right")) for name, rows in ordered}


def waiting_for(waiting: WaitingRows, change: RuleChange, plan: Plan) -> WaitingRows:
    """The waiting rows that are facts of the new rules, with their columns' new names."""
    before = {each.name: each.columns for each in change.old.inputs}
    after = {each.name: each.columns for each in plan.inputs}
    found = WaitingRows()
    for each in waiting.stored():
        old, new = before[each.input], after.get(each.input)
        if new is not None and len(old) == len(new):
            names = dict(zip(old, new, strict=True))
            table = from_blob(each.content)
            table = table.rename_columns([names.get(name, name) for name in table.column_names])
            found.add(each.input, each.file, table)
    return found
