"""A text file's bytes in blocks of whole lines."""

from __future__ import annotations

from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from antelog.errors import DataError

SIZE = 1 << 20
"""How many bytes are read at a time."""

LONGEST = 1 << 26
"""No line has more bytes than this."""


@dataclass(frozen=True)
class Block:
    """Some whole lines, and the number of the first of them (the file's first line is 1)."""

    first: int
    data: bytes

    def lines(self) -> list[bytes]:
        return self.data.splitlines()


class LineSplitter:
    """Takes the bytes of a file as they come, and gives the lines that are whole, in blocks.

    `line` is the number of the next line, and `held` what is there of it.
    """

    def __init__(self, path: Path | str, line: int = 1) -> None:
        self._path = path
        self.line = line
        self.held = b""

    def feed(self, data: bytes) -> Iterator[Block]:
        rest = self.held + data
        end = end_of_lines(rest)
        if end:
            block = Block(self.line, rest[:end])
            self.line, self.held = self.line + breaks(rest[:end]), rest[end:]
            yield block
            return
        self.held = rest
        if len(rest) > LONGEST:
            raise too_long(self._path, self.line)

    def end(self) -> Iterator[Block]:
        """A last line without a line break, if there is one."""
        if self.held:
            block = Block(self.line, self.held)
            self.line, self.held = self.line + 1, b""
            yield block


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


def too_long(path: Path | str, line: int) -> DataError:
    return DataError(f"{path}:{line}: the line has more than {LONGEST >> 20} MiB; is this a text file?")


def end_of_lines(data: bytes) -> int:
    """Where the last whole line ends. A carriage return at the very end may be half of a line's end."""
    return data.rfind(b"\n") + 1 or data.rfind(b"\r", 0, -1) + 1
