"""Difference constraints: how far apart variables can be, as comparisons say together.

The largest difference they allow is a shortest way in the graph they form. A way round that is
shorter than nothing says that they contradict each other.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True, order=True)
class Most:
    """The largest a difference can be; if some comparisons say that it is `below`, minus their number."""

    value: int | Fraction
    below: int = 0

    def __add__(self, other: Most) -> Most:
        return Most(self.value + other.value, self.below + other.below)


class Differences:
    """What constraints allow the differences of variables to be.

    `most` are triples: how much later, or greater, the second may be than the first. `unequal` are
    differences that there are not, from the one to the other and from the other to the one. To leave
    out the largest makes what is left less by a `step`.
    """

    def __init__(
        self,
        most: Iterable[tuple[str, str, Most]],
        unequal: Iterable[tuple[str, str, Most]],
        step: Most,
    ) -> None:
        self._most: dict[str, dict[str, Most]] = {}
        for lower, upper, limit in most:
            self._constrain(lower, upper, limit)
        self._from: dict[str, dict[str, Most]] = {}
        different = list(unequal)
        # If one is left out, the one before it is the last, and may be left out as well.
        while any(self._tightened(one, other, difference, step) for one, other, difference in different):
            self._from.clear()

    def _constrain(self, lower: str, upper: str, limit: Most) -> None:
        row = self._most.setdefault(lower, {})
        self._most.setdefault(upper, {})
        row[upper] = min(row.get(upper, limit), limit)

    def _tightened(self, one: str, other: str, difference: Most, step: Most) -> bool:
        if self.possible and self.most(one, other) == difference:
            self._constrain(one, other, difference + step)
            return True
        return False

    def most(self, lower: str, upper: str) -> Most | None:
        """The largest `upper - lower` there can be; None if there is no bound."""
        return Most(0) if lower == upper else self._reached(lower).get(upper)

    def indirect(self) -> Iterator[tuple[str, str, Most]]:
        """Two variables each, and how far apart they may be, as only others in between say."""
        for start, direct in self._most.items():
            for end, most in self._reached(start).items():
                if end != start and (end not in direct or most < direct[end]):
                    yield start, end, most

    @property
    def possible(self) -> bool:
        """Whether the constraints can hold together."""
        return all(self._reached(start)[start] >= Most(0) for start in self._most)

    def _reached(self, start: str) -> dict[str, Most]:
        if start not in self._from:
            self._from[start] = self._distances(start)
        return self._from[start]

    def _distances(self, start: str) -> dict[str, Most]:
        """Bellman-Ford; constraints that contradict each other stop it after as many rounds as
        there are variables."""
        distances = {start: Most(0)}
        rounds = {start: 0}
        waiting = deque([start])
        while waiting:
            variable = waiting.popleft()
            for other, most in self._most.get(variable, {}).items():
                distance = distances[variable] + most
                if other not in distances or distance < distances[other]:
                    distances[other] = distance
                    rounds[other] = rounds.get(other, 0) + 1
                    if rounds[other] <= len(self._most):
                        waiting.append(other)
        return distances
