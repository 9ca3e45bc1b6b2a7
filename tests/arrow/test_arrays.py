"""antelog/arrow/arrays.py: columns of unusual types, and values that nobody could show."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import antelog
from antelog.arrow import arrays
from antelog.engine.values.values import Values
from tests.attack import frames

COLUMNS = frames.columns()


@pytest.mark.parametrize(
    ("name", "type_", "values"),
    [
        ("string_view", pa.string(), ["1", "2", "x"]),
        ("binary_view", pa.binary(), [b"1", b"\xff", None]),
        ("run_end_encoded", pa.string(), ["1", "x", "x"]),
        ("dictionary of views", pa.dictionary(pa.int64(), pa.string()), ["1", "x", "1"]),
        ("dictionary with null", pa.string(), ["a", None, None]),
        ("bool8", pa.bool_(), [True, False, None]),
        ("json", pa.string(), ["1", "{}", None]),
        ("uuid", pa.string(), ["00000000-0000-0000-0000-000000000001"] * 3),
    ],
)
@pytest.mark.parametrize("chunked", [False, True])
def test_columns_of_unusual_types(name: str, type_: pa.DataType, values: list[Any], chunked: bool) -> None:
    given = COLUMNS[name]
    assert arrays.refusal(given.type) is None
    found = arrays.plain(pa.chunked_array([given]) if chunked else given)
    assert found.type == type_
    assert found.to_pylist() == values


def test_days_in_milliseconds_are_days() -> None:
    given = pa.array([86_400_000 * 3 + 7, -1, 2**62, None], pa.int64()).cast(pa.date64())
    found = arrays.plain(given)
    assert found.type == pa.date32()
    assert found.cast(pa.int32()).to_pylist() == [3, -1, 2**31 - 1, None]


def test_usual_columns_stay_as_they_are() -> None:
    for name in ("string", "int64", "dictionary", "timestamp[s]", "dense union"):
        assert arrays.plain(COLUMNS[name]) is COLUMNS[name]


def test_a_dictionary_that_has_nothing_in_one_part_only() -> None:
    first, second = COLUMNS["dictionary"], COLUMNS["dictionary with null"]
    both = pa.chunked_array([first, second.cast(first.type) if second.type != first.type else second])
    assert arrays.plain(both).to_pylist() == ["1", "2", "x", "a", None, None]


NO_VALUES = ["list", "map", "struct", "interval", "union of lists", "dictionary of lists"]


@pytest.mark.parametrize("name", NO_VALUES)
def test_columns_that_can_have_no_value(name: str) -> None:
    said = arrays.refusal(COLUMNS[name].type)
    assert said is not None
    assert said.startswith("is of type ")


def test_a_type_of_somebody_elses_library() -> None:
    said = arrays.refusal(COLUMNS["extension"].type)
    assert said is not None
    assert said.endswith("of some library, which stores it as int64")


@pytest.mark.parametrize(
    ("name", "bad", "why"),
    [
        ("bad string", [True, False, True], "is not UTF-8 text"),
        ("bad large_string", [True, False, True], "is not UTF-8 text"),
        ("date32", [False, False, True], "is beyond the years 1 to 9999"),
        ("timestamp[s] year 1", None, "is beyond the years 1 to 9999"),
        ("timestamp[s] far", [True, True, False], "is beyond the years 1 to 9999"),
        ("timestamp[us] far", [True, True, False], "is beyond the years 1 to 9999"),
        ("time64 far", [True, True, False], "is not a time of day"),
        ("duration[s] far", [True, True, False], "is longer than 292,000 years"),
        ("int64", None, "is not UTF-8 text"),
    ],
)
def test_values_that_nobody_could_show(name: str, bad: list[bool] | None, why: str) -> None:
    column = arrays.plain(COLUMNS[name])
    found = arrays.of_no_use(column)
    assert (None if found is None else found.tolist()) == bad
    assert arrays.why_of_no_use(column.type) == why
    values = Values()
    cells, again = values.encode_usable(column)
    assert (None if again is None else again.tolist()) == bad
    assert values.texts(cells).is_null().to_pylist() == (bad or [False] * 3)


TICKING = frames.TYPED
PLAIN = frames.PROGRAM


@pytest.mark.filterwarnings("ignore::antelog.DataWarning")
@pytest.mark.parametrize(
    ("program", "place", "name", "said"),
    [
        (PLAIN, "device", "bad string", "the value of column device is not UTF-8 text"),
        (PLAIN, "level", "timestamp[s] far", "the value of column level is beyond the years 1 to 9999"),
        (PLAIN, "time", "bad string", "the time is not UTF-8 text"),
        (TICKING, "time", "timestamp[us] far", "the time is beyond the years 1 to 9999"),
    ],
)
def test_a_bad_value_costs_its_own_row(program: str, place: str, name: str, said: str) -> None:
    table = {"device": ["a", "b", "a"], "level": [1, 2, 3], "time": [0, 1, 2], place: COLUMNS[name]}
    if name == "bad string" and place == "time":  # no row is left that could be used
        with pytest.raises(antelog.DataError, match=f"none of its 3 rows can be used: mostly {said}"):
            frames.advanced(program, lambda: pa.table(table))
        return
    engine = frames.advanced(program, lambda: pa.table(table))
    assert said in engine.rejects.column("detail").to_pylist()
    assert engine.counts["Temp"].given == 3


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: _with("time", "list"), "column time of Temp is of type list<item: int64>; times are whole"),
        (lambda: _with("device", "map"), "column device of Temp is of type map<string, int64>; values are"),
        (lambda: _with("arrival", "struct"), "the arrival of Temp is of type struct"),
        (lambda: [{7: "a"}], "the facts of Temp have a column 7; names are texts"),
        (lambda: range(3), "row 1 of Temp is of type int"),
        (lambda: np.array(7), "the facts of Temp cannot be read: TypeError"),
    ],
)
def test_a_bad_column_is_named(make: Callable[[], Any], said: str) -> None:
    with pytest.raises(antelog.DataError) as caught:
        frames.advanced(frames.PROGRAM, make)
    assert str(caught.value).startswith(said)


def _with(place: str, name: str) -> pa.Table:
    plain_ones = {"device": ["a", "b", "a"], "level": [1, 2, 3], "time": [0, 1, 2]}
    return pa.table({**plain_ones, place: COLUMNS[name]})
