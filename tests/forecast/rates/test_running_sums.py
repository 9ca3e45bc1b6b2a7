"""antelog/forecast/rates/ledger.py: sums of which a share stays, as if they were added one by one."""

from __future__ import annotations

import numpy as np
import pytest

from antelog.engine.columns.tables import Numbers
from antelog.forecast.rates.ledger import running_sums


def one_by_one(numbers: Numbers, keeps: Numbers) -> Numbers:
    """Each row with what is left of the one before; columns are added each by itself."""
    sums = numbers.copy()
    every = np.repeat(keeps, numbers.shape[1] // keeps.shape[1], axis=1)
    for row in range(1, len(sums)):
        sums[row] += every[row] * sums[row - 1]
    return sums


@pytest.mark.parametrize("count", [0, 1, 2, 31, 32, 33, 64, 1000, 1025, 33_000])
def test_it_is_as_if_each_were_added_alone(count: int) -> None:
    random = np.random.default_rng(count)
    numbers, keeps = random.integers(0, 3, (count, 6)).astype(np.float64), random.random((count, 3))
    keeps[random.random(count) < 0.1] = 0  # there a run begins
    np.testing.assert_allclose(running_sums(numbers, keeps), one_by_one(numbers, keeps), rtol=1e-12)


def test_where_nothing_is_kept_numbers_are_sums() -> None:
    numbers = np.array([[1.0, 2.0], [3.0, 4.0]])
    assert running_sums(numbers, np.zeros((2, 1))).tolist() == numbers.tolist()
