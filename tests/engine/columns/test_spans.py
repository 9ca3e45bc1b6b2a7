"""antelog/engine/columns/spans.py: sets of ticks as first and last, however long they are."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antelog.engine.columns.spans import EVERYWHERE, FOREVER, NOWHERE, Spans, span, spans_of, union
from tests.engine.few import at_most


@pytest.fixture(autouse=True, scope="module", params=[0, 64])
def few(request: pytest.FixtureRequest) -> Iterator[None]:
    with at_most(request.param):
        yield


def pairs(spans: Spans) -> list[tuple[int, int]]:
    return list(zip(spans.first.tolist(), spans.last.tolist(), strict=True))


def test_ticks_side_by_side_are_one_span() -> None:
    assert pairs(spans_of(np.array([3, 4, 5, 900]))) == [(3, 5), (900, 900)]
    assert pairs(union([span(3, 5), span(900, FOREVER), span(6, 7)])) == [(3, 7), (900, FOREVER)]
    assert span(5, 3) is NOWHERE


def test_spans_grow_at_both_ends_and_meet() -> None:
    both = union([span(3, 4), span(9, 9)])
    assert pairs(both.shifted(1, 1)) == [(2, 5), (8, 10)]
    assert pairs(both.shifted(2, 3)) == [(1, 12)]
    assert pairs(both.shifted(0, None)) == [(3, FOREVER)]
    assert pairs(span(3, 4).shifted(None, 2)) == [(-FOREVER, 6)]
    assert pairs(EVERYWHERE.shifted(1, 1)) == pairs(EVERYWHERE)
    assert pairs(NOWHERE.shifted(None, None)) == []


def test_what_lies_in_them() -> None:
    both = union([span(3, 4), span(9, 9)])
    assert both.within(np.array([2, 3, 5, 9, 10])).tolist() == [False, True, False, True, False]
    assert pairs(both.between(4, 8)) == [(4, 4)]
    assert both.ticks().tolist() == [3, 4, 9]
    assert EVERYWHERE.within(np.array([0, 2**53])).all()


TICKS = st.sets(st.integers(0, 30))


@given(st.lists(TICKS, max_size=4), st.integers(0, 3), st.integers(0, 3))
def test_they_are_the_sets_of_their_ticks(parts: list[set[int]], earlier: int, later: int) -> None:
    whole = union(spans_of(np.array(sorted(part), np.int64)) for part in parts)
    ticks: set[int] = set().union(*parts)
    assert whole.ticks().tolist() == sorted(ticks)
    moved = {tick + by for tick in ticks for by in range(-earlier, later + 1)}
    assert whole.shifted(earlier, later).ticks().tolist() == sorted(moved)
