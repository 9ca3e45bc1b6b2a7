"""antelog/engine/columns/ranked.py: stretches of random numbers, looked at one by one."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import numpy as np
import pytest

from antelog.engine.columns.ranked import NOTHING, Ranked, Slices, Totals
from antelog.engine.columns.tables import NEVER, Mask


@pytest.mark.parametrize("seed", range(40))
def test_stretches(seed: int) -> None:
    random = Random(seed)
    size, largest = random.randrange(60), random.choice((0, 1, 7, 2**40))
    numbers = [random.randint(-largest, largest) for _ in range(size)]
    weights = [random.randint(-50, 50) for _ in range(size)]
    heights = [random.randrange(9) for _ in range(size)]
    ranked = Ranked(
        np.array(numbers, np.int64), [np.array(weights, np.int64)], (np.array(heights, np.int32),)
    )
    ends = [sorted((random.randint(0, size), random.randint(0, size))) for _ in range(80)]
    first, end = np.array(ends, np.int64).T
    which = np.array([random.randint(-1, size + 1) for _ in ends], np.int64)
    most = np.array([random.choice([*numbers, -largest - 1, 3, largest, NEVER]) for _ in ends], np.int64)
    least_height = np.array([random.randint(0, 9) for _ in ends], np.int64)
    for at, (begin, after) in enumerate(ends):
        one = slice(at, at + 1)
        stretch, number, limit = sorted(numbers[begin:after]), int(which[at]), int(most[at])
        stretches = Slices(first[one], end[one])
        assert ranked.first(stretches, at_least(number)).tolist() == [
            stretch[max(number, 1) - 1] if number <= len(stretch) and stretch else NEVER
        ]
        both = list(zip(numbers[begin:after], weights[begin:after], heights[begin:after], strict=True))
        for found, some in (
            (ranked.up_to(stretches, most[one]), [each for each in both if each[0] <= limit]),
            (ranked.up_to(stretches, None), both),
        ):
            assert found.count.tolist() == [len(some)]
            assert found.sums[0].tolist() == [sum(weight for _, weight, _ in some)]
            assert found.highest[0].tolist() == [max((height for *_, height in some), default=NOTHING)]
        assert ranked.first(stretches, as_high_as(int(least_height[at]))).tolist() == [
            min((n for n, _, each in both if each >= least_height[at]), default=NEVER)
        ]


def at_least(number: int) -> Callable[[Totals], Mask]:
    return lambda found: found.count >= max(number, 1)


def as_high_as(height: int) -> Callable[[Totals], Mask]:
    return lambda found: found.highest[0] >= height


@pytest.mark.parametrize("seed", range(40))
def test_stretches_without_others(seed: int) -> None:
    random = Random(seed)
    numbers = [random.randrange(20) for _ in range(random.randrange(1, 40))]
    some = random.sample(numbers, random.randint(0, len(numbers)))
    ranked = Ranked(np.array(numbers + some, np.int64))
    size, left = len(numbers), sorted(numbers)
    for number in some:
        left.remove(number)
    one, all_of_it = np.zeros(1, np.int64), np.array([size], np.int64)
    stretches = Slices(one, all_of_it, Slices(all_of_it, np.array([size + len(some)], np.int64)))
    for number in range(1, size + 2):
        expected = left[number - 1] if number <= len(left) else NEVER
        assert ranked.first(stretches, at_least(number)).tolist() == [expected]
        assert ranked.up_to(stretches, np.array([number])).count.tolist() == [sum(n <= number for n in left)]
