"""antelog/engine/values/types.py: the type in which values of several types are reported."""

from __future__ import annotations

import pyarrow as pa
import pytest

from antelog.engine.values.types import MIXED, NOTHING, declared, types_of_rows, wider


@pytest.mark.parametrize(
    ("one", "other", "both"),
    [
        (pa.int64(), NOTHING, pa.int64()),
        (pa.int64(), pa.float64(), pa.float64()),
        (pa.string(), pa.string(), pa.string()),
        (pa.int64(), pa.string(), MIXED),
        (MIXED, pa.int64(), MIXED),
    ],
)
def test_types_get_wider(one: pa.DataType, other: pa.DataType, both: pa.DataType) -> None:
    assert wider(one, other) == wider(other, one) == both


def test_a_declaration_decides_for_texts_and_takes_the_numbers_of_the_rest() -> None:
    assert declared(pa.int64(), "text") == pa.string()
    assert declared(MIXED, "number") == pa.float64()
    assert declared(MIXED, None) == MIXED


def test_background_given_as_rows_has_types_too() -> None:
    assert types_of_rows({"Site": [("a", 1), ("b", 2.5)]}) == {"Site": (pa.string(), pa.float64())}
