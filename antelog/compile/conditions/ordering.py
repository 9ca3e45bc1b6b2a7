"""What comparisons of values say together.

Comparisons can hold together or not, and another one may follow from them. Numbers are as far apart as
comparisons with sums say, and there is always another in between. Texts, and values of other kinds, have an
order; a text that a rule names has its place among those.

    W > V, W < 10: V < 10 follows      V > b, V < a: impossible
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import pairwise

from antelog.compile.conditions.differences import ZERO, Differences, Most, Times
from antelog.compile.literals.comparison import Comparison
from antelog.compile.literals.terms import Const, Operand, Sum, Var
from antelog.compile.nodes.patterns import Earliest
from antelog.language.syntax import OPPOSITE

_TEXT = '"'
"""What the names of texts begin with that stand for these in place of variables."""

_BELOW = Most(0, -1)


def possible(comparisons: Sequence[Comparison], earliest: Mapping[str, int]) -> bool:
    """Whether comparisons can hold together, those of times too, of which the first ticks are given."""
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
