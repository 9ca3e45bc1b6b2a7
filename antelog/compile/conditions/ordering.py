"""Comparisons of values as one system.

Comparisons can hold together or not, and another one may follow from them. Numbers are as far apart as
comparisons with sums say, and there is always another in between. Texts, and values of other kinds, have an
order; a text that a rule names has its place among those. From two comparisons follows another one that
leaves out the variable they share: with `W > V, W < 90` a literal with W open is false at once where V is 95.

    W > V, W < 10: V < 10 follows      V > b, V < a: impossible
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise

from antelog.compile.conditions.differences import ZERO, Differences, Most, Times
from antelog.compile.literals.comparison import Comparison
from antelog.compile.literals.terms import (
    Calculated,
    Const,
    Operand,
    Sum,
    Term,
    Time,
    Var,
    operand_text,
    shifted,
    variables_in,
)
from antelog.compile.nodes.patterns import Earliest
from antelog.language.syntax import OPPOSITE

_TEXT = '"'
"""What the names of texts begin with that stand for these in place of variables."""

_NUMBER = "="
"""What the names of calculations begin with, likewise."""

_BELOW = Most(0, -1)


def possible(comparisons: Sequence[Comparison], earliest: Mapping[str, int]) -> bool:
    """Whether comparisons are consistent, those of times too, given the first ticks of times."""
    return System(comparisons, earliest).possible


class System:
    """Comparisons that hold together, with the first ticks of times: which others follow from them."""

    def __init__(self, comparisons: Sequence[Comparison], earliest: Mapping[str, int]) -> None:
        self._known = tuple(comparisons)
        self._earliest = earliest

    @cached_property
    def possible(self) -> bool:
        if any(comparison.outcome is False for comparison in self._known):
            return False
        return self._values.possible and self._times.possible

    @property
    def size(self) -> int:
        """How many comparisons there are: the long way to see whether one follows looks at each."""
        return len(self._known)

    def follows(self, wanted: Comparison) -> bool:
        """Whether a comparison holds wherever all those known do."""
        short = self.follows_at_once(wanted)
        return self.follows_after_all(wanted) if short is None else short

    def follows_at_once(self, wanted: Comparison) -> bool | None:
        """Whether it is known, or a bound of those known says so; None if that is not enough to tell."""
        decided = wanted.outcome
        if decided is not None:
            return decided
        if wanted in self._stated:
            return True
        if isinstance(wanted.left, Time) and isinstance(wanted.right, Time):
            return self._times.follows(wanted)
        known = _texts([wanted]) <= self._named  # else its place among the other texts is not known
        return self._values.follows(wanted, _placed, _BELOW) if known else None

    def follows_after_all(self, wanted: Comparison) -> bool:
        """Whether it holds, because its opposite contradicts the known comparisons."""
        denied = Comparison(wanted.left, OPPOSITE[wanted.operator], wanted.right)
        return not possible([*self._known, denied], self._earliest)

    @cached_property
    def _stated(self) -> frozenset[Comparison]:
        return frozenset(side for each in self._known for side in (each, each.mirrored))

    @cached_property
    def _named(self) -> frozenset[str]:
        return _texts(self._known)

    @cached_property
    def _values(self) -> Differences:
        texts = (_TEXT + text for text in sorted(_texts(self._known)))
        order = ((after, before, _BELOW) for before, after in pairwise(texts))
        return Differences.of(self._known, _placed, _BELOW, order)

    @cached_property
    def _times(self) -> Times:
        return Times(self._known, (Earliest(variable, tick) for variable, tick in self._earliest.items()))


def _texts(comparisons: Iterable[Comparison]) -> frozenset[str]:
    """The texts among the sides of comparisons."""
    sides = (side for comparison in comparisons for side in (comparison.left, comparison.right))
    return frozenset(s.value for s in sides if isinstance(s, Const) and isinstance(s.value, str))


def _placed(operand: Operand) -> tuple[str, int | Fraction] | None:
    """A variable, the number 0 or a text, and what is added to it."""
    match shifted(operand):
        case Var(name), offset:
            return name, _exact(offset)
        case Const(str(text)), _:
            return _TEXT + text, 0
        case Const(int() | float() as number), _:
            return ZERO, _exact(number)
        case _:
            # A calculation is a number of its own, of which nothing else is known.
            return (_NUMBER + operand_text(operand), Fraction(0)) if isinstance(operand, Calculated) else None


def _exact(number: int | float) -> int | Fraction:
    return number if isinstance(number, int) else Fraction(number)


@dataclass(frozen=True)
class _Bound:
    """A variable is less (or at most, if not `strict`) than `other + more`."""

    other: Term | Calculated
    more: Fraction
    strict: bool


def implied(comparisons: Iterable[Comparison]) -> Iterator[Comparison]:
    """The comparisons that follow from two others by leaving out the variable they share."""
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
                test = _between(lower, upper)
                if test is not None and test not in known and test.outcome is None:
                    found[test] = None
    yield from found


def _bound(comparison: Comparison) -> tuple[str | None, _Bound | None]:
    """The variable on the left, and its bound by the right side."""
    left, other = shifted(comparison.left), comparison.right
    right = (other, 0) if isinstance(other, Calculated) else shifted(other)
    if left is None or right is None or not isinstance(left[0], Var):
        return None, None
    if left[0].name in variables_in([other]):
        return None, None
    strict = comparison.operator in ("<", ">")
    return left[0].name, _Bound(right[0], Fraction(right[1]) - Fraction(left[1]), strict)


def _between(lower: _Bound, upper: _Bound) -> Comparison | None:
    """`lower < upper`, or `<=` if neither is strict."""
    if lower == upper:
        return None
    operator = "<" if lower.strict or upper.strict else "<="
    right = _plus(upper.other, upper.more - lower.more)
    return None if right is None else Comparison(lower.other, operator, right)


def _plus(operand: Term | Calculated, more: Fraction) -> Operand | None:
    if more == 0:
        return operand
    number = int(more) if more.denominator == 1 else float(more)
    if isinstance(operand, Calculated):
        return Calculated("+", (operand, Const(number)))
    if isinstance(operand, Var):
        return Sum(operand.name, number)
    return None if isinstance(operand.value, str) else Const(_sum(operand.value, more))


def _sum(number: int | float, more: Fraction) -> int | float:
    exact = Fraction(number) + more
    return int(exact) if exact.denominator == 1 else float(exact)
