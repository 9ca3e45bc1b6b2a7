"""Sources of rows, and the pieces of rows they give.

source.poll()      the pieces that have come since; none if there is nothing new; it never waits
source.mark        how far it was read, as JSON
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from antelog.files.chunks import Chunk, sorted_out
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


class FactSource(ABC):
    """Gives rows when it is polled.

    notes     for its user
    behind    whether there is more to be had at once
    ended     whether no more can come
    """

    def __init__(self) -> None:
        self.notes: list[str] = []
        self.behind, self.ended = True, False

    @property
    @abstractmethod
    def mark(self) -> Mark: ...

    @abstractmethod
    def poll(self) -> list[SourcePiece]:
        """Raises DataError if it cannot be read, or its columns are not the wanted ones."""

    def finish(self) -> list[SourcePiece]:
        """The remaining rows if nothing more will come: a last line without a line break."""
        return []

    def saved(self) -> None:  # noqa: B027 - most sources keep their rows
        """The rows up to the mark are in a state now."""

    def close(self) -> None:  # noqa: B027 - some have nothing open
        """Closes what the source has opened."""


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
        [Reject(piece.file, bad.line, wanted.name, "malformed", bad.detail, bad.row) for bad in found.bad],
        found.notes,
    )
