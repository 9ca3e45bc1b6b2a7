"""What a comparison says before any fact has come.

In comes a comparison, out goes whether it holds, or None if that depends on its variables. Rules put
together compare constants with each other, and times with themselves; what is decided is left out, and
what cannot hold has no pattern.

    3 < 5: True      T < T+1: True      a < 5: False, for they have no order      V < W: None
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from antelog.compile.nodes.patterns import Comparison, Const, Operand, Sum, Time, Var

HOLDS: dict[str, Callable[[Any, Any], Any]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_MIRRORED = {"=": "=", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}


def outcome(comparison: Comparison) -> bool | None:
    """Whether a comparison holds whatever its variables stand for; None if that depends on them."""
    left, right = comparison.left, comparison.right
    if isinstance(left, Time) and isinstance(right, Time) and left.variable == right.variable:
        return bool(HOLDS[comparison.operator](left.offset, right.offset))
    if isinstance(left, Const) and isinstance(right, Const):
        same_kind = isinstance(left.value, str) == isinstance(right.value, str)
        if comparison.operator in ("=", "!=") or same_kind:
            return bool(HOLDS[comparison.operator](left.value, right.value))
        return False
    one, other = _shifted(left), _shifted(right)
    if one is not None and other is not None and one[0] == other[0]:
        return bool(HOLDS[comparison.operator](one[1], other[1]))
    return None


def _shifted(operand: Operand) -> tuple[str, int | float] | None:
    """A variable and what is added to it."""
    match operand:
        case Var(name):
            return name, 0
        case Sum(name, offset):
            return name, offset
        case _:
            return None


def mirrored(comparison: Comparison) -> Comparison:
    """The same comparison read from right to left."""
    return Comparison(comparison.right, _MIRRORED[comparison.operator], comparison.left)
