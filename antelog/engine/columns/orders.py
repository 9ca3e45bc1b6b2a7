"""Numbers put in order, in the way that takes this processor less.

NumPy compares numbers of 64 bits, and counts those of 16. Which is quicker depends on the processor: some
compare in 6 ns where counting takes 17, others in 40 where it takes 10. So both are tried, once.

    keys 7, 5, 7     order 1, 0, 2; keys in that order 5, 7, 7
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from antelog.engine.columns import few

_Column = NDArray[np.int64]


def extent(column: _Column) -> tuple[int, int]:
    """The least number of a column that is not empty, and how many there are up to the greatest."""
    low = int(np.minimum.reduce(column))  # `min` is the same, by a longer way
    return low, int(np.maximum.reduce(column)) - low + 1


def ascending(column: _Column) -> _Column:
    """The numbers of a column in order."""
    if len(column) <= few.FEW or _compares_quickly():
        return np.sort(column)
    low, count = extent(column)
    rest = column - low
    for shift in _shifts(count):
        rest = rest.take(np.argsort((rest >> shift).astype(np.uint16), kind="stable"))
    return rest + low


def ordered(key: _Column) -> tuple[_Column, _Column]:
    """The order that sorts keys, in which equal ones stay as they are, and the keys in that order."""
    if len(key) > few.FEW and _compares_quickly():
        low, count = extent(key)
        if (count - 1).bit_length() + _places(key) < _BITS:
            return _by_comparing(key, low)
    order = order_of(key)
    return order, key.take(order)


def order_of(key: _Column) -> _Column:
    """The order that sorts keys, in which equal ones stay as they are."""
    if len(key) <= few.FEW:
        return np.argsort(key, kind="stable")
    low, count = extent(key)
    if _compares_quickly() and (count - 1).bit_length() + _places(key) < _BITS:
        return _by_comparing(key, low)[0]
    return _by_counting(key, low, count)


_BITS = 64


def _places(key: _Column) -> int:
    """The bits that tell the rows of a column apart."""
    return (len(key) - 1).bit_length()


def _by_comparing(key: _Column, low: int) -> tuple[_Column, _Column]:
    """The order of keys, and the keys in order: each is sorted with its row in its lowest bits."""
    bits = _places(key)
    both = key - low
    both <<= bits
    both |= np.arange(len(key))
    both.sort()
    order = both & ((1 << bits) - 1)
    both >>= bits
    both += low
    return order, both


def _by_counting(key: _Column, low: int, count: int) -> _Column:
    """The order of keys from the lowest on, below `low + count`: by sixteen bits after the other."""
    rest = key - low
    order = np.argsort(rest.astype(np.uint16), kind="stable")
    for shift in _shifts(count)[1:]:
        digit = (rest >> shift).astype(np.uint16)
        order = order.take(np.argsort(digit.take(order), kind="stable"))
    return order


def _shifts(count: int) -> range:
    """Where the groups of sixteen bits begin in numbers below this."""
    return range(0, max((count - 1).bit_length(), 1), 16)


_TRIED, _TRIES = 4096, 5


@cache
def _compares_quickly() -> bool:
    """Whether comparing is quicker on this processor. The order is the same in any case."""
    numbers = np.arange(_TRIED) * 2654435761 % 2**30  # in no order
    return _seconds(lambda: _by_comparing(numbers, 0)) < _seconds(lambda: _by_counting(numbers, 0, 2**30))


def _seconds(try_: Callable[[], object]) -> float:
    """The least it takes, as something else may run meanwhile."""
    least = np.inf
    for _ in range(_TRIES):
        began = perf_counter()
        try_()
        least = min(least, perf_counter() - began)
    return least
