"""antelog/forecast/scores/thresholds.py: what a pager would have reported, and how early."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antelog.forecast.scores.thresholds import (
    PLACES,
    AlertSums,
    alerts,
    by_threshold,
    least,
    places,
    quantile,
)
from tests.forecast.streams import decided


def test_by_hand() -> None:
    found = {
        each.threshold: each
        for each in by_threshold(
            alerts(
                decided(
                    (1, 2, 0.55, 9, True),
                    (1, 4, 0.85, 9, True),
                    (1, 6, 0.40, 9, True),  # falls again: it was alerted all the same
                    (2, 3, 0.80, 5, False),
                    (3, 3, 0.10, 8, True),
                    (4, 7, 0.95, 8, True),
                )
            )
        )
    }
    assert (found[0.5].alerts, found[0.5].precision, found[0.5].found) == (3, 2 / 3, 2 / 3)
    assert found[0.5].lead == (1, 1, 7)
    assert (found[0.8].alerts, found[0.8].lead) == (3, (1, 1, 5))
    assert (found[0.9].alerts, found[0.9].precision, found[0.9].found) == (1, 1, 1 / 3)
    assert found[0.95].alerts == 1, "a threshold is reached by what equals it"


def test_no_alert_and_none_that_is_right() -> None:
    none = by_threshold(alerts(decided((1, 2, 0.1, 3, True))))[0]
    assert (none.alerts, none.precision, none.found, none.lead) == (0, None, 0, None)
    wrong = by_threshold(alerts(decided((1, 2, 0.9, 3, False))))[0]
    assert (wrong.alerts, wrong.precision, wrong.found, wrong.lead) == (1, 0, None, None)
    assert by_threshold(AlertSums())[0].precision is None


@given(st.integers(0, 2**50 - 1))
def test_a_place_is_close(lead: int) -> None:
    (place,) = places(np.array([lead])).tolist()
    assert 0 <= place < PLACES
    assert least(place) <= lead < least(place + 1)
    assert least(place) == lead if lead < 256 else lead - least(place) < lead / 16


def test_places_are_in_order_and_each_is_used() -> None:
    starts = [least(place) for place in range(PLACES)]
    assert starts == sorted(set(starts))
    assert places(np.array(starts)).tolist() == list(range(PLACES))
    assert places(np.array([2**50, 2**62])).tolist() == [PLACES - 1] * 2


@pytest.mark.parametrize(
    ("leads", "quarters"), [([5], (5, 5, 5)), ([1, 2, 3, 4], (1, 2, 3)), ([0, 0, 9], (0, 0, 9))]
)
def test_quarters(leads: list[int], quarters: tuple[int, int, int]) -> None:
    counts = np.bincount(places(np.array(leads)), minlength=PLACES)
    assert tuple(quantile(counts, share) for share in (0.25, 0.5, 0.75)) == quarters
    assert quantile(np.zeros(PLACES, np.int64), 0.5) is None
