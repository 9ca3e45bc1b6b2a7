"""antelog/engine/step/rows.py: comparisons of a rule over columns."""

from __future__ import annotations

import numpy as np
import pytest

from antelog.compile.literals import Comparison
from antelog.compile.literals.terms import Const, Operand, Sum, Time, Var
from antelog.engine.step.rows import holds, passing
from antelog.engine.values.encoding import OTHERS
from antelog.engine.values.values import Values

X, Y = Var("X"), Var("Y")


@pytest.mark.parametrize(
    ("left", "operator", "right", "so"),
    [
        (X, "<", Y, [True, False, True, False]),  # a number and a text have no order
        (X, "!=", Y, [True, False, True, True]),
        (Sum("X", 0.5), ">=", Const(2), [False, True, False, True]),
        (X, "=", Const("a"), [False, False, True, False]),
        (Const("b"), "<=", Y, [False, False, True, True]),
    ],
)
def test_each_row_is_compared(left: Operand, operator: str, right: Operand, so: list[bool]) -> None:
    values = Values()
    bound = {
        "X": np.array([values.cell(v) for v in (1, 1.5, "a", 7)], np.int64),
        "Y": np.array([values.cell(v) for v in (2, 1.5, "b", "c")], np.int64),
    }
    assert holds(Comparison(left, operator, right), bound, 4, values).tolist() == so


def test_all_others_are_none_of_the_values() -> None:
    values = Values()
    bound = {"X": np.array([OTHERS, values.cell("a")], np.int64)}
    assert holds(Comparison(X, "!=", Const("a")), bound, 2, values).tolist() == [True, False]
    assert holds(Comparison(X, "=", Const("a")), bound, 2, values).tolist() == [False, True]


def test_only_what_has_values_is_compared() -> None:
    bound = {"T": np.array([3, 4, 5], np.int64)}
    tests = [
        Comparison(Time("T", 0), ">", Time(None, 3)),
        Comparison(Time("T", 0), "<", Time("U", 0)),  # nothing is known of U
        Comparison(Time("T", 0), "<", Time(None, 5)),
    ]
    assert passing(tests, bound, 3, Values()).tolist() == [False, True, False]
    assert passing([], bound, 3, Values()).all()
