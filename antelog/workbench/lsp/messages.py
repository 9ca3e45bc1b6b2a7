"""Messages of an editor on standard input: their headers are looked at before the server reads on.

    Content-Length: 52        one header line at least, then an empty line, then so many bytes of JSON

After a header that does not say how long its message is, nobody knows where the next one begins: the server
ends, and says why.
"""

from __future__ import annotations

import logging
from typing import Any, BinaryIO

_MOST = 100_000_000
"""The bytes of a message, at most."""
_LONGEST = 10_000
"""The bytes of a line of a header, and of all its lines, at most."""


class MessageReader:
    """Reads messages for the server; `problem` says why it has ended, if that was not the editor's wish."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream, self._header = stream, list[bytes]()
        self.problem = ""

    def readline(self) -> bytes:
        """A line of a header; nothing at the end."""
        if not self._header:
            self._header = self._next()
        return self._header.pop(0) if self._header else b""

    def read(self, size: int) -> bytes:
        return self._stream.read(size)

    def _next(self) -> list[bytes]:
        """The header of the next message, as the server knows it; nothing at the end, or if it is wrong."""
        while not self.problem:
            header = b""
            while (line := self._stream.readline(_LONGEST)).strip() and len(header) < _LONGEST:
                header += line
            if not line:
                return []
            length = self._length(header) if header else 0
            if length:  # else there is nothing to read, or an empty line between messages
                return [b"Content-Length: %d\r\n" % length, b"\r\n"]
        return []

    def _length(self, header: bytes) -> int:
        pairs = [line.partition(b":") for line in header.splitlines()]
        found = [value.strip() for name, _, value in pairs if name.strip().lower() == b"content-length"]
        shown = repr(b", ".join(found)[:50].decode("utf-8", "replace"))
        if not found:
            self.problem = "a message has no Content-Length"
        elif len(found) > 1 or not found[0].isdigit():
            self.problem = f"the Content-Length of a message is {shown}, which is not a number of bytes"
        elif len(found[0].lstrip(b"0")) > len(str(_MOST)) or int(found[0]) > _MOST:
            self.problem = f"the Content-Length of a message is {shown}; {_MOST:,} bytes are the most"
        return 0 if self.problem else int(found[0])


class OneLine(logging.Formatter):
    """Writes an error in one line, for editors show what a server logs."""

    def formatException(self, ei: Any) -> str:  # noqa: N802 - as its base calls it
        return f"{ei[0].__name__}: {ei[1]}".partition("\n")[0]

    def format(self, record: logging.LogRecord) -> str:
        first, *others = super().format(record).splitlines()
        first = first.removesuffix("Traceback (most recent call last):").rstrip(": ")
        return ": ".join([first, *others[-1:]])
