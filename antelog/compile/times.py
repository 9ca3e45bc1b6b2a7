"""How far apart the times of a pattern can lie."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from antelog.compile.comparisons import mirrored
from antelog.compile.differences import Differences, Most
from antelog.compile.plan import Comparison, Earliest, Pattern, Time

ZERO = ""
"""The variable that always is tick 0."""


class Times:
    """What comparisons between times and first ticks say together."""

    def __init__(self, comparisons: Iterable[Comparison], earliest: Iterable[Earliest]) -> None:
        most = [(each.variable, ZERO, Most(-each.tick)) for each in earliest]
        unequal = []
        for comparison in comparisons:
            for side in (comparison, mirrored(comparison)):
                left, right = side.left, side.right
                if not isinstance(left, Time) or not isinstance(right, Time):
                    continue
                between = right.variable or ZERO, left.variable or ZERO
                difference = Most(right.offset - left.offset)
                if side.operator in ("<", "<=", "="):
                    most.append((*between, difference + _A_TICK if side.operator == "<" else difference))
                elif side.operator == "!=":
                    unequal.append((*between, difference))
        self._differences = Differences(most, unequal, _A_TICK)

    @property
    def possible(self) -> bool:
        return self._differences.possible

    def furthest(self, origin: Time, time: Time) -> int | None:
        """The largest `time - origin` there can be; None if there is no bound."""
        most = self._differences.most(origin.variable or ZERO, time.variable or ZERO)
        return None if most is None else int(most.value) + time.offset - origin.offset

    def indirect(self) -> Iterator[tuple[str, str, int]]:
        """Two variables each, and by how much the second may be later, as only others in between say."""
        for start, end, most in self._differences.indirect():
            yield start, end, int(most.value)


_A_TICK = Most(-1)


def times_of(pattern: Pattern) -> Times:
    return Times(pattern.comparisons, pattern.earliest)
