"""The protocol of sources, and the pieces of rows they give.

source.poll()      the pieces that have come since; none if there is nothing new; it never waits
source.behind      whether there is more to be had at once
source.mark        how far it was read, as JSON
source.ended       whether no more can come
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import pyarrow as pa

from antelog.files.chunks import Bad, Chunk, sorted_out
from antelog.files.columns import WantedColumns
from antelog.files.setting_aside import Reject

AT_ONCE = 1 << 22
"""The bytes that are read at a time."""

Mark = Mapping[str, Any]
"""How far a source was read; empty at its beginning."""


@dataclass(frozen=True, eq=False)
class SourcePiece:
    """Some rows, and the file they are from."""

    chunk: Chunk
    file: str


class FactSource(Protocol):
    """Gives rows when it is polled; `notes` are for its user."""

    notes: list[str]

    @property
    def behind(self) -> bool: ...

    @property
    def ended(self) -> bool: ...

    @property
    def mark(self) -> Mark: ...

    def poll(self) -> list[SourcePiece]:
        """Raises DataError if it cannot be read, or its columns are not the wanted ones."""

    def finish(self) -> list[SourcePiece]:
        """The remaining rows if nothing more will come: a last line without a line break."""

    def saved(self) -> None:
        """The rows up to the mark are in a state now."""

    def close(self) -> None: ...


@dataclass(frozen=True, eq=False)
class CheckedRows:
    """Rows that can be used, with their ticks and lines, and those that cannot.

    `arrive` says whether the arrivals are those of a column, or else the facts' own times; `notes`
    are about the times, each to be shown once.
    """

    table: pa.Table
    arrive: bool
    set_aside: list[Reject]
    notes: Mapping[str, str] = field(default_factory=dict)


def rows_of(wanted: WantedColumns, piece: SourcePiece) -> CheckedRows:
    """The rows of a piece, looked at value by value."""
    (found,) = sorted_out(wanted, [piece.chunk], piece.file)
    return CheckedRows(
        found.table,
        len(piece.chunk.columns) > len(wanted.columns),
        [_reject(wanted, piece.file, each) for each in found.bad],
        found.notes,
    )


def _reject(wanted: WantedColumns, file: str, bad: Bad) -> Reject:
    return Reject(file, bad.line, wanted.name, "malformed", bad.detail, bad.row)
