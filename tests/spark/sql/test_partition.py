"""antelog/spark/sql.py: lines of the keys whose rows are all there, without a Spark."""

import random
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pytest

from antelog.errors import DataError
from antelog.spark import sql
from antelog.spark.sql import rows_of
from tests.spark.sql.test_analysis import MALF, READINGS, Registered

ROWS = [  # twelve rows of three keys, four of each
    (device, level, time) for device in "abc" for time, level in enumerate(("high", "high", "low", "high"))
]


def _run(
    rows: Sequence[tuple[str, str, int]], monkeypatch: pytest.MonkeyPatch, piece: int
) -> list[list[Any]]:
    monkeypatch.setattr(sql, "PIECE", piece)
    registered = Registered(MALF)
    handler = registered.handler(registered.call(READINGS))
    counts = Counter(row[0] for row in ROWS)
    found = [list(handler.eval((*row, row[0], counts[row[0]]))) for row in rows]
    return [*found, list(handler.terminate())]


def _together(found: list[list[Any]]) -> list[Any]:
    return sorted((line for lines in found for line in lines), key=repr)


def test_lines_come_once_all_rows_of_their_keys_are_there(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = _run(ROWS, monkeypatch, 100)
    assert [len(lines) > 0 for lines in whole] == [*[False] * 12, True]
    for piece, first in ((1, 3), (4, 3), (5, 7), (8, 7), (9, 11)):
        found = _run(ROWS, monkeypatch, piece)
        assert next(at for at, lines in enumerate(found) if lines) == first
        assert _together(found) == _together(whole)


def test_rows_of_several_keys_may_come_in_any_order(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = _together(_run(ROWS, monkeypatch, 100))
    for seed in range(5):
        rows = random.Random(seed).sample(ROWS, len(ROWS))
        for piece in (1, 3):
            assert _together(_run(rows, monkeypatch, piece)) == whole


@pytest.mark.parametrize("piece", [1, 5, 100])
def test_a_key_that_lacks_rows_is_an_error(monkeypatch: pytest.MonkeyPatch, piece: int) -> None:
    for left_out in (0, 5, 11):
        rows = [row for at, row in enumerate(ROWS) if at != left_out]
        with pytest.raises(DataError, match="PARTITION BY of f divides rows that belong together"):
            _run(rows, monkeypatch, piece)


@pytest.mark.parametrize("value", [None, float("nan")])
def test_rows_without_a_key_may_be_divided(value: float | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sql, "PIECE", 1)
    registered = Registered("input P(x: number, time). Q(X, T) :- P(X, T). query Q(X, T).")
    handler = registered.handler(registered.call("x double, time integer", lines="rejects"))
    found = [*handler.eval((value, 1, value, 5)), *handler.eval((value, 2, value, 5)), *handler.terminate()]
    assert len(found) == 2


EXPLANATION = pa.struct([("evidence", pa.list_(pa.string())), ("comes_to", pa.float64())])
COLUMNS = {
    "X": pa.array(["wt2", None, "wt2", "wt4"]),
    "T": pa.array([3, 4, None, 5]),
    "explanations": pa.array(
        [
            [{"evidence": ["Temp(wt2)", "Temp(wt4)"], "comes_to": 1.0}, {"evidence": [], "comes_to": None}],
            None,
            [None, {"evidence": ["Temp(wt2)", "Temp(wt4)"], "comes_to": -0.0}],
            [],
        ],
        pa.list_(EXPLANATION),
    ),
}


def _plain(cell: object) -> object:
    """A cell as Arrow gives it, with tuples in place of lists and structs."""
    if isinstance(cell, dict):
        return tuple(_plain(each) for each in cell.values())
    return tuple(map(_plain, cell)) if isinstance(cell, list) else cell


def test_the_values_are_those_of_the_columns() -> None:
    batch = pa.record_batch(COLUMNS)
    for part in (batch, batch.slice(1, 2), batch.slice(2), batch.slice(0, 0)):
        expected = [tuple(map(_plain, row.values())) for row in part.to_pylist()]
        assert list(rows_of([part])) == expected
    assert repr(next(iter(rows_of([batch.slice(2)])))[2]).endswith("-0.0))")
