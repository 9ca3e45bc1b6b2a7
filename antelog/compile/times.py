"""How far apart the times of a pattern can lie.

Comparisons between times, first ticks and shared variables are difference constraints; the
largest difference they allow is a shortest way in the graph they form.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from antelog.compile.comparisons import mirrored
from antelog.compile.plan import Comparison, Pattern, Time

ZERO = ""
"""The variable that always is tick 0."""


class Times:
    """The difference constraints of a pattern."""

    def __init__(self, pattern: Pattern) -> None:
        self._upper: dict[str, dict[str, int]] = {ZERO: {}}
        for condition in pattern.earliest:
            self._constrain(condition.variable, ZERO, -condition.tick)
        for comparison in pattern.comparisons:
            for side in (comparison, mirrored(comparison)):
                self._compare(side)
        while any(self._tightened(comparison) for comparison in pattern.comparisons):
            pass  # if T is left out, T-1 is the last, and may be left out as well
        self._from: dict[str, dict[str, int]] = {}

    def _constrain(self, lower: str, upper: str, most: int) -> None:
        """`upper - lower` is at most `most`."""
        row = self._upper.setdefault(lower, {})
        self._upper.setdefault(upper, {})
        row[upper] = min(row.get(upper, most), most)

    def _compare(self, comparison: Comparison) -> None:
        left, right = comparison.left, comparison.right
        if not isinstance(left, Time) or not isinstance(right, Time):
            return
        if comparison.operator in ("<", "<=", "="):
            strict = comparison.operator == "<"
            most = right.offset - left.offset - strict
            self._constrain(right.variable or ZERO, left.variable or ZERO, most)

    def _tightened(self, comparison: Comparison) -> bool:
        """Leaves out the largest difference, if that is what a comparison says; or tells that it is not."""
        left, right = comparison.left, comparison.right
        if comparison.operator != "!=" or not isinstance(left, Time) or not isinstance(right, Time):
            return False
        found = False
        for one, other in ((left, right), (right, left)):
            lower, upper, most = one.variable or ZERO, other.variable or ZERO, one.offset - other.offset
            if self._upper.get(lower, {}).get(upper) == most:
                self._upper[lower][upper] = most - 1
                found = True
        return found

    def furthest(self, origin: Time, time: Time) -> int | None:
        """The largest `time - origin` there can be; None if there is no bound."""
        start, end = origin.variable or ZERO, time.variable or ZERO
        if start == end:
            return time.offset - origin.offset
        distance = self._reached(start).get(end)
        return None if distance is None else distance + time.offset - origin.offset

    def indirect(self) -> Iterator[tuple[str, str, int]]:
        """Two variables each, and by how much the second may be later, as only others in between say."""
        for start, direct in self._upper.items():
            for end, most in self._reached(start).items():
                if end != start and most < direct.get(end, most + 1):
                    yield start, end, most

    def _reached(self, start: str) -> dict[str, int]:
        if start not in self._from:
            self._from[start] = self._distances(start)
        return self._from[start]

    def _distances(self, start: str) -> dict[str, int]:
        """Bellman-Ford; constraints that contradict each other stop it after as many rounds as
        there are variables (the pattern then holds at no time, whatever is said of it)."""
        distances = {start: 0}
        rounds = {start: 0}
        waiting = deque([start])
        while waiting:
            variable = waiting.popleft()
            for other, most in self._upper.get(variable, {}).items():
                distance = distances[variable] + most
                if other not in distances or distance < distances[other]:
                    distances[other] = distance
                    rounds[other] = rounds.get(other, 0) + 1
                    if rounds[other] <= len(self._upper):
                        waiting.append(other)
        return distances
