"""Sources of rows, and the pieces of rows they give: of CSV or JSON lines as bytes of them come."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from typing import Any

import msgspec

from antelog.errors import DataError
from antelog.files.chunks import Chunk, no_rows
from antelog.files.columns import Advice, WantedColumns
from antelog.files.csv_files import CsvHeader, CsvRows
from antelog.files.json_files import JsonRows
from antelog.files.naming import Form
from antelog.files.records import MARK, Bad, without_mark
from antelog.secrets import redacted

AT_ONCE = 1 << 22  # bytes that are read at a time
Mark = Mapping[str, Any]  # how far a source was read, as JSON; empty at its beginning


@dataclass(frozen=True, eq=False)
class SourcePiece:
    """Some rows of a file; `part` is the part of the source with a time of its own, if it has several."""

    chunk: Chunk
    file: str
    part: str = ""


@dataclass(frozen=True)
class SourceExtent:
    """How much this run has read of a source, and that with the unread rest, in `bytes` or `rows`."""

    read: int
    there: int
    unit: str = "bytes"


class FactSource(ABC):
    """Gives rows when it is polled, without waiting; `notes` are for its user."""

    tells_end = True  # whether it knows when everything that is there has been read

    def __init__(self) -> None:
        self.notes: list[str] = []
        self.behind = True  # whether there is more to be had at once
        self.ended = False  # whether no more can come
        self.reachable = True  # false while its broker is down
        self.there = True  # whether there is something to read from: false while its file is missing
        self.ahead: Collection[str] = ()  # parts not to be read on for now, as others are far behind them

    @property
    def unread(self) -> list[str]:
        """The parts with more to be had at once; an empty text stands for all of it."""
        return [""] if self.behind and not self.ended else []

    @property
    @abstractmethod
    def mark(self) -> Mark: ...

    @abstractmethod
    def poll(self) -> list[SourcePiece]:
        """The new pieces. Raises DataError if it cannot be read, or has other columns than wanted."""

    @property
    def extent(self) -> SourceExtent:
        """The extent, as far as that is known without waiting."""
        return SourceExtent(0, 0)

    def finish(self) -> list[SourcePiece]:
        """The rest if nothing more will come: a last line without a line break."""
        return []

    def saved(self) -> None:  # noqa: B027 - most sources keep their rows
        """Called when no run will read the rows up to the mark again."""

    def close(self) -> None:  # noqa: B027 - some have nothing open
        ...


_FIRST_WAIT, _LONGEST_WAIT = 1.0, 30.0  # seconds before a lost connection is tried again, ever longer


class ConnectedSource(FactSource):
    """A source behind a connection, which is made anew when it is lost; `name` is that of its address.

    Who derives from it says how to connect, to take what is there and to disconnect, which errors mean that
    the connection is `lost`, and which of these no waiting mends.
    """

    lost: tuple[type[Exception], ...] = (OSError,)

    def __init__(self, name: str, wanted: WantedColumns) -> None:
        super().__init__()
        self.name, self.wanted = name, wanted
        self._objects = JsonRows(name, Advice(wanted, self.notes))
        self._again, self._wait = 0.0, _FIRST_WAIT

    @abstractmethod
    def connect(self) -> None:
        """Connects, within some seconds."""

    @abstractmethod
    def disconnect(self) -> None:
        """Leaves the connection, which may be lost or was never made."""

    @abstractmethod
    def take(self) -> list[SourcePiece]:
        """The new pieces; sets `behind` to whether more is there."""

    def is_hopeless(self, error: Exception) -> bool:  # noqa: ARG002 - of others it matters
        """Whether trying again cannot help: a wrong password, a topic or a table that is not there."""
        return False

    def begin(self) -> None:
        """Connects for the first time. Raises DataError if that fails: then the address may be wrong."""
        try:
            self.connect()
        except Exception as error:
            self.disconnect()
            if not isinstance(error, self.lost):
                raise
            done = "read" if self.is_hopeless(error) else "reached"
            raise DataError(f"{self.name}: cannot be {done}: {why(error)}") from None

    def poll(self) -> list[SourcePiece]:
        if not self.reachable and time.monotonic() < self._again:
            return []
        try:
            if not self.reachable:
                self.connect()
            found = self.take()
        except self.lost as error:
            self.disconnect()
            if self.is_hopeless(error):
                raise DataError(f"{self.name}: cannot be read: {why(error)}") from None
            if self.reachable:
                self.notes.append(
                    f"{self.name}: cannot be reached: {why(error)}; it is tried again and again"
                )
                self._wait = _FIRST_WAIT
            self.reachable = self.behind = False
            self._again = time.monotonic() + self._wait
            self._wait = min(2 * self._wait, _LONGEST_WAIT)
            return []
        if not self.reachable:
            self.reachable = True
            self.notes.append(f"{self.name}: can be reached again")
        return found

    def acknowledge(self) -> None:
        """Acknowledges all rows that were given: a state has them."""

    def saved(self) -> None:
        if self.reachable:
            with suppress(*self.lost):  # the next look at the server finds that it is away
                self.acknowledge()

    def close(self) -> None:
        self.disconnect()

    def objects(self, numbered: Iterable[tuple[int, bytes]]) -> SourcePiece:
        """The rows of JSON objects, each with the number that messages about it have."""
        return SourcePiece(self._objects.chunk(numbered), self.name)

    def odd(self, number: int, reason: str, text: str = "") -> SourcePiece:
        """A record that is set aside."""
        return SourcePiece(no_rows(self.wanted, [Bad(number, reason, text)]), self.name)


def all_of(source: FactSource, notes: list[str]) -> Iterator[Chunk]:
    """All rows that a source has now. Raises DataError if it cannot be read to their end."""
    with closing(source):
        while source.behind:
            yield from (piece.chunk for piece in source.poll())
            notes += source.notes
            if not source.reachable:
                raise DataError(source.notes[-1].partition(";")[0])
            source.notes.clear()
        yield from (piece.chunk for piece in source.finish())


def why(error: Exception) -> str:
    """The reason of an error in one line, without secrets."""
    said = " ".join((getattr(error, "strerror", None) or str(error) or type(error).__name__).split())
    return redacted(said).rstrip(".")


class LinesOf:
    """Rows of a file, pipe or the like, from its beginning or a mark on; CSV or JSON lines without a form."""

    def __init__(
        self, form: Form | None, file: str, wanted: WantedColumns, notes: list[str], mark: Mark | None = None
    ) -> None:
        mark = mark or {}
        self._file = file
        self._fed = self._offset = int(mark.get("offset", 0))
        self._line = int(mark.get("line", 1))
        self._head: bytes | None = None if self._fed else b""
        advice = Advice(wanted, notes)
        self._rows: CsvRows | JsonRows
        if form is None:
            self._rows = CsvRows(file, advice, json=JsonRows(file, advice))
        elif form is Form.JSON:
            self._rows = JsonRows(file, advice, self._line)
        else:
            header = msgspec.convert(mark.get("header"), CsvHeader | None)
            self._rows = CsvRows(file, advice, self._line, header)

    @property
    def mark(self) -> Mark:
        """Behind the last row that is whole."""
        header = self._rows.header if isinstance(self._rows, CsvRows) else None
        kept = {} if header is None else {"header": msgspec.to_builtins(header)}
        return {"offset": self._offset, "line": self._line, **kept}

    def feed(self, data: bytes) -> list[SourcePiece]:
        self._fed += len(data)
        if self._head is not None:
            self._head += data
            if len(self._head) < MARK:
                return []
            data, self._head = without_mark(self._head, self._file), None
        return self._pieces(self._rows.feed(data))

    def finish(self) -> list[SourcePiece]:
        begun = self._pieces(self._rows.feed(self._head)) if self._head else []
        self._head = None
        return begun + self._pieces(self._rows.end())

    def _pieces(self, chunks: Iterable[Chunk]) -> list[SourcePiece]:
        found = [SourcePiece(chunk, self._file) for chunk in chunks]
        lines = self._rows.lines
        if lines.held is not None:
            self._offset, self._line = self._fed - lines.held, lines.line
        return found
