"""antelog/engine/columns/joins.py: rows of a key at a tick, and the last ones before it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antelog.engine.columns.joins import KeyTicks, find_moments, last_before
from antelog.engine.columns.tables import run_ends

TICKS = st.integers(-3, 6) | st.sampled_from([2**20, 2**55])
MOMENTS = st.lists(st.tuples(st.integers(0, 3), TICKS), max_size=8)


def moments(rows: list[tuple[int, int]]) -> KeyTicks:
    key, tick = ([row[at] for row in rows] for at in range(2))
    return KeyTicks(np.array(key, np.int64), np.array(tick, np.int64))


@given(MOMENTS, MOMENTS)
def test_the_first_row_of_a_key_at_a_tick(asked: list[tuple[int, int]], own: list[tuple[int, int]]) -> None:
    found = find_moments(moments(asked), moments(own)).tolist()
    assert found == [own.index(each) if each in own else -1 for each in asked]


def by_looking(asked: list[tuple[int, int]], own: list[tuple[int, int]]) -> list[int]:
    rows = [[at for at, (key, tick) in enumerate(own) if key == k and tick < t] for k, t in asked]
    return [max(each, default=-1) for each in rows]


@given(MOMENTS, MOMENTS)
def test_the_last_row_of_a_key_before_a_tick(
    asked: list[tuple[int, int]], own: list[tuple[int, int]]
) -> None:
    own.sort()
    assert last_before(moments(asked), moments(own)).tolist() == by_looking(asked, own)


@pytest.mark.parametrize("ticks", [50, 2**40])
def test_of_many_rows(ticks: int) -> None:
    """Ticks close together are looked up in a table, ticks far apart by a search; both find the same rows."""
    random = np.random.default_rng(1)
    asked, own = (
        [*zip(random.integers(0, 9, 300).tolist(), random.integers(0, ticks, 300).tolist(), strict=True)]
        for _ in range(2)
    )
    assert last_before(moments(asked), moments(sorted(own))).tolist() == by_looking(asked, sorted(own))
    assert find_moments(moments(own), moments(own)).tolist() == [own.index(each) for each in own]


def test_where_runs_end() -> None:
    assert run_ends(np.array([3, 3, 5, 7, 7])).tolist() == [False, True, True, False, True]
    assert run_ends(np.array([], np.int64)).tolist() == []
