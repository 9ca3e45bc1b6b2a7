"""Chunks of a file of any format, and their usable rows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import BinaryIO

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from antelog.arrow.ticks import TWICE
from antelog.errors import DataError
from antelog.files.cells import Fault, cells, cells_of_text_file, in_ticks, notes_on, ticks
from antelog.files.columns import ARRIVAL, LINE, WantedColumns
from antelog.files.records import Bad, Block, RowSplitter, pieces
from antelog.files.remote import FilePath
from antelog.files.setting_aside import Reject
from antelog.language.epochs import TICKS
from antelog.language.moments import Timescale


@dataclass(frozen=True, eq=False)
class Chunk:
    """Some rows: the wanted columns (and the arrival, if there is one), and the rows that cannot be read."""

    columns: Sequence[pa.Array]
    lines: Callable[[], NDArray[np.int64]]
    row: Callable[[int], str]
    written: bool = False  # whether every value is a text
    bad: Sequence[Bad] = ()
    misfit: str = ""  # the error if most rows of columns by position are of no use
    arrives: NDArray[np.bool_] | None = None  # which rows have an arrival; None: all, if it has a column


def no_rows(wanted: WantedColumns, bad: Sequence[Bad] = ()) -> Chunk:
    return Chunk([pa.nulls(0)] * len(wanted.columns), lambda: np.zeros(0, np.int64), str, bad=bad)


class RowReader(ABC):
    """Takes the bytes of a file as they come, and gives the whole rows, from a line on."""

    def __init__(self, path: FilePath | str, wanted: WantedColumns, line: int = 1) -> None:
        self._path, self._wanted = path, wanted
        self.lines = RowSplitter(line)

    def feed(self, data: bytes) -> Iterator[Chunk]:
        for block in self.lines.feed(data):
            yield from self._chunks(block)

    def end(self) -> Iterator[Chunk]:
        for block in self.lines.end():
            yield from self._chunks(block)

    def all(self, stream: BinaryIO) -> Iterator[Chunk]:
        for data in pieces(stream, self._path):
            yield from self.feed(data)
        yield from self.end()

    @abstractmethod
    def _chunks(self, block: Block) -> Iterator[Chunk]:
        """The rows of a block."""


@dataclass(frozen=True, eq=False)
class CheckedRows:
    """The usable rows of a chunk, with ticks and lines, and the others."""

    table: pa.Table
    arrives: NDArray[np.bool_]
    set_aside: Sequence[Reject]
    notes: Mapping[str, str]
    twice: int  # usable rows whose time the clock showed twice
    gap: int | None = None  # the least time between facts of a slot and tick, or equal ones: see `_gap`

    @property
    def count(self) -> int:
        """The number of rows, usable or not."""
        return int(self.table.num_rows) + len(self.set_aside)


def sorted_out(
    wanted: WantedColumns, chunks: Iterable[Chunk], file: str, before: int = 0
) -> Iterator[CheckedRows]:
    """Separates usable rows, numbered from `before` on, from others. DataError if columns do not fit."""
    for number, chunk in enumerate(chunks):
        arrays, faults = _values(wanted, chunk)
        rows = len(chunk.columns[0]) if chunk.columns else 0
        names, notes, twice = list(wanted.columns), dict[str, str](), np.zeros(rows, np.bool_)
        if wanted.timed:
            for array, what in zip(chunk.columns[len(wanted.types) :], ("time", "arrival"), strict=False):
                times, fault = ticks(array, what, wanted.counting, file)
                arrays.append(pa.array(times.numbers))
                faults.append(fault)
                notes |= notes_on(times, wanted.counting, wanted.name, wanted.columns[-1])
                twice |= times.shown(TWICE)
            if len(arrays) == len(names):  # without a column of arrivals facts arrive at their own time
                arrays.append(arrays[-1])
        if wanted.timed or wanted.time_of_rows:
            lines = pa.array(chunk.lines())
            names += [ARRIVAL, LINE]
            arrays += [lines] if wanted.timed else [lines, lines]  # numbered rows have no other arrival
        table, wrong = pa.table(arrays, names), _first(faults)
        gap = _gap(wanted, chunk, table) if number == 0 and not wrong else None
        if chunk.misfit and 2 * (len(wrong) + len(chunk.bad)) > rows + len(chunk.bad):
            raise DataError(chunk.misfit)
        if chunk.misfit and wanted.timed:  # a note on the first line of a file of background says it, too
            notes[f"{file}: order"] = (
                f"{file}: none of its columns has a name of {wanted.name}({', '.join(wanted.columns)}), so "
                "they are taken in that order; --map says which is which"
            )
        arrives = chunk.arrives
        if arrives is None:
            arrives = np.full(rows, len(chunk.columns) > len(wanted.columns))
        bad = list(chunk.bad)
        if wrong:
            lines = chunk.lines().tolist()
            bad += [Bad(lines[i], detail, chunk.row(i)) for i, detail in wrong.items()]
            fine = np.ones(rows, np.bool_)
            fine[list(wrong)] = False
            table, arrives, twice = table.filter(pa.array(fine)), arrives[fine], twice[fine]
        bad.sort(key=lambda each: each.line)
        rejects = [Reject(file, each.line, wanted.name, "malformed", each.detail, each.row) for each in bad]
        table = wanted.with_places(table, file, before)
        before += table.num_rows
        yield CheckedRows(table, arrives, rejects, notes, int(twice.sum()), gap)


def _values(wanted: WantedColumns, chunk: Chunk) -> tuple[list[pa.Array], list[Fault]]:
    """The values of the columns except for times, and their faults."""
    arrays, faults = list[pa.Array](), list[Fault]()
    convert = cells_of_text_file if chunk.written else cells
    for array, column, type_ in zip(chunk.columns, wanted.columns, wanted.types, strict=False):
        name, found = wanted.shown(column), list[Fault]()
        if type_ == TICKS and chunk.written:
            array, found = in_ticks(array, name, wanted.counting.tick)  # noqa: PLW2901 - now numbers
        values, more = convert(array, name, "number" if type_ == TICKS else type_)
        arrays.append(values)
        faults += [*found, *more]
    return arrays, faults


def _first(faults: Iterable[Fault]) -> dict[int, str]:
    """The first fault of each row that has any."""
    first: dict[int, Fault] = {}
    for fault in faults:
        for row in np.flatnonzero(fault.applies).tolist():
            first.setdefault(row, fault)
    return {row: fault.detail(row) for row, fault in sorted(first.items())}


_MANY = 10_000  # the first rows, which tell how close facts of one tick are


def _gap(wanted: WantedColumns, chunk: Chunk, table: pa.Table) -> int | None:
    """The least time in microseconds between facts of one slot and tick, or equal ones, if there are any."""
    unusual = any(map(pa.types.is_union, table.schema.types))  # nothing groups these
    if wanted.counting.timescale is None or not wanted.timed or wanted.of_rows or unusual:
        return None
    exact = replace(wanted.counting, timescale=Timescale(1))
    at = ticks(chunk.columns[len(wanted.types)].slice(0, _MANY), "time", exact, "")[0].numbers
    columns = wanted.columns if wanted.slot is None else (*wanted.slot, wanted.columns[-1])
    facts = table.select(columns).slice(0, _MANY).append_column(LINE, pa.array(at))
    found = facts.group_by([*columns]).aggregate([(LINE, each) for each in ("min", "max", "count_distinct")])
    first, last, count = (column.to_numpy() for column in found.columns[-3:])
    several = count > 1
    return int(((last - first)[several] // (count - 1)[several]).min()) if several.any() else None
