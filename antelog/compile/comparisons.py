"""Comparisons as a graph: a shortest path is the largest difference, a negative cycle a contradiction.

U <= T + 2, V <= U + 3: V is at most 5 later than T      W > V, W < 10: V < 10 follows
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple, TypeAlias

from antelog.compile.literals import Comparison, terms
from antelog.compile.literals.literal import Literal, ReferenceReach
from antelog.compile.nodes.patterns import Earliest, Pattern
from antelog.language.syntax import OPPOSITE

ZERO = ""  # the variable whose value is always 0


class Most(NamedTuple):
    """An upper bound of a difference; `below` is minus the number of strict comparisons it follows from."""

    value: int | Fraction
    below: int = 0

    def plus(self, other: Most) -> Most:
        return Most(self.value + other.value, self.below + other.below)


Placed: TypeAlias = Callable[[terms.Operand], tuple[str, int | Fraction] | None]
"""Splits an operand into a variable and the number added to it; None if it has no such form."""


class Differences:
    """Bounds of differences of operands of one sort; where `!=` excludes the largest, it is a `step` less."""

    def __init__(
        self,
        comparisons: Iterable[Comparison],
        placed: Placed,
        step: Most,
        known: Iterable[tuple[str, str, Most]],
    ) -> None:
        self._placed, self._step = placed, step
        self._most: dict[str, dict[str, Most]] = {}
        self._from: dict[str, dict[str, Most]] = {}
        for lower, upper, limit in known:
            self._constrain(lower, upper, limit)
        unequal: list[tuple[str, str, Most]] = []
        for comparison in comparisons:
            for side in (comparison, comparison.mirrored):
                left, right = placed(side.left), placed(side.right)
                if left is None or right is None:
                    continue
                (upper, more), (lower, less) = left, right
                difference = Most(less - more)
                if side.operator in ("<", "<=", "="):
                    limit = difference.plus(step) if side.operator == "<" else difference
                    self._constrain(lower, upper, limit)
                elif side.operator == "!=":
                    unequal.append((lower, upper, difference))
        self.possible = self._consistent()
        self.excludes = bool(unequal)
        # If one is left out, the one before it is the last, and may be left out as well.
        while any(self._tightened(one, other, difference) for one, other, difference in unequal):
            self._from.clear()
            self.possible = self._consistent()

    def _constrain(self, lower: str, upper: str, limit: Most) -> None:
        row = self._most.setdefault(lower, {})
        self._most.setdefault(upper, {})
        row[upper] = min(row.get(upper, limit), limit)

    def _tightened(self, one: str, other: str, difference: Most) -> bool:
        if self.possible and self.most(one, other) == difference:
            self._constrain(one, other, difference.plus(self._step))
            return True
        return False

    def most(self, lower: str, upper: str) -> Most | None:
        """Returns the largest `upper - lower` there can be; None if there is no bound."""
        return Most(0) if lower == upper else self._reached(lower).get(upper)

    def follows(self, wanted: Comparison) -> bool | None:
        """Returns whether a comparison follows from the bounds alone; None if that is not enough to tell."""
        left, right = self._placed(wanted.left), self._placed(wanted.right)
        if left is None or right is None:
            return None
        (upper, more), (lower, less) = left, right
        above, below = self.most(lower, upper), self.most(upper, lower)
        most, least = Most(less - more), Most(more - less)
        holds = {
            "<": above is not None and above <= most.plus(self._step),
            "<=": above is not None and above <= most,
            ">": below is not None and below <= least.plus(self._step),
            ">=": below is not None and below <= least,
        }
        holds["="] = holds["<="] and holds[">="]
        holds["!="] = holds["<"] or holds[">"]
        if holds[wanted.operator] or not self.possible:
            return True
        # With X <= Y, X != Y something else may have no room.
        return None if self.excludes else False

    def _consistent(self) -> bool:
        """Returns whether no cycle of constraints has a negative length."""
        return self._settled(dict.fromkeys(self._most, Most(0)))

    def _reached(self, start: str) -> dict[str, Most]:
        if start not in self._from:
            self._from[start] = {start: Most(0)}
            self._settled(self._from[start])
        return self._from[start]

    def _settled(self, distances: dict[str, Most]) -> bool:
        """Makes distances as small as constraints say (Bellman-Ford); False if constraints contradict."""
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


class Times(Differences):
    """Difference constraints between times, from comparisons and first ticks."""

    def __init__(self, comparisons: Iterable[Comparison], earliest: Iterable[Earliest]) -> None:
        comparisons = tuple(comparisons)
        first = ((each.variable, ZERO, Most(-each.tick)) for each in earliest)
        super().__init__(comparisons, _time_placed, Most(-1), first)
        self.unequal = tuple(
            (c.left, c.right)
            for c in comparisons
            if c.operator == "!=" and isinstance(c.left, terms.Time) and isinstance(c.right, terms.Time)
        )

    def furthest(self, origin: terms.Time, time: terms.Time) -> int | None:
        """Returns the largest `time - origin` there can be; None if there is no bound."""
        most = self.most(origin.variable or ZERO, time.variable or ZERO)
        return None if most is None else int(most.value) + time.offset - origin.offset

    def reaches(self, literal: Literal, time: terms.Time) -> tuple[ReferenceReach, ...]:
        """Returns how far each reference of a literal lies from an answer's time."""
        found = []
        for each in literal.references:
            behind, ahead = self.furthest(each.first, time), self.furthest(time, each.last)
            kept = self.furthest(each.last, time) if each.remembered else behind
            found.append(ReferenceReach(each, behind, ahead, kept))
        return tuple(found)

    def indirect(self) -> Iterator[tuple[str, str, int]]:
        """Yields pairs of variables, and how much later the second may be, as only others imply it."""
        for start, direct in self._most.items():
            for end, most in self._reached(start).items():
                if end != start and (end not in direct or most < direct[end]):
                    yield start, end, int(most.value)


def _time_placed(operand: terms.Operand) -> tuple[str, int] | None:
    return (operand.variable or ZERO, operand.offset) if isinstance(operand, terms.Time) else None


def times_of(pattern: Pattern) -> Times:
    return Times(pattern.comparisons, pattern.earliest)


def reaches_of(pattern: Pattern) -> Iterator[ReferenceReach]:
    """Yields how far all that a pattern looks at lies from the answer's time."""
    times = times_of(pattern)
    return (each for literal in pattern.stated for each in times.reaches(literal, pattern.time))


# ---- values ----


_TEXT = '"'  # prefix of names for texts in the graph

_NUMBER = "="  # prefix of names for calculations in the graph

_BELOW = Most(0, -1)


def possible(comparisons: Sequence[Comparison], earliest: Mapping[str, int]) -> bool:
    """Returns whether comparisons can hold together, given the first ticks of times."""
    return System(comparisons, earliest).possible


class System:
    """A conjunction of comparisons, with the first ticks of times, that says which others follow from it."""

    def __init__(self, comparisons: Sequence[Comparison], earliest: Mapping[str, int]) -> None:
        self.known = tuple(comparisons)
        self._earliest = earliest

    @cached_property
    def possible(self) -> bool:
        if any(comparison.outcome is False for comparison in self.known):
            return False
        return self._values.possible and self._times.possible

    def follows_at_once(self, wanted: Comparison) -> bool | None:
        """Returns whether it is stated or follows from bounds; None if that is not enough to tell."""
        decided = wanted.outcome
        if decided is not None:
            return decided
        if wanted in self._stated:
            return True
        if isinstance(wanted.left, terms.Time) and isinstance(wanted.right, terms.Time):
            return self._times.follows(wanted)
        known = _texts([wanted]) <= self._named  # else its place among the other texts is not known
        return self._values.follows(wanted) if known else None

    def follows_after_all(self, wanted: Comparison) -> bool:
        """Returns whether the opposite of a comparison contradicts those known."""
        denied = Comparison(wanted.left, OPPOSITE[wanted.operator], wanted.right)
        return not possible([*self.known, denied], self._earliest)

    @cached_property
    def _stated(self) -> frozenset[Comparison]:
        return frozenset(side for each in self.known for side in (each, each.mirrored))

    @cached_property
    def _named(self) -> frozenset[str]:
        return _texts(self.known)

    @cached_property
    def _values(self) -> Differences:
        texts = (_TEXT + text for text in sorted(_texts(self.known)))
        order = ((after, before, _BELOW) for before, after in pairwise(texts))
        return Differences(self.known, _value_placed, _BELOW, order)

    @cached_property
    def _times(self) -> Times:
        return Times(self.known, (Earliest(variable, tick) for variable, tick in self._earliest.items()))


def _texts(comparisons: Iterable[Comparison]) -> frozenset[str]:
    sides = (side for comparison in comparisons for side in (comparison.left, comparison.right))
    return frozenset(s.value for s in sides if isinstance(s, terms.Const) and isinstance(s.value, str))


def _value_placed(operand: terms.Operand) -> tuple[str, int | Fraction] | None:
    """Splits an operand into a variable, a text or 0, and the number added to it."""
    match terms.shifted(operand):
        case terms.Var(name), offset:
            return name, _exact(offset)
        case terms.Const(str(text)), _:
            return _TEXT + text, 0
        case terms.Const(int() | float() as number), _:
            return ZERO, _exact(number)
        case _ if isinstance(operand, terms.Calculated):
            # A calculation is a number of its own, of which nothing else is known.
            return _NUMBER + terms.operand_text(operand), Fraction(0)
        case _:
            return None


def _exact(number: int | float) -> int | Fraction:
    return number if isinstance(number, int) else Fraction(number)


@dataclass(frozen=True)
class _Bound:
    """A bound of a variable: it is less (or at most, if not `strict`) than `other + more`."""

    other: terms.Term | terms.Calculated
    more: Fraction
    strict: bool


def implied(comparisons: Iterable[Comparison]) -> Iterator[Comparison]:
    """Yields the comparisons that follow from two others by leaving out the variable they share."""
    above: dict[str, list[_Bound]] = {}
    below: dict[str, list[_Bound]] = {}
    known = tuple(comparisons)
    for comparison in known:
        for side in (comparison, comparison.mirrored):
            name, bound = _bound(side)
            if name is None or bound is None:
                continue
            if side.operator in ("<", "<=", "="):
                above.setdefault(name, []).append(bound)
            if side.operator in (">", ">=", "="):
                below.setdefault(name, []).append(bound)
    found: dict[Comparison, None] = {}
    for name, lowers in below.items():
        for lower in lowers:
            for upper in above.get(name, ()):
                right = None if lower == upper else _plus(upper.other, upper.more - lower.more)
                if right is not None:
                    operator = "<" if lower.strict or upper.strict else "<="
                    test = Comparison(lower.other, operator, right)
                    if test not in known and test.outcome is None:
                        found[test] = None
    yield from found


def _bound(comparison: Comparison) -> tuple[str | None, _Bound | None]:
    """Returns the variable on the left, and its bound by the right side."""
    left, other = terms.shifted(comparison.left), comparison.right
    right = (other, 0) if isinstance(other, terms.Calculated) else terms.shifted(other)
    if left is None or right is None or not isinstance(left[0], terms.Var):
        return None, None
    if left[0].name in terms.variables_in([other]):
        return None, None
    strict = comparison.operator in ("<", ">")
    return left[0].name, _Bound(right[0], Fraction(right[1]) - Fraction(left[1]), strict)


def _plus(operand: terms.Term | terms.Calculated, more: Fraction) -> terms.Operand | None:
    if more == 0:
        return operand
    if isinstance(operand, terms.Calculated):
        return terms.Calculated("+", (operand, terms.Const(_number(more))))
    if isinstance(operand, terms.Var):
        return terms.Sum(operand.name, _number(more))
    return None if isinstance(operand.value, str) else terms.Const(_number(Fraction(operand.value) + more))


def _number(exact: Fraction) -> int | float:
    return int(exact) if exact.denominator == 1 else float(exact)
