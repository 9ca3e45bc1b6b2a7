"""antelog/engine/columns/ranked.py: stretches of random numbers, looked at one by one."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from antelog.engine.columns.ranked import Ranked
from antelog.engine.columns.tables import NEVER


@pytest.mark.parametrize("seed", range(40))
def test_stretches(seed: int) -> None:
    random = Random(seed)
    size, largest = random.randrange(60), random.choice((0, 1, 7, 2**40))
    numbers = [random.randint(-largest, largest) for _ in range(size)]
    weights = [random.randint(-50, 50) for _ in range(size)]
    ranked = Ranked.of(np.array(numbers, np.int64), [np.array(weights, np.int64)])
    ends = [sorted((random.randint(0, size), random.randint(0, size))) for _ in range(80)]
    first, end = np.array(ends, np.int64).T
    which = np.array([random.randint(-1, size + 1) for _ in ends], np.int64)
    most = np.array([random.choice([*numbers, -largest - 1, 3, largest, NEVER]) for _ in ends], np.int64)
    for at, (low, high) in enumerate(ends):
        one = slice(at, at + 1)
        stretch, number, limit = sorted(numbers[low:high]), int(which[at]), int(most[at])
        expected = stretch[number - 1] if 1 <= number <= len(stretch) else NEVER
        assert ranked.least(first[one], end[one], which[one]).tolist() == [expected]
        assert ranked.up_to(first[one], end[one], most[one]).tolist() == [sum(n <= limit for n in stretch)]
        chosen = sum(w for n, w in zip(numbers[low:high], weights[low:high], strict=True) if n <= limit)
        assert ranked.weights_up_to(first[one], end[one], most[one])[0].tolist() == [chosen]
