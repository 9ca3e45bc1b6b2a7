"""antelog/engine/step/{matching,rows}.py: the rows that fact literals of a pattern make, and comparisons."""

from __future__ import annotations

import numpy as np
import pytest

from antelog.compile.literals import Comparison
from antelog.compile.literals.terms import Const, Operand, Sum, Time, Var
from antelog.engine.step.matching import within
from antelog.engine.step.rows import holds, passing
from antelog.engine.values.encoding import OTHERS
from antelog.engine.values.values import Values
from tests.engine.stages import Stage, stage

RULES = (
    "input p(x, time) delay 3. input r(y, time) delay 3. q(X, Y, T) :- p(X, T), r(Y, T). query q(X, Y, T)."
)


def tables(given: Stage, relation: str) -> list[list[dict[str, object]]]:
    prepared, _ = given.pattern(relation)
    return [given.read(prepared, part.rows) for part in given.partials(relation)]


def test_evidence_gives_values_to_as_many_variables_as_it_has() -> None:
    given = stage(RULES, [("p", "a", 0, 0), ("r", "b", 0, 0)])
    assert tables(given, "q") == [
        [{}],
        [{"T": 0, "X": "a"}],
        [{"T": 0, "Y": "b"}],
        [{"T": 0, "X": "a", "Y": "b"}],
    ]
    last = given.partials("q")[-1]
    assert last.arrived.tolist() == [[0], [0]]  # when the facts of both literals came


def test_rows_that_wait_for_what_can_come_no_more_are_none() -> None:
    given = stage(RULES, [("p", "a", 0, 3)])
    assert tables(given, "q") == [[{}], []]


def test_rows_with_a_gap_that_stays_make_no_others() -> None:
    """Of eight readings in a row, those that can be missing are the latest ones: not one set of each size."""
    steps = " ".join(f"R(V{i}, T+{i}), V{i} > 0," for i in range(8))
    text = f"input R(v: number, time) delay 1. q(T) :- {steps.rstrip(',')}. query q(T)."
    given = stage(text, [("R", 5, tick, tick) for tick in range(9)])
    assert 0 < len(given.partials("q")) < 50


def test_bounds_between_times_are_a_band_of_the_join() -> None:
    text = "input p(x, time). q(X, T) :- p(X, T), p(X, U), U > T, U <= T+3. query q(X, T)."
    given = stage(text, [("p", "a", 4, 4)])
    prepared, _ = given.pattern("q")
    first, second = given.known.found(prepared, None)
    found = within(prepared, first.rows, second.rows)
    assert found is not None
    assert (found.variable, found.band.first.tolist(), found.band.last.tolist()) == ("U", [5], [7])


# ---- comparisons ----

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
