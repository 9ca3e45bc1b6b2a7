"""Where the rows of CSV end: at the line breaks that stand in no quotes, as RFC 4180 says.

A value is in quotes if a quote is the first of it. It goes on, over line breaks too, up to a quote that a
separator or the line's end follows; a quote in it is written twice. A quote that stands alone in it
closes nothing. Then the row is no row, for nobody knows where its value was meant to end. A quote that stays
open for too long is none either: its line is lost, and the next one begins a row.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import islice

from antelog.files.lines import BREAK, LONGEST, TOO_LONG, Bad, Block, Skip, breaks, end_of_lines, shown

LARGEST = 1 << 20
"""A row in which a quote is open has no more bytes than this."""

MOST_LINES = 1000
"""A row in which a quote is open has no more lines than this."""

_SEPARATORS = b",;\t"
_OPEN = f"has a quote that is not closed within {MOST_LINES:,} lines or {LARGEST >> 20} MiB"
_NEAR = 1 << 12
"""Most rows end within so many bytes."""
_HEAD = 1 << 16
"""The first bytes of a file, this many, tell what separates the values."""
_QUOTED = re.compile(rb'(?<![^,;\t\r\n])"[^"]*+(?:""[^"]*+)*+"')


@dataclass(frozen=True)
class Unclosed:
    """A row with a quote that is not closed.

    `line` is that of the quote, `last` the last one it takes, and `text` how the row begins.
    """

    line: int
    last: int
    text: str

    def __str__(self) -> str:
        taken = f"; it takes the lines up to {self.last} with it" if self.last > self.line else ""
        return f"has a quote that is not closed{taken}"


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
    orderly  rows as many as there are in whose values no quote stands alone
    flat     as many orderly rows as there are that have one line each
    begun    the orderly values before the first that is none
    value    a value of a row that is orderly, and the separator after it
    """

    separator: str
    one: re.Pattern[bytes]
    orderly: re.Pattern[bytes]
    flat: re.Pattern[bytes]
    begun: re.Pattern[bytes]
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
        if not self.is_orderly(body + b"\n"):
            lost = self.unclosed(data, line)
            return Row(line, lost.text, lost)
        return Row(line, text, [_value(found) for found in self.value.finditer(text + self.separator)])

    def unclosed(self, data: bytes, line: int) -> Unclosed:
        """The lines and the text of a row whose quotes are not in order."""
        begun = self.begun.match(data)
        before = data[: begun.end()] if begun else b""
        return Unclosed(line + breaks(before), line + max(0, breaks(data) - 1), shown(data))


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
    flat_row: bytes


def _parts(separator: str) -> _Parts:
    s = re.escape(separator).encode()
    space = _space(separator)
    end = rb"(?:\n|\r\n|\r(?=[^\n]))"
    plain = rb'(?!")[^%b\r\n]*+' % s
    closed = rb"%b*+(?=[%b\r\n])" % (space, s)
    orderly = rb'"[^"]*+(?:""[^"]*+)*+"%b' % closed
    alone = rb'"(?!%b)' % closed
    quoted = rb'"(?:[^"]++|""|%b)*+"%b' % (alone, closed)
    flat = rb'"[^"\r\n]*+(?:""[^"\r\n]*+)*+"%b' % closed
    rows = (
        rb"(?:%b|%b)(?:%b(?:%b|%b))*+%b" % (value, plain, s, value, plain, end)
        for value in (quoted, orderly, flat)
    )
    return _Parts(plain, orderly, *rows)


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
        re.compile(rb"(?:%b|%b)*+" % (simple, parts.orderly_row)),
        re.compile(rb"(?:%b|%b)*+" % (simple, parts.flat_row)),
        re.compile(rb"(?:(?:%b|%b)%b)*+" % (parts.orderly, parts.plain, s.encode())),
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

    No more of a row in which a quote is open is in memory than it may have. With a grammar, and the number of
    the next line, it goes on within a file.
    """

    def __init__(self, grammar: Grammar | None = None, line: int = 1) -> None:
        self._head = b""
        self._cutter = None if grammar is None else _RowCutter(grammar, first=line)

    @property
    def line(self) -> int:
        """The number of the next row's first line."""
        return self._cutter.first if self._cutter else 1

    @property
    def held(self) -> int | None:
        """The number of bytes held of the next row; None while a line is being skipped."""
        if self._cutter is None:
            return len(self._head)
        return None if self._cutter.skip else len(self._cutter.rest)

    def feed(self, data: bytes) -> Iterator[tuple[Grammar, Block]]:
        if self._cutter is None:
            self._head += data
            separator = separator_of(self._head[:_HEAD])
            if separator is None and len(self._head) < _HEAD:
                return
            data = self._begin(separator)
        assert self._cutter is not None
        for found in self._cutter.feed(data):
            yield self._cutter.grammar, found

    def end(self) -> Iterator[tuple[Grammar, Block]]:
        """The remaining rows, once no more bytes come."""
        data = b"" if self._cutter else self._begin(separator_of(self._head + b"\n"))
        assert self._cutter is not None
        for found in self._cutter.end(data):
            yield self._cutter.grammar, found

    def _begin(self, separator: str | None) -> bytes:
        data, self._head = self._head, b""
        self._cutter = _RowCutter(grammar_of(separator or ","))
        return data


@dataclass(eq=False)
class _RowCutter:
    """Cuts bytes into blocks: `rest` begins with line `first`, or is behind a line to `skip`."""

    grammar: Grammar
    first: int = 1
    rest: bytes = b""
    skip: Skip | None = None

    def feed(self, data: bytes) -> Iterator[Block]:
        if self.skip is not None:
            behind = self.skip.feed(data)
            if behind is None:
                return
            self.skip, data, self.first = None, behind, self.first + 1
        self.rest += data
        # A line that is lost leaves an empty one, so that the others keep their numbers.
        rest, at, line, kept, lost = self.rest, 0, self.first, list[bytes](), list[Bad]()
        while True:
            end, bad = self._rows_end(rest, at)
            kept.append(rest[at:end])
            line += breaks(kept[-1])
            if bad is None:
                break
            found = BREAK.search(rest, bad)
            at = found.end() if found is not None else len(rest)
            why = _OPEN if rest[bad : bad + 1] == b'"' else TOO_LONG
            lost.append(Bad(line + breaks(rest[end:bad]), why, shown(rest[end:at])))
            gone = BREAK.findall(rest[end:at])
            kept += gone
            line += len(gone)
            if found is None:
                self.skip, end = Skip(), at
                break
        block = b"".join(kept)
        first, self.rest, self.first = self.first, rest[end:], self.first + breaks(block)
        if block or lost:
            yield Block(first, block + b"\n" if block.endswith(b"\r") else block, tuple(lost))

    def end(self, data: bytes) -> Iterator[Block]:
        if self.rest or data:
            yield from self.feed(data if (data or self.rest).endswith(b"\n") else data + b"\n")
        if self.rest:
            row = self.grammar.unclosed(self.rest, self.first)
            first, self.first, self.rest = self.first, row.last + 1, b""
            yield Block(first, b"", (Bad(row.line, str(row), row.text),))

    def _rows_end(self, rest: bytes, at: int) -> tuple[int, int | None]:
        """The end of the whole rows from a place on; and where a line is lost behind them, if one is."""
        if rest.find(b'"', at) < 0:
            end = max(at, end_of_lines(rest))
            return end, end if len(rest) - end > LONGEST else None
        one = self.grammar.one
        while True:
            at = self._flat_end(rest, at)
            found = one.match(rest, at, at + _NEAR)
            if found is None or breaks(found[0]) > MOST_LINES:
                until = _limit(rest, at)
                found = one.match(rest, at) if until is None else one.match(rest, at, until + 1)
                if found is None and until is not None:
                    bad = self.grammar.begun.match(rest, at, until)
                    if bad is not None and rest[bad.end() : bad.end() + 1] == b'"':
                        return at, bad.end()
                    found = one.match(rest, at)  # it is long, and yet no quote is open
            if found is None:
                return at, at if len(rest) - at > LONGEST else None
            at = found.end()

    def _flat_end(self, rest: bytes, at: int) -> int:
        """The end of rows of one line each, before one that may be too large."""
        found = self.grammar.flat.match(rest, at)
        end = found.end() if found is not None else at
        if end - at > LARGEST:
            for line in rest[at:end].splitlines(keepends=True):
                if len(line) > LARGEST and b'"' in line:
                    return at
                at += len(line)
        return end


def _limit(rest: bytes, at: int) -> int | None:
    """Where a row is too large in which a quote is open then; None if that is not there yet."""
    found = next(islice(BREAK.finditer(rest, at), MOST_LINES - 1, None), None)
    until = at + LARGEST if found is None else min(at + LARGEST, found.end())
    return until if until < len(rest) else None
