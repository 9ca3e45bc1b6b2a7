"""How far apart the times of a pattern can lie.

In come comparisons between times and the first ticks of these, out goes how much later one time can be
than another. Which facts can meet, when an answer is settled and how long a fact matters all follow from
that.

    A(X, T), B(X, U), U > T, U <= T + 9: U lies at least 1 and at most 9 ticks after T
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from antelog.compile.conditions.differences import ZERO, Differences, Most
from antelog.compile.nodes.patterns import Comparison, Earliest, Operand, Pattern, Time


class Times:
    """What comparisons between times and first ticks say together."""

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

    def furthest(self, origin: Time, time: Time) -> int | None:
        """The largest `time - origin` there can be; None if there is no bound."""
        most = self._differences.most(origin.variable or ZERO, time.variable or ZERO)
        return None if most is None else int(most.value) + time.offset - origin.offset

    def indirect(self) -> Iterator[tuple[str, str, int]]:
        """Two variables each, and by how much the second may be later, as only others in between say."""
        for start, end, most in self._differences.indirect():
            yield start, end, int(most.value)


_A_TICK = Most(-1)


def _placed(operand: Operand) -> tuple[str, int] | None:
    return (operand.variable or ZERO, operand.offset) if isinstance(operand, Time) else None


def times_of(pattern: Pattern) -> Times:
    return Times(pattern.comparisons, pattern.earliest)
