"""The bytes of a text file in blocks of whole rows: lines, or rows of CSV, as RFC 4180 says.

A quote that stands alone in a quoted value of CSV closes nothing, and its row cannot be used. If a quote is
open for too long, the line in which its row begins is lost, and the next line begins a row.
"""

from __future__ import annotations

import csv
import re
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from io import StringIO
from itertools import islice
from typing import BinaryIO

import numpy as np

from antelog.errors import DataError
from antelog.files.remote import FilePath

SIZE = 1 << 20  # bytes that are read at a time
LONGEST = 1 << 26  # bytes of a line, at most, or not many more
LARGEST = 1 << 20  # bytes of a row in which a quote is open, at most
MOST_LINES = 1000  # lines of a row in which a quote is open, at most

_TOO_LONG = f"the line has more than {LONGEST >> 20} MiB"
_OPEN = f"has a quote that is not closed within {MOST_LINES:,} lines or {LARGEST >> 20} MiB"
_SHOWN = 1000  # bytes that are shown of a lost row
_NEAR = 1 << 12  # bytes within which most rows end
_NEW_LINE = ord("\n")
_BREAK = re.compile(rb"\r\n|\n|\r")
_SEPARATORS = b",;\t"
_QUOTED = re.compile(rb'(?<![^,;\t\r\n])"[^"]*+(?:""[^"]*+)*+"')
csv.field_size_limit(max(LARGEST, csv.field_size_limit()))


@dataclass(frozen=True)
class Bad:
    """A row that cannot be read: its line, why, and its text, or how that begins."""

    line: int
    detail: str
    row: str


@dataclass(frozen=True)
class Block:
    """Some whole rows, the number of their first line, and lost lines, which are empty in `data`."""

    first: int
    data: bytes
    lost: Sequence[Bad] = ()


@dataclass(frozen=True)
class Row:
    """A row of CSV with the end of its line, the number of its first line, and where it begins in a block."""

    grammar: Grammar
    data: bytes
    line: int = 1
    begin: int = 0

    @property
    def end(self) -> int:
        return self.begin + len(self.data)

    @property
    def text(self) -> str:
        return text_of(self.data)

    @property
    def values(self) -> list[str] | None:
        """The values; None if a quote is not closed."""
        text, grammar = self.text, self.grammar
        if grammar.orderly.fullmatch(self.data.rstrip(b"\r\n") + b"\n") is None:
            return None
        return next(csv.reader(StringIO(text, newline=""), delimiter=grammar.separator), [""])

    @property
    def unclosed(self) -> Bad:
        """The row as one that cannot be read, for its quotes."""
        last = self.line + max(0, breaks(self.data) - 1)
        taken = f"; it takes the lines up to {last} with it" if last > self.line else ""
        return Bad(self.line, f"has a quote that is not closed{taken}", text_of(self.data[:_SHOWN]))


@dataclass(frozen=True)
class Grammar:
    """The grammar of CSV with a certain separator: patterns of bytes."""

    separator: str
    row: re.Pattern[bytes]  # in order or not, with the end of its line
    orderly: re.Pattern[bytes]  # a row in whose values no quote stands alone
    flat: re.Pattern[bytes]  # orderly rows of one line each, as many as there are

    def rows(self, block: Block) -> Iterator[Row]:
        """The rows of a block; an empty line is a row as well."""
        line, at = block.first, 0
        while (found := self.row.match(block.data, at)) is not None:
            yield Row(self, found[0], line, at)
            line, at = line + breaks(found[0]), found.end()

    def rows_end(self, data: bytes, at: int) -> tuple[int, str]:
        """The end of the whole rows from a place on, and why the line behind them is lost, if it is."""
        while data.find(b'"', at) >= 0:
            if flat := self.flat.match(data, at, at + LARGEST):
                at = flat.end()
            found = self.row.match(data, at, at + min(_NEAR, LARGEST))
            if found is None or breaks(found[0]) > MOST_LINES:
                last = next(islice(_BREAK.finditer(data, at), MOST_LINES - 1, None), None)
                until = at + LARGEST if last is None else min(at + LARGEST, last.end())
                found = self.row.match(data, at, until + 1)
                if found is None and until >= len(data):
                    return at, ""
            if found is None:
                line = _BREAK.search(data, at)
                if data.find(b'"', at, len(data) if line is None else line.end()) >= 0:
                    return at, _OPEN
                if line is None or line.end() == len(data):
                    return _lines_end(data, at)
                found = line  # it is long, and yet no quote is open
            at = found.end()
        return _lines_end(data, at)


@cache
def grammar_of(separator: str) -> Grammar:
    s = re.escape(separator).encode()
    end = rb"(?:\n|\r\n|\r(?=[^\n]))"
    plain = rb'(?!")[^%b\r\n]*+' % s
    closed = rb"%b*+(?=[%b\r\n])" % (rb"[ ]" if separator == "\t" else rb"[ \t]", s)
    orderly = rb'"[^"]*+(?:""[^"]*+)*+"%b' % closed
    quoted = rb'"(?:[^"]++|""|"(?!%b))*+"%b' % (closed, closed)
    flat = rb'"[^"\r\n]*+(?:""[^"\r\n]*+)*+"%b' % closed
    one, orderly_one, flat_one = (
        rb"(?:%b|%b)(?:%b(?:%b|%b))*+%b" % (value, plain, s, value, plain, end)
        for value in (quoted, orderly, flat)
    )
    simple = rb'[^"\r\n]*+\n'  # this is found faster
    many = rb"(?:%b|%b)*+" % (simple, flat_one)
    return Grammar(separator, re.compile(one), re.compile(orderly_one), re.compile(many))


def separator_of(head: bytes) -> str | None:
    """The separator of a file, by its first line; None if that is not complete yet."""
    plain = _QUOTED.sub(b"", head)
    found = re.match(rb"(?:[ \t]*[\r\n])*([^\r\n]+)[\r\n]", plain)
    if found is None:
        return None
    return chr(next((s for s in _SEPARATORS if s in found[1]), _SEPARATORS[0]))


@dataclass(eq=False)
class RowSplitter:
    """Takes bytes as they come, and gives whole rows in blocks: lines, if there is no grammar."""

    line: int = 1  # that of the rest
    grammar: Grammar | None = None
    rest: bytes = b""  # begins the next row
    skips: bool = False  # a line that is too long, until its end

    @property
    def held(self) -> int | None:
        """The bytes held of the next row; None while a line is skipped."""
        return None if self.skips else len(self.rest)

    def feed(self, data: bytes) -> Iterator[Block]:
        data, at, first = self.rest + data, 0, self.line
        rows, lost = list[bytes](), list[Bad]()
        rows_end = self.grammar.rows_end if self.grammar else _lines_end
        while True:
            if self.skips:
                found = _BREAK.search(data, at)
                # A carriage return at the very end may be half of a line's end.
                if found is None or (found[0] == b"\r" and found.end() == len(data)):
                    at = len(data) if found is None else found.start()
                    break
                rows.append(found[0])
                at, self.skips, self.line = found.end(), False, self.line + 1
            end, why = rows_end(data, at)
            rows.append(data[at:end])
            at, self.line = end, self.line + breaks(rows[-1])
            if not why:
                break
            lost.append(Bad(self.line, why, text_of(data[at : at + _SHOWN].splitlines()[0])))
            self.skips = True
        self.rest, whole = data[at:], b"".join(rows)
        if whole or lost:
            yield Block(first, whole + b"\n" if whole.endswith(b"\r") else whole, lost)

    def end(self) -> Iterator[Block]:
        """The remaining rows, once no more bytes come."""
        if self.rest and not self.skips:
            yield from self.feed(b"" if self.rest.endswith(b"\n") else b"\n")
        if self.rest and self.grammar is not None and not self.skips:
            row = Row(self.grammar, self.rest, self.line)
            self.rest, self.line = b"", self.line + breaks(row.data)
            yield Block(row.line, b"", (row.unclosed,))


def pieces(stream: BinaryIO, path: FilePath | str, size: int = SIZE) -> Iterator[bytes]:
    """The bytes of a file, without the mark of UTF-8. Raises DataError if it is one of UTF-16, or of gzip."""
    head = b""
    while len(head) < MARK and (data := stream.read(size)):
        head += data
    yield without_mark(head, path)
    yield from iter(partial(stream.read, size), b"")


MARK = len(BOM_UTF8)  # bytes that show whether a file begins with a mark


def without_mark(head: bytes, path: FilePath | str) -> bytes:
    if head.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        raise DataError(f"{path}: is UTF-16 text; save it as UTF-8")
    if head.startswith(b"\x1f\x8b"):
        raise DataError(f"{path}: is packed with gzip; give its name the ending .gz, or unpack it with zcat")
    return head.removeprefix(BOM_UTF8)


def breaks(data: bytes) -> int:
    """The number of line ends in some bytes."""
    returns = data.count(b"\r") - data.count(b"\r\n") if b"\r" in data else 0
    ends = np.frombuffer(data, np.uint8) == _NEW_LINE if len(data) > _NEAR else None
    return returns + (data.count(b"\n") if ends is None else int(np.count_nonzero(ends)))


def text_of(row: bytes) -> str:
    """A row without the end of its line; bytes that are not UTF-8 become surrogates."""
    return row.rstrip(b"\r\n").decode(errors="surrogateescape")


def _lines_end(data: bytes, at: int) -> tuple[int, str]:
    """The end of the whole lines from a place on, and why the line behind them is lost, if it is."""
    end = max(at, data.rfind(b"\n", at) + 1 or data.rfind(b"\r", at, -1) + 1)
    return end, _TOO_LONG if len(data) - end > LONGEST else ""
