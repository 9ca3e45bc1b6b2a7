"""Lines that fit a terminal: cut at spaces, and where there are several of them rather than at one.

    ● Temp(wt1, high, 0)  ● Temp(wt1, high, 1)
    ○ Temp(wt1, high, 2)

Nothing else is cut: a link and a path stay whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

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


def _lines(text: str, width: int, indent: int, used: int = 0) -> Iterator[tuple[int, int, int]]:
    """The lines of a text: from where to where, and the spaces before it; `used` are before the first one."""
    indent = max(0, min(indent, width - _LEAST - _FURTHER_IN))
    start = end = before = 0
    for group in _GROUP.finditer(text):
        if used + cell_len(text[end : group.end()]) <= width:
            used, end = used + cell_len(text[end : group.end()]), group.end()
            continue
        whole = end > start and indent + cell_len(group[0]) <= width
        for piece in [group] if whole else _WORD.finditer(text, group.start(), group.end()):
            if end > start and used + cell_len(text[end : piece.end()]) > width:
                yield start, end, before
                start = end = piece.start()
                before = used = indent if whole else indent + _FURTHER_IN
            used, end = used + cell_len(text[end : piece.end()]), piece.end()
    yield start, end, before


def wrapped_text(line: Text, width: int, indent: int) -> Iterator[Text]:
    """A line with colours, cut to lines."""
    for start, end, before in _lines(line.plain, width, indent):
        yield Text(" " * before).append_text(line[start:end]) if before else line[start:end]


def wrapped(text: str, width: int, used: int = 0) -> str:
    """A message of several lines, cut to lines. An excerpt of a program, with carets below, is left whole."""
    lines: list[str] = []
    for line in text.split("\n"):
        if _EXCERPT.match(line):
            lines.append(line)
            continue
        indent = len(line) - len(line.lstrip(" "))
        cut = _lines(line, width, indent, 0 if lines else used)
        lines += [" " * before + line[start:end] for start, end, before in cut]
    return "\n".join(lines)
