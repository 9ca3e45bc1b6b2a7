"""antelog/engine/truth/levels.py: truth in the order of levels, where atoms rest on earlier ones.

Off(T) :- Press(T), not Off(T-1).     Press(1), Press(2), Press(3) came as they happened
"""

from __future__ import annotations

import numpy as np

from antelog.engine.columns.tables import NEVER
from antelog.engine.truth.levels import FALSE, FIRST, Recalled, Rests, decide
from tests.engine.stages import ticks


def test_each_level_rests_on_the_one_before() -> None:
    off = np.array([FIRST, FIRST + 1, FIRST + 2])  # Off(1), Off(2), Off(3)
    level = np.array([1, 2, 3])
    rests = Rests(
        atom=off,
        level=level,
        rank=np.zeros(3, np.int64),
        complete=level,  # each press came at its tick
        failed=np.full(3, NEVER),
        settled=level,
        then=np.full(3, -1),
        asks=np.array([[FALSE], [FIRST], [FIRST + 1]]),
    )
    true_at, false_at, _ = decide(Recalled(FIRST + 3, np.array([-1])), rests)
    assert ticks(true_at[off]) == [1, None, 3]
    assert ticks(false_at[off]) == [None, 1, None]


def test_what_is_settled_long_ago_is_recalled_by_numbers() -> None:
    recalled = Recalled(FIRST + 1, np.array([-1, 4]))
    asked = recalled.numbers(np.array([True]), np.array([4]))  # an atom that is true since 4
    rests = Rests(
        atom=np.array([FIRST]),
        level=np.array([5]),
        rank=np.zeros(1, np.int64),
        complete=np.array([5]),
        failed=np.array([NEVER]),
        settled=np.array([5]),
        then=np.array([-1]),
        asks=asked[:, None],
    )
    true_at, false_at, _ = decide(recalled, rests)
    assert (ticks(true_at[[FIRST]]), ticks(false_at[[FIRST]])) == ([None], [4])
