"""antelog/engine/columns/{tables,joins,spans}.py: columns of numbers, many and few, and what they find."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antelog.engine.columns import joins
from antelog.engine.columns.joins import find, find_rows, pairs, spread
from antelog.engine.columns.spans import EVERYWHERE, FOREVER, NOWHERE, Spans, span, spans_of, union
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


# ---- bands ----

FAR = st.integers(-5, 5) | st.sampled_from([-(2**56), 2**53, 2**56])
BANDS = st.lists(st.tuples(st.integers(0, 3), FAR, FAR), max_size=8)


@given(BANDS, st.lists(st.tuples(st.integers(0, 3), FAR), max_size=8))
def test_a_band_has_the_pairs_that_a_look_at_each_finds(
    left: list[tuple[int, int, int]], right: list[tuple[int, int]]
) -> None:
    """However far away the numbers are: no row is made for those in between."""
    keys, least, most = (column(*(row[i] for row in left)) for i in range(3))
    others, number = (column(*(row[i] for row in right)) for i in range(2))
    here, there = joins.band_pairs(keys, others, joins.TickRange(least, most), number)
    found = sorted(zip(here.tolist(), there.tolist(), strict=True))
    assert found == [
        (i, j)
        for i, (key, low, high) in enumerate(left)
        for j, (other, tick) in enumerate(right)
        if key == other and low <= tick <= high
    ]


# ---- moments ----

TICKS = st.integers(-3, 6) | st.sampled_from([2**20, 2**55])
MOMENTS = st.lists(st.tuples(st.integers(0, 3), TICKS), max_size=8)


def moments(rows: list[tuple[int, int]]) -> joins.KeyTicks:
    key, tick = ([row[at] for row in rows] for at in range(2))
    return joins.KeyTicks(np.array(key, np.int64), np.array(tick, np.int64))


@given(MOMENTS, MOMENTS)
def test_the_first_row_of_a_key_at_a_tick(asked: list[tuple[int, int]], own: list[tuple[int, int]]) -> None:
    found = joins.find_moments(moments(asked), moments(own)).tolist()
    assert found == [own.index(each) if each in own else -1 for each in asked]


def by_looking(asked: list[tuple[int, int]], own: list[tuple[int, int]]) -> list[int]:
    rows = [[at for at, (key, tick) in enumerate(own) if key == k and tick < t] for k, t in asked]
    return [max(each, default=-1) for each in rows]


@given(MOMENTS, MOMENTS)
def test_the_last_row_of_a_key_before_a_tick(
    asked: list[tuple[int, int]], own: list[tuple[int, int]]
) -> None:
    own.sort()
    assert joins.last_before(moments(asked), moments(own)).tolist() == by_looking(asked, own)


@pytest.mark.parametrize("ticks", [50, 2**40])
def test_of_many_rows(ticks: int) -> None:
    """Ticks close together are looked up in a table, ticks far apart by a search; both find the same rows."""
    random = np.random.default_rng(1)
    keys, times = random.integers(0, 9, (2, 300)).tolist(), random.integers(0, ticks, (2, 300)).tolist()
    asked, own = ([*zip(*each, strict=True)] for each in zip(keys, times, strict=True))
    assert joins.last_before(moments(asked), moments(sorted(own))).tolist() == by_looking(asked, sorted(own))
    assert joins.find_moments(moments(own), moments(own)).tolist() == [own.index(each) for each in own]


# ---- room ----


def test_a_join_that_has_no_room_is_not_made() -> None:
    column = np.zeros(100, np.int64)
    with joins.budget(80 * 1_000), pytest.raises(joins.TooLargeError) as raised:
        joins.pairs(column, column)
    assert raised.value.rows == 10_000


def test_what_fits_is_made() -> None:
    with joins.budget(80 * 1_000):
        joins.make_room(np.full(10, 100))


# ---- repeated rows ----

# Digests that are equal, that share a place in the table, as they begin alike, and others.
DIGESTS = st.integers(0, 3) | st.integers(-(2**63), 2**63 - 1) | st.sampled_from([2**62, 2**62 + 1, -1, -2])


@given(st.lists(DIGESTS, max_size=40))
def test_rows_are_found_whose_digest_another_row_has(digests: list[int]) -> None:
    count = Counter(digests)
    wanted = [row for row, digest in enumerate(digests) if count[digest] > 1]
    assert joins.alike(np.array(digests, np.int64)).tolist() == wanted


@given(st.lists(DIGESTS, max_size=40), st.lists(DIGESTS, min_size=1, max_size=40))
def test_rows_are_found_whose_digest_is_known(digests: list[int], known: list[int]) -> None:
    wanted = [row for row, digest in enumerate(digests) if digest in known]
    assert joins.among(np.array(digests, np.int64), np.array(known, np.int64)).tolist() == wanted


# ---- sets of ticks as first and last, however long they are ----


def ends(spans: Spans) -> list[tuple[int, int]]:
    return list(zip(spans.first.tolist(), spans.last.tolist(), strict=True))


def test_ticks_side_by_side_are_one_span() -> None:
    assert ends(spans_of(np.array([3, 4, 5, 900]))) == [(3, 5), (900, 900)]
    assert ends(union([span(3, 5), span(900, FOREVER), span(6, 7)])) == [(3, 7), (900, FOREVER)]
    assert span(5, 3) is NOWHERE


def test_spans_grow_at_both_ends_and_meet() -> None:
    both = union([span(3, 4), span(9, 9)])
    assert ends(both.shifted(1, 1)) == [(2, 5), (8, 10)]
    assert ends(both.shifted(2, 3)) == [(1, 12)]
    assert ends(both.shifted(0, None)) == [(3, FOREVER)]
    assert ends(span(3, 4).shifted(None, 2)) == [(-FOREVER, 6)]
    assert ends(EVERYWHERE.shifted(1, 1)) == ends(EVERYWHERE)
    assert ends(NOWHERE.shifted(None, None)) == []


def test_what_lies_in_them() -> None:
    both = union([span(3, 4), span(9, 9)])
    assert both.within(np.array([2, 3, 5, 9, 10])).tolist() == [False, True, False, True, False]
    assert ends(both.between(4, 8)) == [(4, 4)]
    assert both.ticks().tolist() == [3, 4, 9]
    assert EVERYWHERE.within(np.array([0, 2**53])).all()


OF_SPANS = st.sets(st.integers(0, 30))


@given(st.lists(OF_SPANS, max_size=4), st.integers(0, 3), st.integers(0, 3))
def test_they_are_the_sets_of_their_ticks(parts: list[set[int]], earlier: int, later: int) -> None:
    whole = union(spans_of(np.array(sorted(part), np.int64)) for part in parts)
    ticks: set[int] = set().union(*parts)
    assert whole.ticks().tolist() == sorted(ticks)
    moved = {tick + by for tick in ticks for by in range(-earlier, later + 1)}
    assert whole.shifted(earlier, later).ticks().tolist() == sorted(moved)
