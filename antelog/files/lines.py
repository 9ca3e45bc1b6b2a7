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

_LONGEST = 1 << 26
"""No line has more bytes than this."""


@dataclass(frozen=True)
class Block:
    """Some whole lines, and the number of the first of them (the file's first line is 1)."""

    first: int
    data: bytes

    def lines(self) -> list[bytes]:
        return self.data.splitlines()


def blocks(stream: BinaryIO, path: Path, size: int = SIZE) -> Iterator[Block]:
    """The lines of a file, without the mark some programs put in front of UTF-8 text."""
    first, rest = 1, b""
    while data := stream.read(size):
        if first == 1 and not rest and data.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
            raise DataError(f"{path}: is UTF-16 text; save it as UTF-8")
        rest += data
        end = _end(rest)
        if end:
            block = _block(first, rest[:end])
            yield block
            first += len(block.lines())
            rest = rest[end:]
        elif len(rest) > _LONGEST:
            raise DataError(
                f"{path}:{first}: the line has more than {_LONGEST >> 20} MiB; is this a text file?"
            )
    if rest:
        yield _block(first, rest)


def _block(first: int, data: bytes) -> Block:
    return Block(first, data.removeprefix(BOM_UTF8) if first == 1 else data)


def _end(data: bytes) -> int:
    """Where the last whole line ends. A carriage return at the very end may be half of a line's end."""
    return data.rfind(b"\n") + 1 or data.rfind(b"\r", 0, -1) + 1
