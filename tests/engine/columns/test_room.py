"""antelog/engine/columns/joins.py: a table that would be too large is not made."""

from __future__ import annotations

import numpy as np
import pytest

from antelog.engine.columns.joins import TooLargeError, budget, make_room, pairs


def test_a_join_that_has_no_room_is_not_made() -> None:
    column = np.zeros(100, np.int64)
    with budget(80 * 1_000), pytest.raises(TooLargeError) as raised:
        pairs(column, column)
    assert raised.value.rows == 10_000


def test_what_fits_is_made() -> None:
    with budget(80 * 1_000):
        make_room(np.full(10, 100))
