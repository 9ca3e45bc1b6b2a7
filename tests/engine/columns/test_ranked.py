"""antelog/engine/columns/ranked.py: stretches of random numbers, looked at one by one."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from antelog.engine.columns.ranked import NOTHING, Ranked, Slices
from antelog.engine.columns.tables import NEVER


@pytest.mark.parametrize("seed", range(40))
def test_stretches(seed: int) -> None:
    random = Random(seed)
    size, largest = random.randrange(60), random.choice((0, 1, 7, 2**40))
    numbers = [random.randint(-largest, largest) for _ in range(size)]
    weights = [random.randint(-50, 50) for _ in range(size)]
    heights = [random.randrange(9) for _ in range(size)]
    ranked = Ranked.of(np.array(numbers, np.int64), [np.array(weights, np.int64)])
    high = Ranked.of(np.array(numbers, np.int64), (), np.array(heights, np.int32))
    ends = [sorted((random.randint(0, size), random.randint(0, size))) for _ in range(80)]
    first, end = np.array(ends, np.int64).T
    which = np.array([random.randint(-1, size + 1) for _ in ends], np.int64)
    most = np.array([random.choice([*numbers, -largest - 1, 3, largest, NEVER]) for _ in ends], np.int64)
    least_height = np.array([random.randint(0, 9) for _ in ends], np.int64)
    for at, (begin, after) in enumerate(ends):
        one = slice(at, at + 1)
        stretch, number, limit = sorted(numbers[begin:after]), int(which[at]), int(most[at])
        stretches = Slices(first[one], end[one])
        expected = stretch[number - 1] if 1 <= number <= len(stretch) else NEVER
        assert ranked.least(stretches, which[one]).tolist() == [expected]
        assert ranked.up_to(stretches, most[one]).tolist() == [sum(n <= limit for n in stretch)]
        both = list(zip(numbers[begin:after], weights[begin:after], heights[begin:after], strict=True))
        assert ranked.weights_up_to(stretches, most[one])[0].tolist() == [
            sum(weight for n, weight, _ in both if n <= limit)
        ]
        assert high.highest_up_to(stretches, most[one]).tolist() == [
            max((height for n, _, height in both if n <= limit), default=NOTHING)
        ]
        assert high.least_from(stretches, least_height[one]).tolist() == [
            min((n for n, _, height in both if height >= least_height[at]), default=NEVER)
        ]


@pytest.mark.parametrize("seed", range(40))
def test_stretches_without_others(seed: int) -> None:
    random = Random(seed)
    numbers = [random.randrange(20) for _ in range(random.randrange(1, 40))]
    some = random.sample(numbers, random.randint(0, len(numbers)))
    ranked = Ranked.of(np.array(numbers + some, np.int64))
    size, left = len(numbers), sorted(numbers)
    for number in some:
        left.remove(number)
    one, all_of_it = np.zeros(1, np.int64), np.array([size], np.int64)
    stretches = Slices(one, all_of_it, Slices(all_of_it, np.array([size + len(some)], np.int64)))
    for number in range(-1, size + 2):
        expected = left[number - 1] if 1 <= number <= len(left) else NEVER
        assert ranked.least(stretches, np.array([number])).tolist() == [expected]
        assert ranked.up_to(stretches, np.array([number])).tolist() == [sum(n <= number for n in left)]
