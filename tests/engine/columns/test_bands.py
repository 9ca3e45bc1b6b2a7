"""antelog/engine/columns/joins.py: equal keys, and a number between two others."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from antelog.engine.columns.joins import TickRange, band_pairs
from antelog.engine.columns.tables import Column


def column(*numbers: int) -> Column:
    return np.array(numbers, np.int64)


def test_rows_of_a_key_within_a_band() -> None:
    device, time = column(1, 1, 2), column(0, 5, 0)
    here, there = band_pairs(device, device, TickRange(time + 1, time + 5), time)
    # The one at 5 is within (0 + 1, 0 + 5] of the first; device 2 has nothing later.
    assert list(zip(here.tolist(), there.tolist(), strict=True)) == [(0, 1)]


def test_an_empty_band_has_no_rows() -> None:
    key, time = column(1), column(3)
    here, there = band_pairs(key, key, TickRange(time + 1, time - 1), time)
    assert (len(here), len(there)) == (0, 0)


NUMBERS = st.integers(-5, 5) | st.sampled_from([-(2**56), 2**53, 2**56])
ROWS = st.lists(st.tuples(st.integers(0, 3), NUMBERS, NUMBERS), max_size=8)


@given(ROWS, st.lists(st.tuples(st.integers(0, 3), NUMBERS), max_size=8))
def test_it_is_what_a_look_at_each_pair_gives(
    left: list[tuple[int, int, int]], right: list[tuple[int, int]]
) -> None:
    """However far away the numbers are: no row is made for those in between."""
    keys, least, most = (column(*(row[i] for row in left)) for i in range(3))
    others, number = (column(*(row[i] for row in right)) for i in range(2))
    here, there = band_pairs(keys, others, TickRange(least, most), number)
    found = sorted(zip(here.tolist(), there.tolist(), strict=True))
    assert found == [
        (i, j)
        for i, (key, low, high) in enumerate(left)
        for j, (other, tick) in enumerate(right)
        if key == other and low <= tick <= high
    ]
