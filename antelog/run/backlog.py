"""How far behind its source an input is: what is unread, and for how long at most it has been there.

    backlog.look(SourceExtent(read=100, there=100), wall=0)
    backlog.look(SourceExtent(read=300, there=900), wall=5_000_000)     600 bytes, 5 seconds

What is there now came after the last look at which all that there was has been read by now.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Any

from antelog.run.sources.source import SourceExtent

_MOST = 2_000
"""Looks that are kept, at most; of more, every other one."""


@dataclass(frozen=True)
class _Look:
    """The rows or bytes of a source at a moment, in microseconds since 1970."""

    wall: int
    there: int


@dataclass(eq=False)
class Backlog:
    """The unread rows or bytes of one source, and for how many microseconds they have been there."""

    unread: int = 0
    unit: str = ""
    behind: int = 0
    _looks: deque[_Look] = field(default_factory=deque)

    def look(self, extent: SourceExtent, wall: int) -> None:
        """Looks at a source at a moment."""
        looks = self._looks
        looks.append(_Look(wall, extent.there))
        while len(looks) > 1 and looks[1].there <= extent.read:
            looks.popleft()
        if len(looks) > _MOST:
            self._looks = deque([*looks][::2])
        self.unread, self.unit = max(0, extent.there - extent.read), extent.unit
        self.behind = max(1, wall - looks[0].wall) if self.unread else 0

    def status(self) -> dict[str, Any]:
        """As the feed has it, in seconds; nothing before the first look."""
        if not self.unit:
            return {}
        return {"unread": self.unread, "unit": self.unit, "behind": round(self.behind / 1e6, 1)}
