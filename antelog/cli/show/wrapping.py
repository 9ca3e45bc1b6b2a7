"""Lines that fit a terminal: cut at spaces, and where there are several of them rather than at one.

    ● Temp(wt1, high, 0)  ● Temp(wt1, high, 1)
    ○ Temp(wt1, high, 2)

Nothing else is cut: a link and a path stay whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from rich.cells import cell_len
from rich.text import Text

_LEAST = 20
"""A narrower line is no help: indents are given up for it."""
_GROUP = re.compile(r"[^ ]+(?: [^ ]+)*+")
"""Words with one space between them stay on a line: a literal with its mark, a value with its name."""
_WORD = re.compile(r"[^ ]+")
_FURTHER_IN = 2
"""The rest of a group begins so many spaces further in."""
_EXCERPT = re.compile(r" *\d* \|")


@dataclass(frozen=True)
class LinePart:
    """A part of a text as a line: from where to where, and the spaces in front of it."""

    start: int
    end: int
    indent: int


@dataclass
class _Filling:
    """A line that is being filled; `used` is its width so far."""

    width: int
    used: int
    start: int = 0
    end: int = 0
    indent: int = 0

    def takes(self, text: str, end: int) -> bool:
        """Takes a piece of the text if there is room for it, or nothing in the line yet."""
        wider = self.used + cell_len(text[self.end : end])
        if wider > self.width and self.end > self.start:
            return False
        self.used, self.end = wider, end
        return True

    def next(self, indent: int, start: int) -> LinePart:
        """Begins a new line; returns the one before."""
        part = LinePart(self.start, self.end, self.indent)
        self.start = self.end = start
        self.indent = self.used = indent
        return part


def parts(text: str, width: int, indent: int, used: int = 0) -> Iterator[LinePart]:
    """The lines of a text; those after the first have an indent, and the first has `used` in front of it."""
    indent = max(0, min(indent, width - _LEAST - _FURTHER_IN))
    line = _Filling(width, used)
    for group in _GROUP.finditer(text):
        if line.takes(text, group.end()):
            if line.used <= width:
                continue
            line.used, line.end = used, 0  # the first group of all, which is too long
        elif indent + cell_len(group[0]) <= width:
            yield line.next(indent, group.start())
            line.takes(text, group.end())
            continue
        for word in _WORD.finditer(text, group.start(), group.end()):
            if not line.takes(text, word.end()):
                yield line.next(indent + _FURTHER_IN, word.start())
                line.takes(text, word.end())
    yield LinePart(line.start, line.end, line.indent)


def wrapped_text(line: Text, width: int, indent: int) -> Iterator[Text]:
    """A line with colours, cut to lines."""
    for part in parts(line.plain, width, indent):
        yield (
            Text(" " * part.indent).append_text(line[part.start : part.end])
            if part.indent
            else line[part.start : part.end]
        )


def wrapped(text: str, width: int, used: int = 0) -> str:
    """A message of several lines, cut to lines. An excerpt of a program, with carets below, is left whole."""
    lines: list[str] = []
    for line in text.split("\n"):
        if _EXCERPT.match(line):
            lines.append(line)
            continue
        indent = len(line) - len(line.lstrip(" "))
        cut = parts(line, width, indent, 0 if lines else used)
        lines += [" " * each.indent + line[each.start : each.end] for each in cut]
    return "\n".join(lines)
