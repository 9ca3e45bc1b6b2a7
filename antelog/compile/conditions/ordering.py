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
from itertools import pairwise

from antelog.compile.conditions.differences import ZERO, Differences, Most, Times
from antelog.compile.literals.comparison import Comparison
from antelog.compile.literals.terms import (
    Calculated,
    Const,
    Operand,
    Sum,
    Term,
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
    if any(comparison.outcome is False for comparison in comparisons):
        return False
    first = (Earliest(variable, tick) for variable, tick in earliest.items())
    return _differences(comparisons).possible and Times(comparisons, first).possible


def follows(wanted: Comparison, known: Sequence[Comparison], earliest: Mapping[str, int]) -> bool:
    """Whether a comparison holds wherever all those known do."""
    decided = wanted.outcome
    if decided is not None:
        return decided
    denied = Comparison(wanted.left, OPPOSITE[wanted.operator], wanted.right)
    return not possible([*known, denied], earliest)


def _differences(comparisons: Sequence[Comparison]) -> Differences:
    sides = (side for comparison in comparisons for side in (comparison.left, comparison.right))
    texts = {_TEXT + side.value for side in sides if isinstance(side, Const) and isinstance(side.value, str)}
    order = ((after, before, _BELOW) for before, after in pairwise(sorted(texts)))
    return Differences.of(comparisons, _placed, _BELOW, order)


def _placed(operand: Operand) -> tuple[str, Fraction] | None:
    """A variable, the number 0 or a text, and what is added to it."""
    match shifted(operand):
        case Var(name), offset:
            return name, Fraction(offset)
        case Const(str(text)), _:
            return _TEXT + text, Fraction(0)
        case Const(number), _:
            return ZERO, Fraction(number)
        case _:
            # A calculation is a number of its own, of which nothing else is known.
            return (_NUMBER + operand_text(operand), Fraction(0)) if isinstance(operand, Calculated) else None


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
