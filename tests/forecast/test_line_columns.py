"""antelog/forecast: how likely an open answer is, by when, and who says so."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from antelog.forecast.columns import COLUMNS, HOLDS
from antelog.forecast.inference.chances import Chances, Growth
from antelog.forecast.line_columns import LineColumns

LINES = pa.table({"X": ["a", "b", "c", "d"]})
FOUND = Chances(
    np.array([0.8, 0.5]),
    Growth(np.array([0, 0, 1]), np.array([1, 2, 1]), np.array([0.2, 0.8, 0.5])),
    np.array([0.9, 0.6]),
    np.array([1, 0, -1]),
)
"""Two chances, of which the first answer has the second, the second the first, and the third none."""


def ints(*numbers: int) -> np.ndarray:
    return np.array(numbers, np.int64)


def said(*, lossy: bool = False) -> pa.Table:
    """Rows 0, 1 and 3 are said something of, as of answers about tick 10; row 2 is not."""
    beside = LineColumns(4, ("model", "outcomes", "values"), lossy=lossy)
    beside.put(ints(0, 1, 3), np.array([0.5, 0.4, 0.7]), ints(0, 2, 1))
    beside.grow(ints(0, 1, 3), ints(10, 10, 10), FOUND)
    if lossy:
        beside.hold(ints(0, 1, 3), FOUND)
    return beside.table(LINES)


def test_who_says_which_chance() -> None:
    table = said()
    assert table.schema.names == ["X", *COLUMNS.names]
    assert table.column("chance").to_pylist() == [0.5, 0.4, None, 0.7]
    assert table.column("chance_from").to_pylist() == ["model", "values", None, "outcomes"]


def test_a_chance_grows_as_the_model_says_in_proportion() -> None:
    forecast = said().column("forecast").to_pylist()
    assert forecast[0] == [{"tick": 11, "chance": 0.5}]
    # The model says 0.8 and both together 0.4: half of each step.
    assert forecast[1] == [{"tick": 11, "chance": pytest.approx(0.1)}, {"tick": 12, "chance": 0.4}]
    assert forecast[2] is None
    assert forecast[3] is None  # outcomes know nothing of when


def test_what_holds_is_said_where_facts_may_be_lost() -> None:
    assert HOLDS.names[0] not in said().schema.names
    assert said(lossy=True).column("holds").to_pylist() == [0.6, 0.9, None, None]


def test_nothing_said() -> None:
    table = LineColumns(4, (), lossy=True).table(LINES)
    assert [table.column(name).null_count for name in (*COLUMNS.names, *HOLDS.names)] == [4, 4, 4, 4]
    assert LineColumns(0, (), lossy=False).table(LINES[:0]).schema.names == ["X", *COLUMNS.names]
