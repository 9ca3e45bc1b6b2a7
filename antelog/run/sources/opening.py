"""The source of an address, from where it was left; and the small ones: standard input, posted facts."""

from __future__ import annotations

import os
import select
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeAlias

from antelog.errors import UnsupportedError
from antelog.files.columns import Advice, WantedColumns
from antelog.files.json_files import JsonRows
from antelog.run.address import Console, Files, Jdbc, Posted, Rate, Reach, Standard, Table
from antelog.run.door import SourceAddress
from antelog.run.sources.growing import GrowingFile
from antelog.run.sources.recorded import RecordedFiles
from antelog.run.sources.source import AT_ONCE, FactSource, LinesOf, Mark, SourceExtent, SourcePiece
from antelog.run.store.inbox import Inbox
from antelog.writing import given_by_system

Followed: TypeAlias = Files | Standard | Posted | SourceAddress
_ON_SPARK = "Follow it on Spark: `antelog run --stream`."
FOLLOWED: Reach[Followed] = Reach(
    "`antelog watch`",
    "read",
    (Files, Standard, Posted, SourceAddress),
    {
        Console: "Write - for standard input.",
        Jdbc: "Read it once on Spark, with `antelog run`, or send its changes through Kafka.",
        **dict.fromkeys((Table, Rate), _ON_SPARK),
    },
    formless=True,
)


def source_of(
    address: Followed,
    wanted: WantedColumns,
    mark: Mark | None = None,
    *,
    complete: bool = False,
    resumed: bool = False,
    inbox: Inbox | None = None,
) -> FactSource:
    """The source of an address, read up to a mark; a `complete` one ends, unless the run is `resumed`."""
    match address:
        case Files(path, form) if address.grows and form is not None and (resumed or not complete):
            return GrowingFile(Path(path), form, wanted, mark=mark)
        case Files():
            return RecordedFiles(address.file_path, wanted, mark=mark, complete=complete)
        case Standard():
            return StandardInput(wanted, mark=mark, complete=complete)
        case Posted():
            if inbox is None:
                raise UnsupportedError(f"facts for {wanted.name} are posted to the page; leave out --no-page")
            return PostedFacts(inbox, wanted, mark=mark)
        case SourceAddress():
            return address.source(wanted, mark)


_STDIN, _HTTP = "<stdin>", "http:"
_PIPE = 1 << 16
_MOST = 50_000  # posted facts that are taken at a time, or those of one post if they are more


class StandardInput(FactSource):
    """Reads what is there; if it is `complete`, it is behind until it has ended."""

    tells_end = False

    def __init__(
        self, wanted: WantedColumns, *, mark: Mark | None = None, complete: bool = False, descriptor: int = 0
    ) -> None:
        super().__init__()
        self._wanted, self._descriptor, self._complete = wanted, descriptor, complete
        self._before = int((mark or {}).get("lines", 0))
        self._lines: LinesOf | None = None
        self.behind, self._count = complete, 0

    @property
    def mark(self) -> Mark:
        """The number of lines read, of this input and of those before it."""
        return {"lines": self._before + (self._lines.mark["line"] - 1 if self._lines else 0)}

    @property
    def extent(self) -> SourceExtent:
        """The bytes read, and those in the pipe; how many wait before it is not known."""
        left = b"\0\0\0\0"
        controls: Any = given_by_system("fcntl")
        terminals: Any = given_by_system("termios")
        with suppress(OSError):
            if controls is not None and terminals is not None:
                left = controls.ioctl(self._descriptor, terminals.FIONREAD, left)
        return SourceExtent(self._count, self._count + int.from_bytes(left, sys.byteorder))

    def poll(self) -> list[SourcePiece]:
        data = b""
        while not self.ended and len(data) < AT_ONCE and select.select([self._descriptor], [], [], 0)[0]:
            more = os.read(self._descriptor, _PIPE)
            data += more
            self.ended = not more
        self.behind = len(data) >= AT_ONCE or (self._complete and not self.ended)
        self._count += len(data)
        if not data:
            return []
        if self._lines is None:
            self._lines = LinesOf(None, _STDIN, self._wanted, self.notes)
        return self._lines.feed(data)

    def finish(self) -> list[SourcePiece]:
        return self._lines.finish() if self._lines else []


class PostedFacts(FactSource):
    """Reads the facts that were posted for an input. The inbox has them until a state does."""

    def __init__(self, inbox: Inbox, wanted: WantedColumns, *, mark: Mark | None = None) -> None:
        super().__init__()
        self._inbox, self._input = inbox, wanted.name
        self._line = int((mark or {}).get("line", 0))
        self._forgotten = 0
        self._rows = JsonRows(_HTTP, Advice(wanted, self.notes))
        # Names with dots may be paths into fields, which only who reads the fact knows.
        inbox.accept(wanted.name, [name for name in wanted.required if wanted.declared and "." not in name])

    @property
    def mark(self) -> Mark:
        return {"line": self._line}

    @property
    def extent(self) -> SourceExtent:
        return SourceExtent(self._line, self._inbox.posted(self._input), "rows")

    def poll(self) -> list[SourcePiece]:
        found = self._inbox.read(self._input, self._line, _MOST)
        self.behind = len(found) >= _MOST
        if not found:
            return []
        self._line, _ = found[-1]
        return [SourcePiece(self._rows.chunk(found), _HTTP)]

    def saved(self) -> None:
        if self._line > self._forgotten:
            self._inbox.forget(self._input, self._line)
            self._forgotten = self._line
