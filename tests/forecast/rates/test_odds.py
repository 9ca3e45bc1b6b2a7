"""antelog/forecast/rates/odds.py: how often facts come and how late, each different set of that once."""

from __future__ import annotations

import numpy as np
import pytest

from antelog.forecast.rates.odds import Series, exclusive
from antelog.forecast.rates.tally import Ledger, before, closed, entered, nothing_counted, opened
from tests.forecast.making import odds


def test_what_never_happens_may_happen_all_the_same() -> None:
    moves = odds(once=[0.0], again=[1.0]).moves(np.zeros(2, np.int64)).transpose(2, 0, 1)
    assert moves.shape == (2, 2, 2)
    assert (moves > 0).all()
    assert moves[0, 0, 1] < 1e-15
    np.testing.assert_allclose(moves.sum(axis=2), 1)


def test_series_exclude_each_other_by_different_constants() -> None:
    high, low = (Series("Temp", ((1, level),), (), (0,), ()) for level in ("high", "low"))
    any_ = Series("Temp", (), (), (0,), ())
    assert exclusive(high, low)
    assert not exclusive(high, high)
    assert not exclusive(high, any_)
    one, same = (Series("Reading", ((1, number),), (), (0,), ()) for number in (1, 1.0))
    assert not exclusive(one, same)  # equal numbers, however they are written


HALF_LIVES = np.array([3.0, 40.0, np.inf])
FORGOTTEN = 25


def column(*numbers: int) -> np.ndarray:
    return np.array(numbers, np.int64)


def nothing(forgets: int | None = FORGOTTEN) -> Ledger:
    return opened(nothing_counted(1, 6, forgets=forgets))


def counted(ledger: Ledger, *rows: tuple[int, int, float]) -> Ledger:
    """With (key, tick, number), each number being one of one in every memory."""
    key, tick, number = zip(*rows, strict=True)
    numbers = np.stack([np.ones(len(rows)), np.array(number, np.float64)], axis=1)
    return entered(ledger, column(*tick), (column(*key),), numbers, HALF_LIVES)


def expected(rows: list[tuple[int, int, float]], key: int, tick: int) -> list[float]:
    """The sums of a key before a tick, added up one by one."""
    sums, last = np.zeros((3, 2)), None
    for at, number in sorted((at, number) for own, at, number in rows if own == key and at < tick):
        if last is not None:
            sums = sums * np.exp2(-(at - last) / HALF_LIVES)[:, None] * (at - last <= FORGOTTEN)
        sums, last = sums + np.array([1, number]), at
    if last is not None:
        sums = sums * np.exp2(-(tick - last) / HALF_LIVES)[:, None] * (tick - last <= FORGOTTEN)
    found: list[float] = sums.ravel().tolist()
    return found


@pytest.mark.parametrize("seed", range(20))
def test_it_is_as_if_each_were_added_alone_however_a_run_is_cut(seed: int) -> None:
    numbers = np.random.default_rng(seed)
    ticks = np.sort(numbers.integers(0, numbers.integers(2, 300), 80)).tolist()
    rows = [(int(numbers.integers(6)), tick, float(numbers.integers(2))) for tick in ticks]
    ledger, at = nothing(), -1
    while at <= 310:
        end = at + int(numbers.integers(1, 120))
        step = [row for row in rows if at < row[1] <= end]
        if step:
            ledger = counted(ledger, *(step[i] for i in numbers.permutation(len(step))))
        asked = numbers.integers(at + 1, end + 1, 40)
        keys = numbers.integers(0, 7, 40)
        found = before(ledger, (keys,), asked, HALF_LIVES)
        wanted = [expected(rows, int(key), int(tick)) for key, tick in zip(keys, asked, strict=True)]
        np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-300)
        ledger, at = closed(ledger, end), end


def test_at_the_end_of_a_step_forgotten_keys_are_dropped() -> None:
    ledger = closed(counted(nothing(), (7, 0, 1), (8, 20, 1)), 30)
    assert ledger.tally.keys[0].tolist() == [8]
    assert closed(counted(nothing(None), (7, 0, 1)), 10**6).tally.count == 1
