"""antelog/forecast/inference/table.py: answers as columns, and what each one's conditions say."""

from __future__ import annotations

import numpy as np
import pytest

from antelog.compile.literals.background import StaticAtom
from antelog.compile.literals.comparison import Comparison
from antelog.compile.literals.terms import Const, Time, Var
from antelog.engine.values.encoding import OTHERS, UNBOUND
from antelog.engine.values.values import Values
from antelog.forecast.inference.formulas import WHEN, Condition
from antelog.forecast.inference.table import AnswersAtTicks, met, term_column
from tests.forecast.making import cells


def asked(values: Values) -> AnswersAtTicks:
    """Malf(wt2, 5, 0), Malf(wt4, 7, 3) and Malf(wt2, 9, -), at tick 4."""
    columns = {"X": cells(values, ["wt2", "wt4", "wt2"]), "V": cells(values, [5, 7, 9.5])}
    return AnswersAtTicks(columns, np.array([0, 3, -1]), np.array([4, 4, 4]))


def test_ages_and_open_answers() -> None:
    values = Values()
    found = asked(values)
    assert found.count == 3
    assert found.age.tolist() == [4, 1, 5]
    assert found.whole.tolist() == [True, True, False]
    open_ = AnswersAtTicks({"X": np.array([UNBOUND, OTHERS])}, np.array([0, 0]), np.array([0, 0]))
    assert open_.whole.tolist() == [False, True]  # a value that no fact has is one
    assert found.take(np.array([1])).cells["X"].tolist() == [values.cell("wt4")]


@pytest.mark.parametrize(
    ("condition", "wanted"),
    [
        (Comparison(Var("V"), ">=", Const(7)), [False, True, True]),
        (Comparison(Var("X"), "!=", Const("wt2")), [False, True, False]),
        (Comparison(Time(WHEN, 2), ">=", Time(None, 5)), [False, True, False]),
        (StaticAtom("Site", (Var("X"), Const("north"))), [True, False, True]),
        (StaticAtom("Site", (Var("X"), Const("north")), True), [False, True, False]),
        (StaticAtom("Site", (Var("X"), None)), [True, True, True]),
        (StaticAtom("Site", (None, Const("east"))), [False, False, False]),
        (StaticAtom("Site", (None, None)), [True, True, True]),
        (StaticAtom("Empty", (Var("X"),)), [False, False, False]),
        (StaticAtom("Empty", (Var("X"),), True), [True, True, True]),
    ],
)
def test_conditions(condition: Condition, wanted: list[bool]) -> None:
    values = Values()
    tables = {"Site": (cells(values, ["wt2", "wt4"]), cells(values, ["north", "south"])), "Empty": ()}
    assert met(condition, asked(values), tables, values).tolist() == wanted


def test_terms_are_columns() -> None:
    values = Values()
    found = asked(values)
    assert term_column(Var("X"), found, values) is found.cells["X"]
    assert term_column(Const("wt2"), found, values).tolist() == [values.cell("wt2")] * 3
