"""The positions of the lines of all answers in a feed, so that those of one answer can be read again.

    positions.begin(4_000)          records behind position 4,000 follow
    positions.add("9f2c…")          one of them is a line of this answer
    positions.pieces("9f2c…")       [FeedPiece(4000, 1523)]: read that many records from there

A piece of the feed has some thousand records, and eight bytes for each line of an answer among them: of a
feed of 1 GB these are some 20 MB.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

LINES = 1_000
"""Lines of answers in a piece, about."""
RECORDS = 2_000
"""Records in a piece, about."""
MOST = 2_500_000
"""Lines of answers that are known, at most, the latest."""
_ID = 8
"""The bytes of the id of an answer."""


@dataclass(eq=False)
class FeedPiece:
    """A piece of a feed: the position before it, the number of its records, the ids of their answers."""

    position: int
    records: int = 0
    ids: bytearray = field(default_factory=bytearray)

    @property
    def lines(self) -> int:
        """The number of lines of answers."""
        return len(self.ids) // _ID


class AnswerPositions:
    """The pieces of a feed, in order."""

    def __init__(self) -> None:
        self.kept: deque[FeedPiece] = deque()
        self.lines, self.at = 0, 0

    def begin(self, position: int) -> None:
        """Some records follow, which are behind this position."""
        if position < self.at:  # the feed was begun anew
            self.kept.clear()
            self.lines = 0
        self.at = position
        last = self.kept[-1] if self.kept else None
        if last is None or last.lines >= LINES or last.records >= RECORDS:
            self.kept.append(FeedPiece(position))
            while self.lines > MOST:
                self.lines -= self.kept.popleft().lines

    def add(self, name: str | None) -> None:
        """A record, and the answer that it is a line of, if it is one."""
        if not self.kept:
            return
        piece = self.kept[-1]
        piece.records += 1
        if name is not None:
            piece.ids += bytes.fromhex(name)
            self.lines += 1

    def pieces(self, name: str) -> Sequence[FeedPiece]:
        """The pieces that have lines of an answer."""
        try:
            wanted = bytes.fromhex(name)
        except ValueError:
            return []
        return [each for each in self.kept if wanted in each.ids] if len(wanted) == _ID else []
