"""The largest difference between two variables that a set of comparisons allows.

The largest difference there can be between two variables is a shortest path in the graph that comparisons
form; a cycle of negative length means that they contradict each other. Times use this and values too, each
with its own smallest step. Which facts can meet, when an answer is decided and how long a fact matters all
follow from how far apart times can lie.

    U <= T + 2, V <= U + 3: V is at most 5 later than T      U < T, T < U: impossible
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from typing import NamedTuple, TypeAlias

from antelog.compile.literals.comparison import Comparison
from antelog.compile.literals.terms import Operand, Time
from antelog.compile.nodes.patterns import Earliest, Pattern

ZERO = ""
"""The variable that always is 0."""


class Most(NamedTuple):
    """The upper bound of a difference; `below` is minus the number of strict comparisons it follows from."""

    value: int | Fraction
    below: int = 0

    def plus(self, other: Most) -> Most:
        return Most(self.value + other.value, self.below + other.below)


Placed: TypeAlias = Callable[[Operand], tuple[str, int | Fraction] | None]
"""What an operand is: a variable and what is added to it; None if it is of another sort."""


class Differences:
    """Difference constraints between variables.

    `most` are triples: how much later, or greater, the second may be than the first. `unequal` are
    differences that are excluded, in both directions: `excludes` says whether there are any. Excluding the
    largest makes the next one smaller by a `step`.
    """

    def __init__(
        self, most: Iterable[tuple[str, str, Most]], unequal: Iterable[tuple[str, str, Most]], step: Most
    ) -> None:
        self._most: dict[str, dict[str, Most]] = {}
        for lower, upper, limit in most:
            self._constrain(lower, upper, limit)
        self._from: dict[str, dict[str, Most]] = {}
        self.possible = self._consistent()
        different = list(unequal)
        self.excludes = bool(different)
        # If one is left out, the one before it is the last, and may be left out as well.
        while any(self._tightened(one, other, difference, step) for one, other, difference in different):
            self._from.clear()
            self.possible = self._consistent()

    @classmethod
    def of(
        cls,
        comparisons: Iterable[Comparison],
        placed: Placed,
        step: Most,
        known: Iterable[tuple[str, str, Most]] = (),
    ) -> Differences:
        """The constraints of comparisons between operands of one sort, and further known ones."""
        most, unequal = list(known), []
        for comparison in comparisons:
            for side in (comparison, comparison.mirrored):
                left, right = placed(side.left), placed(side.right)
                if left is None or right is None:
                    continue
                (upper, more), (lower, less) = left, right
                difference = Most(less - more)
                if side.operator in ("<", "<=", "="):
                    most.append((lower, upper, difference.plus(step) if side.operator == "<" else difference))
                elif side.operator == "!=":
                    unequal.append((lower, upper, difference))
        return cls(most, unequal, step)

    def _constrain(self, lower: str, upper: str, limit: Most) -> None:
        row = self._most.setdefault(lower, {})
        self._most.setdefault(upper, {})
        row[upper] = min(row.get(upper, limit), limit)

    def _tightened(self, one: str, other: str, difference: Most, step: Most) -> bool:
        if self.possible and self.most(one, other) == difference:
            self._constrain(one, other, difference.plus(step))
            return True
        return False

    def most(self, lower: str, upper: str) -> Most | None:
        """The largest `upper - lower` there can be; None if there is no bound."""
        return Most(0) if lower == upper else self._reached(lower).get(upper)

    def follows(self, wanted: Comparison, placed: Placed, step: Most) -> bool | None:
        """Whether a comparison follows from the largest differences; None if these are not all that is known.

        They are not if differences are excluded: with X <= Y, X != Y something else may have no room.
        """
        left, right = placed(wanted.left), placed(wanted.right)
        if left is None or right is None:
            return None
        (upper, more), (lower, less) = left, right
        above, below = self.most(lower, upper), self.most(upper, lower)
        most, least = Most(less - more), Most(more - less)
        holds = {
            "<": above is not None and above <= most.plus(step),
            "<=": above is not None and above <= most,
            ">": below is not None and below <= least.plus(step),
            ">=": below is not None and below <= least,
        }
        holds["="] = holds["<="] and holds[">="]
        holds["!="] = holds["<"] or holds[">"]
        if holds[wanted.operator] or not self.possible:
            return True
        return None if self.excludes else False

    def indirect(self) -> Iterator[tuple[str, str, Most]]:
        """Pairs of variables with a bound on their difference, as implied only through others."""
        for start, direct in self._most.items():
            for end, most in self._reached(start).items():
                if end != start and (end not in direct or most < direct[end]):
                    yield start, end, most

    def _consistent(self) -> bool:
        """Whether no circle of constraints leads below nothing."""
        return self._settled(dict.fromkeys(self._most, Most(0)))

    def _reached(self, start: str) -> dict[str, Most]:
        if start not in self._from:
            self._from[start] = {start: Most(0)}
            self._settled(self._from[start])
        return self._from[start]

    def _settled(self, distances: dict[str, Most]) -> bool:
        """Bellman-Ford: makes distances as small as constraints say, from those that are given.

        Constraints that contradict each other stop it after as many rounds as there are variables.
        """
        rounds = dict.fromkeys(distances, 1)
        waiting, among = deque(distances), set(distances)
        while waiting:
            variable = waiting.popleft()
            among.discard(variable)
            for other, most in self._most.get(variable, {}).items():
                distance = distances[variable].plus(most)
                if other not in distances or distance < distances[other]:
                    distances[other] = distance
                    if other in among:
                        continue
                    rounds[other] = rounds.get(other, 0) + 1
                    if rounds[other] > len(self._most):
                        return False
                    among.add(other)
                    waiting.append(other)
        return True


class Times:
    """Difference constraints between times, from comparisons and first ticks."""

    def __init__(self, comparisons: Iterable[Comparison], earliest: Iterable[Earliest]) -> None:
        comparisons = tuple(comparisons)
        first = ((each.variable, ZERO, Most(-each.tick)) for each in earliest)
        self._differences = Differences.of(comparisons, _placed, _A_TICK, first)
        self.unequal = tuple(
            (c.left, c.right)
            for c in comparisons
            if c.operator == "!=" and isinstance(c.left, Time) and isinstance(c.right, Time)
        )

    @property
    def possible(self) -> bool:
        return self._differences.possible

    def follows(self, wanted: Comparison) -> bool | None:
        """Whether a comparison of times follows; None if only a longer search tells."""
        return self._differences.follows(wanted, _placed, _A_TICK)

    def furthest(self, origin: Time, time: Time) -> int | None:
        """The largest `time - origin` there can be; None if there is no bound."""
        most = self._differences.most(origin.variable or ZERO, time.variable or ZERO)
        return None if most is None else int(most.value) + time.offset - origin.offset

    def indirect(self) -> Iterator[tuple[str, str, int]]:
        """Pairs of variables, with the most ticks the second may be later, as implied only through others."""
        for start, end, most in self._differences.indirect():
            yield start, end, int(most.value)


_A_TICK = Most(-1)


def _placed(operand: Operand) -> tuple[str, int] | None:
    return (operand.variable or ZERO, operand.offset) if isinstance(operand, Time) else None


def times_of(pattern: Pattern) -> Times:
    return Times(pattern.comparisons, pattern.earliest)
