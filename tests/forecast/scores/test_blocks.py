"""antelog/forecast/scores/blocks.py: sums by blocks of time, which widen as time goes on."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from antelog.forecast.scores.blocks import MOST, Blocks, blocks, summed


def of(*ticks: int) -> Blocks:
    """One sum, of 1 for each tick."""
    tick = np.array(ticks, np.int64)
    return summed(1, np.zeros_like(tick), tick, np.ones_like(tick))


def by_start(given: Blocks) -> dict[int, int]:
    """The first tick of each block that holds something."""
    start = given.first // given.width * given.width
    return {start + int(n) * given.width: int(given.sums[0, n]) for n in np.flatnonzero(given.sums[0])}


def test_a_block_for_each_tick_while_they_are_few() -> None:
    assert by_start(of(3, 4, 4, 34)) == {3: 1, 4: 2, 34: 1}


def test_blocks_become_wider() -> None:
    assert (of(0, 31).width, of(0, 32).width, of(1, 64).width, of(0, 70).width) == (1, 2, 4, 4)
    assert by_start(of(5, 6, 7, 70)) == {4: 3, 68: 1}
    assert by_start(of(0, 1, 2, 40)) == {0: 2, 2: 1, 40: 1}


@given(st.lists(st.integers(0, 10_000) | st.integers(0, 2**53), max_size=20), st.integers(0, 20))
def test_parts_add_up(ticks: list[int], cut: int) -> None:
    whole, parts = of(*ticks), of(*ticks[:cut]) + of(*ticks[cut:])
    assert (whole.first, whole.last) == (parts.first, parts.last)
    assert np.array_equal(whole.sums, parts.sums)
    assert whole.sums.sum() == len(ticks)


@given(st.lists(st.integers(0, 2**53), min_size=1, max_size=20))
def test_each_tick_is_in_its_block(ticks: list[int]) -> None:
    found = of(*ticks)
    width = found.width
    starts, counts = np.unique([tick // width * width for tick in ticks], return_counts=True)
    assert by_start(found) == dict(zip(starts.tolist(), counts.tolist(), strict=True))
    assert width == 1 or max(ticks) // (width // 2) - min(ticks) // (width // 2) >= MOST


def test_at_least_so_wide() -> None:
    found = of(*range(32))
    assert found.at_least(1).shape == (1, 32)
    assert found.at_least(2.5).tolist() == [[4] * 8]
    assert found.at_least(1e9).tolist() == [[32]]
    assert blocks(2).at_least(5).sum() == 0
