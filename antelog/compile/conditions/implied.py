"""What two comparisons say together of a variable that both are about.

From two comparisons follows another one that leaves out the variable they share. So a literal with W open
is false at once where V is 95: the test `V < 90` is made wherever V is known. Nothing else is concluded
from comparisons.

    W > V, W < 90: no W is left unless V < 90
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction

from antelog.compile.literals.comparison import Comparison
from antelog.compile.literals.terms import Const, Operand, Sum, Var


@dataclass(frozen=True)
class _Bound:
    """A variable is less (or at most, if not `strict`) than `other + more`."""

    other: Var | Const
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
    """The variable on the left, and what the right side is to it."""
    left, right = _shifted(comparison.left), _shifted(comparison.right)
    if left is None or right is None or not isinstance(left[0], Var):
        return None, None
    if isinstance(right[0], Var) and right[0].name == left[0].name:
        return None, None
    strict = comparison.operator in ("<", ">")
    return left[0].name, _Bound(right[0], right[1] - left[1], strict)


def _shifted(operand: Operand) -> tuple[Var | Const, Fraction] | None:
    match operand:
        case Var() | Const():
            return operand, Fraction(0)
        case Sum(variable, offset):
            return Var(variable), Fraction(offset)
        case _:
            return None


def _between(lower: _Bound, upper: _Bound) -> Comparison | None:
    """`lower < upper`, or `<=` if neither is strict."""
    if lower == upper:
        return None
    operator = "<" if lower.strict or upper.strict else "<="
    right = _plus(upper.other, upper.more - lower.more)
    return None if right is None else Comparison(lower.other, operator, right)


def _plus(operand: Var | Const, more: Fraction) -> Operand | None:
    if more == 0:
        return operand
    number = int(more) if more.denominator == 1 else float(more)
    if isinstance(operand, Var):
        return Sum(operand.name, number)
    return None if isinstance(operand.value, str) else Const(_sum(operand.value, more))


def _sum(number: int | float, more: Fraction) -> int | float:
    exact = Fraction(number) + more
    return int(exact) if exact.denominator == 1 else float(exact)
