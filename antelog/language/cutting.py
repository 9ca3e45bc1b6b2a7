"""Cuts text into statements at full stops, so that each has its own diagnostic, and blanks out comments.

    delay Temp(wt4, _, _) = 2 (70%, 30%).              % these two are percentages
    Hot(X, T) :- Temp(X, V, T), V >= 90%, a comment

`%` is part of a percentage right behind a number: in a `chance` behind `=` and `again`, in a `query` behind
`alert`, and in the second pair of parentheses of a `delay` or an `input`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from antelog.diagnostics import Span


@dataclass(frozen=True)
class Statement:
    """The place of a statement with its full stop, and of the first text in it without closing quotes."""

    start: int
    end: int
    quote: Span | None

    def moved(self, by: int) -> Statement:
        """Moves the statement to a later place."""
        quote = self.quote and Span(self.quote.start + by, self.quote.end + by)
        return Statement(self.start + by, self.end + by, quote)


@dataclass(frozen=True)
class Cut:
    """The statements of a text, and the text with spaces in place of comments."""

    text: str
    statements: tuple[Statement, ...]
    comments: tuple[Span, ...] = ()


_PIECE = re.compile(
    r"""(?P<space>\s+)
      | (?P<percent>%)                # of a percentage, or the beginning of a comment
      | "(?:[^"\\\n]|\\[^\n])*"       # a text
      | (?P<open>"[^\n]*)             # one that does not end on its line
      | \d+\.\d+                      # a number with a fraction: not the end of a statement
      | \.\.(?=[ \t]*[\w(+-])         # of a range of ticks
      | (?P<stop>\.)
      | [^\s%".\d]+ | \d+""",
    re.VERBOSE,
)
_LAST_STOP = re.compile(r"\.\s*(%.*)?\Z")
_BEGINS = frozenset({"chance", "input", "query"})
"""Words that begin a statement at the begin of a line, even if the full stop before is missing."""


class _Context:
    """The words of the statement so far that decide the meaning of a `%`."""

    first = before = last = ""
    opened = 0

    def read(self, piece: str, begins_line: bool) -> None:
        if not self.first or (begins_line and piece in _BEGINS):
            self.first, self.opened = piece, 0
        self.opened += 0 if piece.startswith('"') else piece.count("(")
        self.before, self.last = self.last, piece

    def takes_percentage(self) -> bool:
        """Whether the last word may be the number of a percentage."""
        if not self.last[:1].isdigit():
            return False
        if self.first in {"delay", "input"}:
            return self.opened > 1 and self.before.endswith(("(", ","))
        if self.first == "chance":
            return self.before.endswith("=") or self.before == "again"
        return self.first == "query" and self.before == "alert"


@lru_cache(maxsize=4)  # parser, layout and completion cut the same text
def cut(text: str) -> Cut:
    found: list[Statement] = []
    kept: list[str] = []
    comments: list[Span] = []
    context, at, end = _Context(), 0, 0
    start: int | None = None
    quote: Span | None = None
    after = -1  # where a number ended
    while piece := _PIECE.match(text, at):
        if piece["percent"] and not (at == after and context.takes_percentage()):
            line = text.find("\n", at)
            at, begin = line if line >= 0 else len(text), at
            kept.append(" " * (at - begin))
            comments.append(Span(begin, at))
            continue
        kept.append(piece[0])
        begins_line = text.rfind("\n", end, at) >= 0
        at = piece.end()
        if piece["space"]:
            continue
        start = piece.start() if start is None else start
        end = after = at
        context.read(piece[0], begins_line)
        stops = piece["stop"] is not None
        if piece["open"] is not None:
            quote = quote or Span(piece.start(), end)
            stops = _LAST_STOP.search(piece["open"]) is not None
        if stops:
            found.append(Statement(start, end, quote))
            start, quote, context = None, None, _Context()
    if start is not None:
        found.append(Statement(start, end, quote))
    return Cut("".join(kept), tuple(found), tuple(comments))
