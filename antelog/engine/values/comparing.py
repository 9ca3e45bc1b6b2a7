"""Comparisons of a plan over columns.

V >= 90 over V = 95, 80: true, false
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from antelog.compile.literals.comparison import HOLDS, Comparison
from antelog.compile.literals.terms import Const, Operand, Sum, Time, Var
from antelog.engine.columns.tables import Column, Mask
from antelog.engine.values.values import Values


def passing(tests: Iterable[Comparison], bound: Mapping[str, Column], count: int, values: Values) -> Mask:
    """For each row, whether the comparisons hold there, as far as their variables are bound."""
    fits = np.ones(count, np.bool_)
    for test in tests:
        if test.variables <= bound.keys():
            fits &= holds(test, bound, count, values)
    return fits


def holds(comparison: Comparison, bound: Mapping[str, Column], count: int, values: Values) -> Mask:
    """For each row, whether the comparison holds there; all its variables are bound."""
    left, right = comparison.left, comparison.right
    test = HOLDS[comparison.operator]
    if isinstance(left, Time) and isinstance(right, Time):
        return _all(test(_ticks(left, bound), _ticks(right, bound)), count)
    sums = isinstance(left, Sum) or isinstance(right, Sum)
    one, other = _cells(left, bound, values), _cells(right, bound, values)
    if comparison.operator in ("=", "!=") and not sums:
        return _all(test(one, other), count)
    one_number, other_number = _numbers(left, one, values), _numbers(right, other, values)
    result = _all(test(one_number, other_number), count)
    # Values of other kinds have an order among themselves; those of different kinds have none.
    alike = _all(values.kinds(np.atleast_1d(one)) == values.kinds(np.atleast_1d(other)), count)
    texts = _all(np.isnan(one_number) & np.isnan(other_number), count) & alike
    if texts.any() and not sums:
        first, second = (np.broadcast_to(cells, count)[texts] for cells in (one, other))
        ranks = values.ranks(np.concatenate([first, second]))
        result[texts] = test(ranks[: len(first)], ranks[len(first) :])
    return result


def _all(mask: Any, count: int) -> Mask:
    return np.array(np.broadcast_to(mask, count), dtype=np.bool_)


def _ticks(time: Time, bound: Mapping[str, Column]) -> Column:
    return np.asarray(time.offset if time.variable is None else bound[time.variable] + time.offset)


def _cells(operand: Operand, bound: Mapping[str, Column], values: Values) -> Column:
    match operand:
        case Var(name) | Sum(name, _):
            return bound[name]
        case Const(value):
            return np.asarray(values.cell(value))
        case _:
            raise TypeError(f"{operand} is no object")


def _numbers(operand: Operand, cells: Column, values: Values) -> Any:
    numbers = values.numbers(np.atleast_1d(cells))
    return numbers + operand.offset if isinstance(operand, Sum) else numbers
