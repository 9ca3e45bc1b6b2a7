"""Sources of rows, and the pieces of rows they give.

source.poll()      the pieces that have come since; none if there is nothing new; it never waits
source.mark        how far it was read, as JSON
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from antelog.files.chunks import CheckedRows, Chunk, sorted_out
from antelog.files.columns import WantedColumns

AT_ONCE = 1 << 22
"""The bytes that are read at a time."""

Mark = Mapping[str, Any]
"""How far a source was read; empty at its beginning."""


@dataclass(frozen=True, eq=False)
class SourcePiece:
    """Some rows, and the file they are from."""

    chunk: Chunk
    file: str


@dataclass(frozen=True)
class SourceExtent:
    """How much of a source this run has read, and how much is there with that, in `bytes` or `rows`."""

    read: int
    there: int
    unit: str = "bytes"


class FactSource(ABC):
    """Gives rows when it is polled.

    notes     for its user
    behind    whether there is more to be had at once
    ended     whether no more can come
    reachable whether it can be reached: false while its broker is down
    tells_end whether it knows when everything that is there has been read
    """

    tells_end = True

    def __init__(self) -> None:
        self.notes: list[str] = []
        self.behind, self.ended, self.reachable = True, False, True

    @property
    @abstractmethod
    def mark(self) -> Mark: ...

    @abstractmethod
    def poll(self) -> list[SourcePiece]:
        """Raises DataError if it cannot be read, or its columns are not the wanted ones."""

    @property
    def extent(self) -> SourceExtent:
        """As far as that is known without waiting."""
        return SourceExtent(0, 0)

    def finish(self) -> list[SourcePiece]:
        """The remaining rows if nothing more will come: a last line without a line break."""
        return []

    def saved(self) -> None:  # noqa: B027 - most sources keep their rows
        """The rows up to the mark are in a state now, or there is none, and no run reads them again."""

    def close(self) -> None:  # noqa: B027 - some have nothing open
        """Closes what the source has opened."""


def rows_of(wanted: WantedColumns, piece: SourcePiece) -> CheckedRows:
    """The rows of a piece, looked at value by value."""
    (found,) = sorted_out(wanted, [piece.chunk], piece.file)
    return found
