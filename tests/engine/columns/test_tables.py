"""antelog/engine/columns/tables.py: keys, order, groups and joins over columns of numbers, many and few."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antelog.engine.columns.joins import find, find_rows, pairs, spread
from antelog.engine.columns.tables import (
    Column,
    ColumnSet,
    distinct,
    groups,
    in_order,
    keys_of,
    numbered,
    once,
    ordered,
    run_ends,
    sorting,
)
from tests.engine.few import at_most


@pytest.fixture(autouse=True, scope="module", params=[0, 64])
def few(request: pytest.FixtureRequest) -> Iterator[None]:
    with at_most(request.param):
        yield


def column(*numbers: int) -> Column:
    return np.array(numbers, np.int64)


def test_rows_of_equal_keys_are_a_group() -> None:
    same = groups(column(5, 3, 5))
    assert (same.count, same.sizes.tolist(), same.first.tolist()) == (2, [1, 2], [1, 0])
    assert same.numbers.tolist() == [1, 0, 1]
    assert same.least(column(9, 4, 2)).tolist() == [4, 2]
    assert same.most(column(9, 4, 2)).tolist() == [4, 9]


def test_counts_become_numbers() -> None:
    whose, numbers = spread(column(5, 9), column(2, 1))
    assert (whose.tolist(), numbers.tolist()) == ([0, 0, 1], [5, 6, 9])


# Cells of values with ids, marks, ticks, and numbers that nothing is near.
NUMBERS = st.integers(-3, 5) | st.integers(-(2**51), -(2**51) + 3) | st.integers(-(2**62), 2**62)
COLUMN = st.lists(NUMBERS, max_size=9)


@given(st.lists(st.tuples(NUMBERS, NUMBERS), max_size=8), st.lists(st.tuples(NUMBERS, NUMBERS), max_size=8))
def test_keys_find_what_comparing_rows_finds(
    left: list[tuple[int, int]], right: list[tuple[int, int]]
) -> None:
    tables = [[column(*(row[i] for row in table)) for i in range(2)] for table in (left, right)]
    keys = keys_of(tables)
    here, there = pairs(*keys)
    wanted = [(i, j) for i, one in enumerate(left) for j, other in enumerate(right) if one == other]
    assert sorted(zip(here.tolist(), there.tolist(), strict=True)) == wanted
    wanted_at = [right.index(row) if row in right else -1 for row in left]
    assert find(*keys).tolist() == wanted_at
    assert find_rows(*tables).tolist() == wanted_at


@given(COLUMN)
def test_different_numbers_are_in_order(numbers: list[int]) -> None:
    given_ = column(*numbers)
    wanted = sorted(set(numbers))
    assert distinct(given_).tolist() == wanted
    different, which = numbered(given_)
    assert different.tolist() == wanted
    assert different.take(which).tolist() == numbers


@given(st.lists(st.integers(0, 3) | st.integers(0, 2**62 - 1), max_size=9))
def test_one_row_is_taken_of_each_key(numbers: list[int]) -> None:
    key = column(*numbers)
    row, which = once(key)
    assert key.take(row).tolist() == sorted(set(numbers))
    assert key.take(row.take(which)).tolist() == numbers


LARGE = st.integers(0, 2**62 - 1)


@given(st.lists(st.tuples(LARGE, st.integers(0, 3) | LARGE), max_size=9))
def test_rows_are_sorted_by_one_column_after_the_other(rows: list[tuple[int, int]]) -> None:
    order = in_order([column(*(row[i] for row in rows)) for i in range(2)])
    assert [rows[i] for i in order.tolist()] == sorted(rows)
    first = column(*(row[0] for row in rows))
    assert sorting(first).tolist() == sorted(range(len(rows)), key=lambda i: rows[i][0])


# Some that fit into 64 bits together with the numbers of their rows, and some that do not.
NUMBERS = st.integers(-3, 5) | st.integers(-(2**40), 2**40) | st.integers(-(2**62), 2**62 - 1)


@given(st.lists(NUMBERS, min_size=1, max_size=9))
def test_numbers_are_sorted_however_far_apart(numbers: list[int]) -> None:
    order, sequence = ordered(column(*numbers))
    assert order.tolist() == sorted(range(len(numbers)), key=lambda i: numbers[i])
    assert sequence.tolist() == sorted(numbers)


def test_numbers_just_too_large_for_their_rows_are_sorted() -> None:
    for most in (2**60 - 1, 2**60, 2**61 - 1, 2**61):
        assert ordered(column(most, 0, most - 1, 0, most))[0].tolist() == [1, 3, 2, 0, 4]


def test_where_runs_end() -> None:
    assert run_ends(np.array([3, 3, 5, 7, 7])).tolist() == [False, True, True, False, True]
    assert run_ends(np.array([], np.int64)).tolist() == []


# ---- sets of columns ----


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
