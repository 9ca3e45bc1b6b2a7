"""antelog/engine/columns/joins.py: rows with equal keys, in a band, at a moment, or there twice."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antelog.engine.columns import joins
from antelog.engine.columns.tables import Column


def column(*numbers: int) -> Column:
    return np.array(numbers, np.int64)


# ---- bands ----

NUMBERS = st.integers(-5, 5) | st.sampled_from([-(2**56), 2**53, 2**56])
ROWS = st.lists(st.tuples(st.integers(0, 3), NUMBERS, NUMBERS), max_size=8)


@given(ROWS, st.lists(st.tuples(st.integers(0, 3), NUMBERS), max_size=8))
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
