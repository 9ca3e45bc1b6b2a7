"""antelog/spark/sql/partition.py: columns as rows of which equal texts are one object."""

from __future__ import annotations

import pyarrow as pa

from antelog.spark.sql.partition import rows_of

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


def test_equal_texts_and_lists_of_texts_are_one_object() -> None:
    batch = pa.record_batch(COLUMNS)
    first, _, third, _, again, *_ = rows_of([batch, batch])
    assert first[0] is third[0]
    assert first[0] is again[0]
    evidence = [row[2][at][0] for row, at in ((first, 0), (third, 1), (again, 0))]  # type: ignore[index]
    assert evidence[0] is evidence[1]
    assert evidence[0] is evidence[2]
    assert evidence[0][1] is evidence[1][1]
