"""antelog/engine/columns/{orders,few}.py: numbers in order, in each of the two ways to put them so."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antelog.engine.columns import orders
from antelog.engine.columns.orders import _compares_quickly
from tests.engine.few import at_most


@pytest.fixture(autouse=True, scope="module", params=[(0, True), (0, False), (64, True)])
def way(request: pytest.FixtureRequest) -> Iterator[None]:
    few, quickly = request.param
    with at_most(few), pytest.MonkeyPatch.context() as patch:
        patch.setattr(orders, "_compares_quickly", lambda: quickly)
        yield


# Some that fit into 64 bits together with the numbers of their rows, and some that do not.
NUMBERS = st.integers(-3, 5) | st.integers(-(2**40), 2**40) | st.integers(-(2**62), 2**62 - 1)


@given(st.lists(NUMBERS, min_size=1, max_size=9))
def test_numbers_are_sorted_however_far_apart(numbers: list[int]) -> None:
    column = np.array(numbers, np.int64)
    wanted = sorted(range(len(numbers)), key=lambda i: numbers[i])
    assert orders.ascending(column).tolist() == sorted(numbers)
    assert orders.order_of(column).tolist() == wanted
    order, sequence = orders.ordered(column)
    assert (order.tolist(), sequence.tolist()) == (wanted, sorted(numbers))


def test_numbers_just_too_large_for_their_rows_are_sorted() -> None:
    for most in (2**60 - 1, 2**60, 2**61 - 1, 2**61):
        column = np.array([most, 0, most - 1, 0, most])
        assert orders.ordered(column)[0].tolist() == [1, 3, 2, 0, 4]


def test_one_way_is_chosen_for_good() -> None:
    assert _compares_quickly() in {True, False}
    assert _compares_quickly.cache_info().misses == 1
