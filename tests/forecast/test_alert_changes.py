"""antelog/forecast/alerts.py: when a chance reaches what a query asks for, and when it falls."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from antelog.engine.columns.tables import Column
from antelog.forecast.alerts import alert_changes

Row = tuple[int, int, float]
ASKED = 0.8
NOBODY = np.zeros(0, np.int64)


def alerts(*rows: Row, before: Column = NOBODY) -> tuple[list[tuple[int, str]], list[int]]:
    """The ticks of alerts, and which answers are likely in the end; rows are (answer, tick, chance)."""
    number, tick, chance = (np.array(column) for column in zip(*rows, strict=True))
    after, found = alert_changes(before, number, tick, chance, ASKED)
    words = ["likely" if likely else "unlikely" for likely in found.likely]
    return list(zip(tick.take(found.row).tolist(), words, strict=True)), after.tolist()


def of(*chances: float) -> list[Row]:
    return [(0, tick, chance) for tick, chance in enumerate(chances)]


def test_likely_and_a_tenth_below_unlikely_again() -> None:
    assert alerts(*of(0.64, 0.85, 0.78, 0.69)) == ([(1, "likely"), (3, "unlikely")], [])
    assert alerts(*of(0.8)) == ([(0, "likely")], [0])
    assert alerts(*of(0.79, 0.1)) == ([], [])


def test_between_the_two_nothing_changes() -> None:
    assert alerts(*of(0.75, 0.75, 0.85, 0.75, 0.85)) == ([(2, "likely")], [0])
    assert alerts(*of(0.75), before=np.array([0])) == ([], [0])


def test_where_no_chance_is_known_nothing_changes() -> None:
    unknown = float("nan")
    assert alerts(*of(0.9, unknown, 0.9)) == ([(0, "likely")], [0])
    assert alerts(*of(unknown), before=np.array([0])) == ([], [0])


def test_answers_have_nothing_to_do_with_each_other() -> None:
    rows = [(2, 5, 0.9), (1, 4, 0.2), (2, 4, 0.1), (1, 5, 0.1)]
    assert alerts(*rows, before=np.array([1, 7])) == ([(4, "unlikely"), (5, "likely")], [2, 7])


def test_nothing_said() -> None:
    nothing = np.zeros(0, np.int64)
    after, found = alert_changes(NOBODY, nothing, nothing, np.zeros(0), ASKED)
    assert (after.tolist(), found.row.tolist(), found.likely.tolist()) == ([], [], [])


@pytest.mark.parametrize("seed", range(3))
def test_cuts_change_nothing(seed: int) -> None:
    random = np.random.default_rng(seed)
    chances = random.random((4, 60)).cumsum(axis=1) % 1
    rows = [(answer, tick, float(chances[answer, tick])) for tick in range(60) for answer in range(4)]
    whole, likely = alerts(*rows)
    found: list[tuple[int, str]] = []
    state = NOBODY
    for start, end in pairwise((0, 1, 7, 30, 60)):
        more, last = alerts(*rows[4 * start : 4 * end], before=state)
        found += more
        state = np.array(last, np.int64)
    assert sorted(found) == sorted(whole)
    assert state.tolist() == likely
    assert len(whole) > 20
