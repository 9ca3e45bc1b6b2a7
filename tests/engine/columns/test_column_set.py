"""antelog/engine/columns/column_set.py: rows of all columns are taken and joined, the rest stays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pytest

from antelog.engine.columns.column_set import ColumnSet
from antelog.engine.columns.tables import Column


@dataclass(frozen=True, eq=False)
class Inner(ColumnSet):
    axis = -1

    lines: Column


@dataclass(frozen=True, eq=False)
class Outer(ColumnSet):
    shared = frozenset({"known"})

    name: str
    known: Column
    cells: tuple[Column | None, ...]
    inner: Inner
    bound: Mapping[str, Column]


def outer(*rows: int, name: str = "a") -> Outer:
    own = np.array(rows)
    return Outer(name, np.array([7, 8, 9]), (own, None), Inner(np.stack([own, -own])), {"x": own + 1})


def plain(found: Outer) -> list[object]:
    cells = [None if each is None else each.tolist() for each in found.cells]
    return [found.name, found.known.tolist(), cells, found.inner.lines.tolist(), found.bound["x"].tolist()]


@pytest.mark.parametrize("at", [np.array([2, 0]), np.array([2, 0], np.int32)])
def test_rows_are_taken_of_columns_wherever_they_are(at: Column) -> None:
    assert plain(outer(1, 2, 3).take(at)) == plain(outer(3, 1))
    assert plain(outer(1, 2, 3).take(np.array([True, False, True]))) == plain(outer(1, 3))


def test_rows_are_joined_and_the_last_says_the_rest() -> None:
    one, other = outer(1), outer(2, 3, name="b")
    both = Outer.and_then(one, other, one)
    assert plain(both) == plain(outer(1, 2, 3, 1))
    assert one.and_then(other).name == "b"
    assert one.and_then() is one
