"""A text file's bytes in blocks of whole lines."""

from __future__ import annotations

import re
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from antelog.errors import DataError

SIZE = 1 << 20
"""How many bytes are read at a time."""

LONGEST = 1 << 26
"""No line has more bytes than this."""


TOO_LONG = f"the line has more than {LONGEST >> 20} MiB"
"""Why a line is lost that is longer."""

_SHOWN = 1000
"""The bytes shown of a row that is lost."""

BREAK = re.compile(rb"\r\n|\n|\r")
"""The end of a line."""


@dataclass(frozen=True)
class Bad:
    """A row that is none: its line, why, and its text, or how that begins."""

    line: int
    detail: str
    row: str


@dataclass(frozen=True)
class Block:
    """Some whole lines, the number of the first (the file's first line is 1), and those that are lost."""

    first: int
    data: bytes
    lost: Sequence[Bad] = ()

    def lines(self) -> list[bytes]:
        return self.data.splitlines()


class Skip:
    """Skips the rest of a line, whose bytes come in pieces."""

    _half = False

    def feed(self, data: bytes) -> bytes | None:
        """The bytes behind the line; None if it has no end yet."""
        if self._half and data:
            return data.removeprefix(b"\n")
        found = BREAK.search(data)
        # A carriage return at the very end may be half of a line's end.
        self._half = found is not None and found[0] == b"\r" and found.end() == len(data)
        return None if found is None or self._half else data[found.end() :]


class LineSplitter:
    """Takes the bytes of a file as they come, and gives the lines that are whole, in blocks.

    `line` is the number of the next line, and `rest` what is there of it. A line that is too long is lost.
    """

    def __init__(self, line: int = 1) -> None:
        self.line = line
        self.rest = b""
        self._skip: Skip | None = None

    @property
    def held(self) -> int | None:
        """The number of bytes held of the next line; None while one is being skipped."""
        return None if self._skip else len(self.rest)

    def feed(self, data: bytes) -> Iterator[Block]:
        if self._skip is not None:
            behind = self._skip.feed(data)
            if behind is None:
                return
            self._skip, data, self.line = None, behind, self.line + 1
        data = self.rest + data
        end = end_of_lines(data)
        first, whole, self.rest = self.line, data[:end], data[end:]
        lost: list[Bad] = []
        if len(whole) > LONGEST:
            whole = self._without_long(whole, lost)
        self.line += breaks(whole)
        if len(self.rest) > LONGEST:
            lost.append(Bad(self.line, TOO_LONG, shown(self.rest)))
            self._skip, self.rest = Skip(), b""
        if whole or lost:
            yield Block(first, whole, lost)

    def _without_long(self, data: bytes, lost: list[Bad]) -> bytes:
        """Lines of which those that are too long are empty."""
        lines = data.splitlines(keepends=True)
        for i, line in enumerate(lines):
            if len(line.rstrip(b"\r\n")) > LONGEST:
                lost.append(Bad(self.line + i, TOO_LONG, shown(line)))
                lines[i] = line[len(line.rstrip(b"\r\n")) :]
        return b"".join(lines)

    def end(self) -> Iterator[Block]:
        """A last line without a line break, if there is one."""
        if self.rest:
            block = Block(self.line, self.rest)
            self.line, self.rest = self.line + 1, b""
            yield block

    def taken(self) -> bytes:
        """The bytes of the next line so far, for another reader to go on with."""
        rest, self.rest = self.rest, b""
        return rest


def pieces(stream: BinaryIO, path: Path | str, size: int = SIZE) -> Iterator[bytes]:
    """The bytes of a file, without the mark some programs put in front of UTF-8 text.

    Raises DataError if the mark is that of UTF-16, or of gzip.
    """
    head = b""
    while len(head) < MARK and (data := stream.read(size)):
        head += data
    data = without_mark(head, path) or stream.read(size)
    while data:
        yield data
        data = stream.read(size)


_GZIP = b"\x1f\x8b"

MARK = len(BOM_UTF8)
"""So many bytes tell whether a file begins with a mark."""


def without_mark(head: bytes, path: Path | str) -> bytes:
    """The beginning of a file, without a byte order mark."""
    if head.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        raise DataError(f"{path}: is UTF-16 text; save it as UTF-8")
    if head.startswith(_GZIP):
        raise DataError(f"{path}: is packed with gzip; give its name the ending .gz, or unpack it with zcat")
    return head.removeprefix(BOM_UTF8)


def breaks(data: bytes) -> int:
    """The number of line ends in some bytes."""
    count = data.count(b"\n")
    returns = data.count(b"\r")
    return count + (returns - data.count(b"\r\n") if returns else 0)


def shown(row: bytes) -> str:
    """How a row begins."""
    return row[:_SHOWN].rstrip(b"\r\n").decode(errors="surrogateescape")


def end_of_lines(data: bytes) -> int:
    """Where the last whole line ends. A carriage return at the very end may be half of a line's end."""
    return data.rfind(b"\n") + 1 or data.rfind(b"\r", 0, -1) + 1
