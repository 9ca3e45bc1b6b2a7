"""Chunks of a file of any format, and their usable rows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from antelog.arrow.ticks import TWICE
from antelog.errors import DataError
from antelog.files.cells import Fault, cells, cells_of_text_file, in_ticks
from antelog.files.columns import ARRIVAL, LINE, WantedColumns
from antelog.files.records import Bad, Block, RowSplitter, pieces
from antelog.files.setting_aside import Reject, Rejects
from antelog.files.times import notes_on, ticks
from antelog.language.epochs import TICKS
from antelog.language.moments import Timescale


@dataclass(frozen=True, eq=False)
class Chunk:
    """Some rows: the wanted columns (and the arrival, if there is one), and the rows that are none.

    `lines` tells the lines of all rows, `row` the text of one by its position. `written` says that
    every value is written as text. A chunk that was read in a hurry does not know the texts of its
    rows; if one of them cannot be used, `again` reads it with more care. If its columns were matched by
    position, `misfit` is the error if most rows cannot be used. `arrives` says which rows have an arrival of
    their own; None: all of them, if there is such a column.
    """

    columns: Sequence[pa.Array]
    lines: Callable[[], NDArray[np.int64]]
    row: Callable[[int], str]
    written: bool = False
    bad: Sequence[Bad] = ()
    again: Callable[[], Chunk] | None = None
    misfit: str = ""
    arrives: NDArray[np.bool_] | None = None


def no_rows(wanted: WantedColumns, bad: Sequence[Bad] = ()) -> Chunk:
    """No rows that can be used."""
    return Chunk([pa.nulls(0)] * len(wanted.columns), lambda: np.zeros(0, np.int64), str, bad=bad)


class RowReader(ABC):
    """Takes the bytes of a file as they come, from some line on, and gives the rows that are whole."""

    def __init__(self, path: Path | str, wanted: WantedColumns, line: int = 1) -> None:
        self._path, self._wanted = path, wanted
        self.lines = RowSplitter(line)

    def feed(self, data: bytes) -> Iterator[Chunk]:
        for block in self.lines.feed(data):
            yield from self._chunks(block)

    def end(self) -> Iterator[Chunk]:
        for block in self.lines.end():
            yield from self._chunks(block)

    def all(self, stream: BinaryIO) -> Iterator[Chunk]:
        """The rows of a whole file."""
        for data in pieces(stream, self._path):
            yield from self.feed(data)
        yield from self.end()

    @abstractmethod
    def _chunks(self, block: Block) -> Iterator[Chunk]:
        """The rows of a block."""


@dataclass(frozen=True, eq=False)
class _Looked:
    """The rows of a chunk with values and ticks, the faults of some, and notes on the times.

    `twice` says of which rows the clock showed a time twice.
    """

    table: pa.Table
    faults: Mapping[int, str]
    notes: Mapping[str, str]
    twice: NDArray[np.bool_]


def _looked(wanted: WantedColumns, chunk: Chunk, file: str) -> _Looked:
    faults: list[Fault] = []
    done: list[pa.Array] = []
    convert = cells_of_text_file if chunk.written else cells
    columns = list(chunk.columns)
    for i, type_ in enumerate(wanted.types):
        if type_ == TICKS and chunk.written:
            columns[i], found = in_ticks(columns[i], wanted.shown(wanted.columns[i]), wanted.counting.tick)
            faults += found
    for array, name, type_ in zip(columns, wanted.columns, wanted.value_types, strict=False):
        values, found = convert(array, wanted.shown(name), type_)
        done.append(values)
        faults += found
    names = list(wanted.columns)
    notes: dict[str, str] = {}
    twice = np.zeros(len(columns[0]) if columns else 0, np.bool_)
    if wanted.timed:
        names.append(ARRIVAL)
        for array, what in zip(chunk.columns[len(wanted.types) :], ("time", "arrival"), strict=False):
            times = ticks(array, what, wanted.counting, file)
            done.append(pa.array(times.numbers))
            faults.append(times.fault)
            notes |= notes_on(times, wanted.counting, wanted.name, wanted.columns[-1])
            twice |= times.read.shown(TWICE)
        if len(done) < len(names):
            done.append(done[-1])
        names.append(LINE)
        done.append(pa.array(chunk.lines()))
    return _Looked(pa.table(done, names), _first(faults), notes, twice)


def _first(faults: Iterable[Fault]) -> dict[int, str]:
    """The first fault of each row that has any."""
    first: dict[int, Fault] = {}
    for fault in faults:
        for row in np.flatnonzero(fault.applies).tolist():
            first.setdefault(row, fault)
    return {row: fault.detail(row) for row, fault in sorted(first.items())}


def usable(wanted: WantedColumns, chunks: Iterable[Chunk], file: str, rejects: Rejects) -> Iterator[pa.Table]:
    """The rows of chunks that can be used; the others are set aside."""
    for each in sorted_out(wanted, chunks, file):
        if wanted.timed:
            rejects.tally.update(malformed=len(each.set_aside))
        rejects.notes.extend(rejects.new_of(each.notes))
        rejects.came(wanted.name, file, each.count, each.twice)
        rejects.close(wanted.name, each.gap)
        rejects.add(each.set_aside)
        if each.table.num_rows:
            yield each.table


@dataclass(frozen=True, eq=False)
class CheckedRows:
    """The rows of a chunk that can be used, with their ticks and lines, and those that cannot.

    `arrives` says of which rows the arrival is that of a column, or else the fact's own time; `notes`
    are about the times, each to be shown once. Of rows of use, the clock showed the times of some `twice`.
    `gap` is the least time between facts of a slot and tick, or equal ones, of the first rows (microseconds).
    """

    table: pa.Table
    arrives: NDArray[np.bool_]
    set_aside: Sequence[Reject]
    notes: Mapping[str, str]
    twice: int
    gap: int | None = None

    @property
    def count(self) -> int:
        """The number of rows, of use or not."""
        return int(self.table.num_rows) + len(self.set_aside)


def sorted_out(wanted: WantedColumns, chunks: Iterable[Chunk], file: str) -> Iterator[CheckedRows]:
    """For each chunk the rows that can be used, and those that cannot, in the order of their lines.

    Raises DataError if columns were matched by position, and their values do not fit.
    """
    for number, chunk in enumerate(chunks):
        looked = _looked(wanted, chunk, file)
        gap = _gap(wanted, chunk, looked.table) if number == 0 and not looked.faults else None
        wrong = len(looked.faults) + len(chunk.bad)
        if chunk.misfit and 2 * wrong > looked.table.num_rows + len(chunk.bad):
            raise DataError(chunk.misfit)
        notes = {**looked.notes, **_order(wanted, file)} if chunk.misfit else looked.notes
        if looked.faults and chunk.again is not None:
            chunk = chunk.again()  # noqa: PLW2901 - the same rows, now with their texts
            looked = _looked(wanted, chunk, file)
        table, faults, twice = looked.table, looked.faults, looked.twice
        found = list(chunk.bad)
        if faults:
            lines = chunk.lines().tolist()
            found += [Bad(lines[i], detail, chunk.row(i)) for i, detail in faults.items()]
        found.sort(key=lambda bad: bad.line)
        arrives = chunk.arrives
        if arrives is None:
            arrives = np.full(table.num_rows, len(chunk.columns) > len(wanted.columns))
        if faults:
            fine = np.ones(table.num_rows, np.bool_)
            fine[list(faults)] = False
            table, arrives, twice = table.filter(pa.array(fine)), arrives[fine], twice[fine]
        rejects = [Reject(file, bad.line, wanted.name, "malformed", bad.detail, bad.row) for bad in found]
        yield CheckedRows(wanted.with_places(table, file), arrives, rejects, notes, int(twice.sum()), gap)


_MANY = 10_000
"""So many rows say how close facts are that are in one tick."""


def _gap(wanted: WantedColumns, chunk: Chunk, table: pa.Table) -> int | None:
    """The least time in microseconds between facts of one slot and tick, or equal ones, if there are such."""
    unusual = any(map(pa.types.is_union, table.schema.types))  # nothing groups these
    if wanted.counting.timescale is None or not wanted.timed or wanted.apart.of_rows or unusual:
        return None
    exact = replace(wanted.counting, timescale=Timescale(1))
    at = ticks(chunk.columns[len(wanted.types)].slice(0, _MANY), "time", exact, "").numbers
    columns = wanted.columns if wanted.apart.slot is None else (*wanted.apart.slot, wanted.columns[-1])
    facts = table.select(columns).slice(0, _MANY).append_column(LINE, pa.array(at))
    found = facts.group_by([*columns]).aggregate([(LINE, each) for each in ("min", "max", "count_distinct")])
    first, last, count = (column.to_numpy() for column in found.columns[-3:])
    several = count > 1
    return int(((last - first)[several] // (count - 1)[several]).min()) if several.any() else None


def _order(wanted: WantedColumns, file: str) -> dict[str, str]:
    """A note on columns that were matched by position: values may fit and yet be others than meant."""
    if not wanted.timed:  # what is said of the first line of such a file says it, too
        return {}
    columns = ", ".join(wanted.columns)
    return {
        f"{file}: order": f"{file}: none of its columns has a name of {wanted.name}({columns}), so they are "
        "taken in that order; --map says which is which"
    }
