"""Rows that have been read, and arrive in a tick that is not over yet.

waiting.add("Temp", "temp.csv", table)   rows that arrive at 7 and at 9
waiting.taken(8)                         those at 7, for the engine; those at 9 stay
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from antelog.engine.columns.tables import Column
from antelog.files import ARRIVAL, LINE, Reject
from antelog.files.cells import stacked
from antelog.telling.set_aside import Places, from_engine


@dataclass(frozen=True, eq=False)
class _Part:
    file: str
    table: pa.Table


class FilesOf:
    """The file of each row; it is found only for the few that are asked for."""

    def __init__(self, parts: Sequence[_Part], order: Column | None) -> None:
        self._names = [part.file for part in parts]
        self._ends = np.cumsum([part.table.num_rows for part in parts])
        self._order = order

    def __getitem__(self, row: int) -> str:
        at = row if self._order is None else int(self._order[row])
        return self._names[int(np.searchsorted(self._ends, at, "right"))]


@dataclass(frozen=True, eq=False)
class Taken:
    """Facts for a step, and for each the line it is from, and which of the `files`."""

    facts: Mapping[str, pa.Table]
    lines: Mapping[str, Column]
    files: Mapping[str, FilesOf]

    def rejects(self, found: pa.Table, tick: int | None) -> list[Reject]:
        """What the engine set aside of them, by its `last_rejects`; `tick` is the length of one."""
        if not found.num_rows:
            return []
        rows = zip(found.column("input").to_pylist(), found.column("row").to_pylist(), strict=True)
        each = from_engine(found, Places(dict.fromkeys(self.facts, ""), tick), self.lines)
        return [
            replace(reject, file=self.files[name][row])
            for reject, (name, row) in zip(each, rows, strict=True)
        ]


@dataclass(eq=False)
class Waiting:
    """For each input the rows that wait, in the order in which they were read."""

    parts: dict[str, list[_Part]] = field(default_factory=dict)

    @property
    def last(self) -> int:
        """The tick in which the last of them arrives; -1 if there are none."""
        each = (part.table.column(ARRIVAL) for parts in self.parts.values() for part in parts)
        return max((pc.max(column).as_py() for column in each), default=-1)

    def add(self, name: str, file: str, table: pa.Table) -> None:
        if table.num_rows:
            self.parts.setdefault(name, []).append(_Part(file, table))

    def taken(self, now: int) -> Taken:
        """Those that arrive up to a tick, by arrival. They wait no longer."""
        facts, lines, files = {}, {}, {}
        for name, parts in list(self.parts.items()):
            arrived: list[_Part] = []
            left: list[_Part] = []
            for part in parts:
                here = pc.less_equal(part.table.column(ARRIVAL), now)
                for mask, which in ((here, arrived), (pc.invert(here), left)):
                    if (some := part.table.filter(mask)).num_rows:
                        which.append(_Part(part.file, some))
            self.parts[name] = left
            if arrived:
                table, order = _by_arrival(stacked([part.table for part in arrived]))
                lines[name] = table.column(LINE).to_numpy()
                facts[name] = table.drop_columns([LINE])
                files[name] = FilesOf(arrived, order)
        return Taken(facts, lines, files)

    def to_bytes(self) -> list[tuple[str, str, bytes]]:
        """Input, file and rows of each part, for a state."""
        return [
            (name, part.file, _packed(part.table)) for name, parts in self.parts.items() for part in parts
        ]

    @classmethod
    def from_bytes(cls, parts: list[tuple[str, str, bytes]]) -> Waiting:
        found = cls()
        for name, file, content in parts:
            found.add(name, file, pa.ipc.open_stream(content).read_all())
        return found


def _by_arrival(table: pa.Table) -> tuple[pa.Table, Column | None]:
    arrival: Column = table.column(ARRIVAL).to_numpy()
    if not np.any(arrival[1:] < arrival[:-1]):
        return table, None
    order = np.argsort(arrival, kind="stable")
    return table.take(pa.array(order)), order


def _packed(table: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    packed: bytes = sink.getvalue().to_pybytes()
    return packed
