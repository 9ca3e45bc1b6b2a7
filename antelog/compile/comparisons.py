"""Comparisons whose outcome is known before any fact has come."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from antelog.compile.plan import Comparison, Const, Operand, Sum, Time, Var

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
    if left == right and isinstance(left, Var | Sum):
        return comparison.operator in ("=", "<=", ">=")
    return None


def mirrored(comparison: Comparison) -> Comparison:
    """The same comparison read from right to left."""
    return Comparison(comparison.right, _MIRRORED[comparison.operator], comparison.left)


def implied(wanted: Comparison, known: frozenset[Comparison]) -> bool:
    """Whether a comparison follows from one of those known; False if that is not plain to see."""
    decided = outcome(wanted)
    if decided is not None:
        return decided
    if wanted in known or mirrored(wanted) in known:
        return True
    for given in known:
        for candidate in (given, mirrored(given)):
            if candidate.left == wanted.left and _stronger(candidate, wanted):
                return True
    return False


def _stronger(given: Comparison, wanted: Comparison) -> bool:
    """Whether `x given.operator a` gives `x wanted.operator b` for constants (or related times) a, b."""
    if given.operator == "=" and _gap(given.right, wanted.right) is not None:
        return outcome(Comparison(given.right, wanted.operator, wanted.right)) is True
    gap = _gap(given.right, wanted.right)
    if gap is None:
        return False
    strict = given.operator in ("<", ">")
    if given.operator in ("<", "<=") and wanted.operator in ("<", "<=", "!="):
        return gap > 0 or (gap == 0 and (strict or wanted.operator == "<="))
    if given.operator in (">", ">=") and wanted.operator in (">", ">=", "!="):
        return gap < 0 or (gap == 0 and (strict or wanted.operator == ">="))
    return False


def _gap(one: Operand, other: Operand) -> float | None:
    """How much larger `other` is than `one`, if that is known."""
    if isinstance(one, Time) and isinstance(other, Time) and one.variable == other.variable:
        return other.offset - one.offset
    if isinstance(one, Const) and isinstance(other, Const):
        if isinstance(one.value, str) or isinstance(other.value, str):
            return 0 if one.value == other.value else None
        return other.value - one.value
    return None
