"""Where the rows of CSV end: at the line breaks that stand in no quotes, as RFC 4180 says.

A value is in quotes if a quote is the first of it. It goes on, over line breaks too, up to a quote that a
separator or the line's end follows; a quote in it is written twice. A quote that stands alone in it
closes nothing. Then the row is no row, for nobody knows where its value was meant to end.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from antelog.files.lines import LONGEST, Block, breaks, end_of_lines, too_long

LARGEST = 1 << 24
"""A row in which a quote is open has no more bytes than this."""

SHOWN = 1000
"""The characters shown of a row with a quote that is not closed."""

_SEPARATORS = b",;\t"
_LAST_BREAK = re.compile(rb"\r?\n?\Z")
_HEAD = 1 << 16
"""The first bytes of a file, this many, tell what separates the values."""
_QUOTED = re.compile(rb'(?<![^,;\t\r\n])"[^"]*+(?:""[^"]*+)*+"')


@dataclass(frozen=True)
class Unclosed:
    """A row with a quote that is not closed, or not soon enough: then the row is too `large`.

    `line` is that of the quote, `last` the last one it takes, and `text` how the row begins.
    """

    line: int
    last: int
    text: str
    large: bool = False

    def __str__(self) -> str:
        soon = f" within {LARGEST >> 20} MiB" if self.large else ""
        taken = f"; it takes the lines up to {self.last} with it" if self.last > self.line else ""
        return f"has a quote that is not closed{soon}{taken}"


@dataclass(frozen=True, eq=False)
class Row:
    """A row: its first line, its text, its values or what is wrong with its quotes."""

    line: int
    text: str
    values: list[str] | Unclosed


@dataclass(frozen=True)
class Grammar:
    """The grammar of CSV with a certain separator: patterns of bytes, and of a value in a text.

    one      a row, in order or not, with the end of its line
    many     as many rows as there are
    orderly  rows as many as there are in whose values no quote stands alone
    begun    the orderly values before the first that is none
    open     what surely belongs to a value whose quote is open
    value    a value of a row that is orderly, and the separator after it
    """

    separator: str
    one: re.Pattern[bytes]
    many: re.Pattern[bytes]
    orderly: re.Pattern[bytes]
    begun: re.Pattern[bytes]
    open: re.Pattern[bytes]
    value: re.Pattern[str]

    def is_orderly(self, data: bytes) -> bool:
        """Whether in whole rows no quote stands alone."""
        found = self.orderly.match(data)
        return found is not None and found.end() == len(data)

    def rows(self, block: Block) -> Iterator[Row]:
        """The rows of a block; an empty line is a row as well."""
        line, at = block.first, 0
        while (found := self.one.match(block.data, at)) is not None:
            yield self.row(found[0], line)
            line, at = line + breaks(found[0]), found.end()

    def row(self, data: bytes, line: int) -> Row:
        """One row, with the end of its line."""
        body = data.rstrip(b"\r\n")
        text = body.decode(errors="surrogateescape")
        if b'"' not in data:
            return Row(line, text, text.split(self.separator))
        if len(body) > LARGEST or not self.is_orderly(body + b"\n"):
            lost = self.unclosed(data, line)
            return Row(line, lost.text, replace(lost, large=len(body) > LARGEST))
        return Row(line, text, [_value(found) for found in self.value.finditer(text + self.separator)])

    def unclosed(self, data: bytes, line: int) -> Unclosed:
        """The lines and the text of a row whose quotes are not in order."""
        begun = self.begun.match(data)
        before = data[: begun.end()] if begun else b""
        text = data[:SHOWN].rstrip(b"\r\n").decode(errors="surrogateescape")
        return Unclosed(line + breaks(before), line + max(0, breaks(data) - 1), text)


def _value(found: re.Match[str]) -> str:
    quoted, after, plain = found.groups()
    return plain if quoted is None else quoted.replace('""', '"') + after


@dataclass(frozen=True)
class _Parts:
    """Parts of the patterns of a grammar, by what they match."""

    plain: bytes
    orderly: bytes
    row: bytes
    orderly_row: bytes
    sure: bytes


def _parts(separator: str) -> _Parts:
    s = re.escape(separator).encode()
    space = _space(separator)
    end = rb"(?:\n|\r\n|\r(?=[^\n]))"
    plain = rb'(?!")[^%b\r\n]*+' % s
    closed = rb"%b*+(?=[%b\r\n])" % (space, s)
    orderly = rb'"[^"]*+(?:""[^"]*+)*+"%b' % closed
    alone = rb'"(?!%b)' % closed
    quoted = rb'"(?:[^"]++|""|%b)*+"%b' % (alone, closed)
    row, orderly_row = (
        rb"(?:%b|%b)(?:%b(?:%b|%b))*+%b" % (value, plain, s, value, plain, end) for value in (quoted, orderly)
    )
    return _Parts(plain, orderly, row, orderly_row, rb'"(?=%b*+[^%b\r\n" \t])' % (space, s))


def _space(separator: str) -> bytes:
    """The spaces allowed between a closing quote and a separator, as a pattern."""
    return rb"[ ]" if separator == "\t" else rb"[ \t]"


@cache
def grammar_of(separator: str) -> Grammar:
    parts = _parts(separator)
    simple = rb'[^"\r\n]*+\n'  # this is found faster
    s, space = re.escape(separator), _space(separator).decode()
    return Grammar(
        separator,
        re.compile(parts.row),
        re.compile(rb"(?:%b|%b)*+" % (simple, parts.row)),
        re.compile(rb"(?:%b|%b)*+" % (simple, parts.orderly_row)),
        re.compile(rb"(?:(?:%b|%b)%b)*+" % (parts.orderly, parts.plain, s.encode())),
        re.compile(rb'"(?:[^"]++|""|%b)*+' % parts.sure),
        re.compile(rf'(?:"([^"]*+(?:""[^"]*+)*+)"({space}*+)|((?!")[^{s}]*+)){s}'),
    )


def row_pattern(separator: str) -> str:
    """The pattern of a whole row, with the end of its line, in which no quote stands alone; also for Java."""
    return rf"\A{_parts(separator).orderly_row.decode()}\Z"


def separator_of(head: bytes) -> str | None:
    """The separator of a file, by its first line; None if that is not complete yet."""
    plain = _QUOTED.sub(b"", head)
    found = re.match(rb"(?:[ \t]*[\r\n])*([^\r\n]+)[\r\n]", plain)
    if found is None:
        return None
    return chr(next((s for s in _SEPARATORS if s in found[1]), _SEPARATORS[0]))


class Records:
    """Takes the bytes of a CSV file as they come, and gives the rows that are whole, in blocks.

    Rows whose quotes have no end come apart from them. No more than about `LARGEST` bytes of a row in which
    a quote is open are in memory. With a grammar, and the number of the next line, it goes on within a file.
    """

    def __init__(self, path: Path | str, grammar: Grammar | None = None, line: int = 1) -> None:
        self._path = path
        self._head = b""
        self._cutter = None if grammar is None else _RowCutter(grammar, path, first=line)

    @property
    def line(self) -> int:
        """The number of the next row's first line."""
        return self._cutter.first if self._cutter else 1

    @property
    def held(self) -> int | None:
        """The number of bytes held of the next row; None while a row is being skipped."""
        if self._cutter is None:
            return len(self._head)
        return None if self._cutter.lost else len(self._cutter.rest)

    def feed(self, data: bytes) -> Iterator[tuple[Grammar, Block | Unclosed]]:
        if self._cutter is None:
            self._head += data
            separator = separator_of(self._head[:_HEAD])
            if separator is None and len(self._head) < _HEAD:
                return
            data = self._begin(separator)
        yield from self._found(data)

    def end(self) -> Iterator[tuple[Grammar, Block | Unclosed]]:
        """The remaining rows, once no more bytes come."""
        data = b"" if self._cutter else self._begin(separator_of(self._head + b"\n"))
        cutter = self._cutter
        assert cutter is not None
        for found in cutter.end(data):
            yield cutter.grammar, found

    def _begin(self, separator: str | None) -> bytes:
        data, self._head = self._head, b""
        self._cutter = _RowCutter(grammar_of(separator or ","), self._path)
        return data

    def _found(self, data: bytes) -> Iterator[tuple[Grammar, Block | Unclosed]]:
        cutter = self._cutter
        assert cutter is not None
        for found in cutter.feed(data):
            yield cutter.grammar, found


@dataclass(eq=False)
class _RowCutter:
    """Cuts bytes into blocks: `rest` begins with line `first`, `lost` is a row that is given up already."""

    grammar: Grammar
    path: Path | str
    rest: bytes = b""
    first: int = 1
    lost: Unclosed | None = None

    def feed(self, data: bytes) -> Iterator[Block | Unclosed]:
        self.rest += data
        if self.lost is not None and (found := self.grammar.one.match(self.rest)) is not None:
            yield self._given_up(found[0], large=True)
            self.lost = None
            self._drop(found.end())
        if self.lost is None and (end := self._end()):
            data = self.rest[:end]
            yield Block(self.first, data + b"\n" if data.endswith(b"\r") else data)
            self._drop(end)
        while len(self.rest) > LARGEST + len(b"\r\n") and self._shorten():
            pass
        if len(self.rest) > LONGEST:
            raise too_long(self.path, self.first)

    def end(self, data: bytes) -> Iterator[Block | Unclosed]:
        if self.rest or data:
            yield from self.feed(data if (data or self.rest).endswith(b"\n") else data + b"\n")
        if self.rest:
            yield self._given_up(self.rest, large=False)

    def _end(self) -> int:
        """The end of the last whole row."""
        if b'"' not in self.rest:
            return end_of_lines(self.rest)
        found = self.grammar.many.match(self.rest)
        return found.end() if found else 0

    def _drop(self, count: int) -> None:
        self.first += breaks(self.rest[:count])
        self.rest = self.rest[count:]

    def _given_up(self, row: bytes, *, large: bool) -> Unclosed:
        lost = self.lost or self.grammar.unclosed(row, self.first)
        return replace(lost, last=self.first + max(0, breaks(row) - 1), large=large)

    def _shorten(self) -> bool:
        """Leaves out what surely belongs to an open quote, if there is one; it is as open without that."""
        begun = self.grammar.begun.match(self.rest)
        found = self.grammar.open.match(self.rest, begun.end() if begun else 0)
        if found is None:
            return False
        # A line's end stays: it may be half of one, or that of the last line.
        held = _LAST_BREAK.search(found[0])
        gone = found.end() - (len(held[0]) if held else 0)
        if gone < 2:
            return False
        self.lost = self.lost or self.grammar.unclosed(self.rest, self.first)
        self._drop(gone)
        self.rest = b'"' + self.rest
        return True
