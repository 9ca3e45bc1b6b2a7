"""antelog/forecast/rates/tally.py: what was counted, epoch by epoch, with older epochs counting less."""

from __future__ import annotations

import numpy as np

from antelog.forecast.rates.tally import (
    FORGOTTEN,
    Counted,
    Tally,
    TallySums,
    added,
    alive,
    faded,
    looked_up,
    nothing_counted,
    summed,
    without_old,
)


def counted(epoch: int, *rows: tuple[int, float, float]) -> Counted:
    """Two numbers for each key."""
    key, *numbers = zip(*rows, strict=True)
    return Counted(epoch, (np.array(key, np.int64),), np.array(numbers, np.float64).T)


def counting(*parts: Counted, half_life: float | None = None) -> Tally:
    tally = nothing_counted(1, 2, forgets=FORGOTTEN)
    for part in parts:
        tally = added(tally, part, half_life)
    return tally


def found(tally: Tally, *keys: int, epoch: int, half_life: float | None = None) -> TallySums:
    return looked_up(tally, (np.array(keys, np.int64),), len(keys), epoch, half_life)


def test_numbers_of_a_key_add_up() -> None:
    tally = counting(counted(0, (7, 1, 0), (8, 1, 1), (7, 2, 1)), counted(1, (7, 1, 1)))
    at = found(tally, 7, 8, 9, epoch=1)
    assert at.sums.tolist() == [[4, 2], [1, 1], [0, 0]]
    assert at.first.tolist() == [0, 0, 1]  # nothing is known of the last one, so it begins now


def test_older_epochs_count_less() -> None:
    assert faded(np.array([[8.0, 4.0]]), 20, 10).tolist() == [[2, 1]]
    assert faded(np.array([[8.0, 4.0]]), 20, None).tolist() == [[8, 4]]
    tally = counting(counted(0, (7, 8, 0)), counted(10, (7, 1, 1)), half_life=10)
    assert found(tally, 7, epoch=10, half_life=10).sums.tolist() == [[5, 1]]
    assert found(tally, 7, epoch=20, half_life=10).sums.tolist() == [[2.5, 0.5]]


def test_a_key_that_is_not_seen_for_long_is_forgotten() -> None:
    tally = counting(counted(0, (7, 8, 0)), counted(5, (8, 1, 0)))
    assert found(tally, 7, epoch=FORGOTTEN).sums.tolist() == [[8, 0]]
    late = FORGOTTEN + 1
    assert found(tally, 7, epoch=late).sums.tolist() == [[0, 0]]
    assert (alive(tally, FORGOTTEN), alive(tally, late)) == (2, 1)
    assert without_old(tally, late).keys[0].tolist() == [8]
    again = added(tally, counted(late, (7, 1, 1)), None)
    at = found(again, 7, epoch=late)
    assert (at.sums.tolist(), at.first.tolist()) == ([[1, 1]], [late])


def test_what_all_keys_share_is_not_forgotten() -> None:
    tally = added(nothing_counted(1, 2), counted(0, (7, 8, 0)), None)
    assert found(tally, 7, epoch=FORGOTTEN * 9).sums.tolist() == [[8, 0]]
    assert without_old(tally, FORGOTTEN * 9) is tally


def test_whether_forgotten_keys_are_dropped_or_not_makes_no_difference() -> None:
    random = np.random.default_rng(0)
    kept = dropped = nothing_counted(1, 2, forgets=FORGOTTEN)
    for epoch in range(0, 900, 30):
        new = counted(epoch, *((int(key), 1.0, 0.0) for key in random.integers(0, 20, 3)))
        kept, dropped = added(kept, new, 50), without_old(added(dropped, new, 50), epoch)
        one, other = (found(each, *range(20), epoch=epoch, half_life=50) for each in (kept, dropped))
        assert one.first.tolist() == other.first.tolist()
        np.testing.assert_allclose(one.sums, other.sums)
    assert dropped.count < kept.count


def test_tallies_without_keys_have_one_row() -> None:
    none = Counted(3, (), np.array([[1.0], [2.0]]))
    tally = added(nothing_counted(0, 1), none, None)
    assert (tally.count, tally.sums.tolist()) == (1, [[3]])
    assert looked_up(tally, (), 2, 3, None).sums.tolist() == [[3], [3]]


def test_sums_by_key_are_in_the_order_of_keys() -> None:
    keys, numbers = summed((np.array([8, 7, 8, 2**40]),), np.array([[1.0, 0], [2, 1], [3, 1], [4, 0]]))
    assert [column.tolist() for column in keys] == [[7, 8, 2**40]]
    assert numbers.tolist() == [[2, 1], [4, 1], [4, 0]]
    assert summed((), np.array([[1.0, 0], [2, 1]]))[1].tolist() == [[3, 1]]
