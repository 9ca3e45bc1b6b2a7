"""The flow of changes: how many of each kind there were a second, over the last minute.

flow.take(seconds, changes)          at each status, with the counts so far
flow.rates("Malf")                   {"possible": 2.4, "confirmed": 0.1}
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass

WINDOW = 60.0
"""Seconds over which rates are taken."""
_PAUSE = 1.0


@dataclass(frozen=True)
class FlowMoment:
    """The counts of changes, by query and kind, at a moment in seconds since 1970."""

    at: float
    changes: Mapping[tuple[str, str], int]


class Flow:
    """Counts of the last minute, a second apart."""

    def __init__(self) -> None:
        self.moments: deque[FlowMoment] = deque()

    def take(self, at: float | None, changes: Mapping[tuple[str, str], int]) -> None:
        """The counts at a moment; None: at an unknown one."""
        if at is None or (self.moments and 0 <= at - self.moments[-1].at < _PAUSE):
            return
        self.moments.append(FlowMoment(at, dict(changes)))
        while not at - WINDOW - _PAUSE <= self.moments[0].at <= at:
            self.moments.popleft()

    def rates(self, query: str) -> dict[str, float]:
        """The changes of a query a second, by kind."""
        if len(self.moments) < 2:
            return {}
        first, last = self.moments[0], self.moments[-1]
        found = {}
        for (name, kind), count in last.changes.items():
            if name == query:
                found[kind] = (count - first.changes.get((name, kind), 0)) / (last.at - first.at)
        return found
