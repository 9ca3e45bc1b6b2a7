"""antelog/engine/step/schema.py: lines of several steps in one table, whatever became of their types."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

import antelog
from antelog.engine.step.schema import WRITTEN, united

RULES = "input Temp(x, time). Hot(X, T) :- Temp(X, T). query Hot(X, T)."


def lines(*steps: list[Any]) -> list[pa.Table]:
    """The lines of an engine, step by step, about facts with these values."""
    engine = antelog.Engine(antelog.parse(RULES))
    return [
        engine.advance(tick, {"Temp": [(value, tick) for value in values]})["Hot"]
        for tick, values in enumerate(steps)
    ]


@pytest.mark.parametrize(
    ("steps", "type_", "values"),
    [
        ([["p1"], ["p2"]], pa.string(), ["p1", "p2"]),
        ([[], ["p1"]], pa.string(), ["p1"]),
        ([[1], [2.5], [3]], pa.float64(), [1.0, 2.5, 3.0]),
        ([[1], [10**20]], pa.decimal128(38, 0), [Decimal(1), Decimal(10**20)]),
        ([[1], ["1"], [2.0]], "written", ["1", '"1"', "2"]),
        ([["p1", "a b"], [True]], "written", ['"a b"', "p1", "true"]),
        ([["1"], [1], ["1"]], "written", ['"1"', "1", '"1"']),
        ([[dt.date(2024, 2, 29)], ["p1"]], "written", ['"2024-02-29"', "p1"]),
        ([[b"\xff"], ["p1"]], "written", ["ff", "p1"]),
        ([[True], [False]], pa.bool_(), [True, False]),
    ],
)
def test_columns_hold_the_values_of_all_steps(steps: list[list[Any]], type_: Any, values: list[Any]) -> None:
    given = lines(*steps)
    for parts in (given, [united(given[:-1]), given[-1]]):
        table = united(parts)
        field = table.schema.field("X")
        assert (field.type, field.metadata) == (
            (pa.string(), WRITTEN) if type_ == "written" else (type_, None)
        )
        assert table.column("X").to_pylist() == values
        assert table.column("T").to_pylist() == [row["T"] for each in given for row in each.to_pylist()]
        assert table.column_names == given[0].column_names


def test_a_column_that_one_lacks_is_null_there() -> None:
    first, later = pa.table({"X": [1]}), pa.table({"X": ["a"], "chance": [0.5]})
    assert united([first, later]).to_pylist() == [{"X": "1", "chance": None}, {"X": "a", "chance": 0.5}]
