"""What comparisons of values say together: `W > V, W < 10` says that V is less than 10.

Numbers are as far apart as comparisons with sums say, and there is always another in between. Texts,
and values of other kinds, have an order; a text that a rule names has its place among those.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from math import inf, nextafter

from antelog.compile.comparisons import mirrored, outcome
from antelog.compile.differences import ZERO, Differences, Most
from antelog.compile.plan import Comparison, Const, Earliest, Operand, Pattern, Sum, Var
from antelog.compile.times import Times
from antelog.language.syntax import OPPOSITE

_TEXT = '"'
"""What the names of texts begin with that stand for these in place of variables."""

_BELOW = Most(0, -1)


def possible(comparisons: Sequence[Comparison], earliest: Mapping[str, int]) -> bool:
    """Whether comparisons can hold together, those of times too, of which the first ticks are given."""
    if any(outcome(comparison) is False for comparison in comparisons):
        return False
    first = (Earliest(variable, tick) for variable, tick in earliest.items())
    return _differences(comparisons).possible and Times(comparisons, first).possible


def follows(wanted: Comparison, known: Sequence[Comparison], earliest: Mapping[str, int]) -> bool:
    """Whether a comparison holds wherever all those known do."""
    decided = outcome(wanted)
    if decided is not None:
        return decided
    denied = Comparison(wanted.left, OPPOSITE[wanted.operator], wanted.right)
    return not possible([*known, denied], earliest)


def limits(pattern: Pattern) -> tuple[Comparison, ...]:
    """The comparisons of a pattern, and what those of values say together."""
    return (*pattern.comparisons, *entailed(pattern.comparisons))


def entailed(comparisons: Sequence[Comparison]) -> Iterator[Comparison]:
    """What comparisons of values say of two of their variables, or of one, only because of others."""
    for lower, upper, most in _differences(comparisons).indirect():
        operator = "<" if most.below else "<="
        if upper == ZERO or upper.startswith(_TEXT):
            if lower != ZERO and not lower.startswith(_TEXT):
                yield mirrored(Comparison(_shifted(upper, -most.value, down=True), operator, Var(lower)))
        else:
            yield Comparison(Var(upper), operator, _shifted(lower, most.value))


def _shifted(name: str, by: int | Fraction, *, down: bool = False) -> Operand:
    if name.startswith(_TEXT):
        return Const(name.removeprefix(_TEXT))
    number = _number(Fraction(by), down)
    if name == ZERO:
        return Const(number)
    return Sum(name, number) if number else Var(name)


def _number(exact: Fraction, down: bool) -> int | float:
    """The nearest number that is not below, or not above, what may have more digits than there are."""
    if exact.denominator == 1:
        return int(exact)
    nearest = float(exact)
    if down and Fraction(nearest) > exact:
        return nextafter(nearest, -inf)
    return nextafter(nearest, inf) if not down and Fraction(nearest) < exact else nearest


def _differences(comparisons: Sequence[Comparison]) -> Differences:
    sides = (side for comparison in comparisons for side in (comparison.left, comparison.right))
    texts = {_TEXT + side.value for side in sides if isinstance(side, Const) and isinstance(side.value, str)}
    order = ((after, before, _BELOW) for before, after in pairwise(sorted(texts)))
    return Differences.of(comparisons, _placed, _BELOW, order)


def _placed(operand: Operand) -> tuple[str, Fraction] | None:
    """A variable, the number 0 or a text, and what is added to it."""
    match operand:
        case Var(name):
            return name, Fraction(0)
        case Sum(name, offset):
            return name, Fraction(offset)
        case Const(str(text)):
            return _TEXT + text, Fraction(0)
        case Const(number):
            return ZERO, Fraction(number)
        case _:
            return None
