"""antelog/engine/step/rows.py: facts that fit a literal are rows, and rows are joined."""

from __future__ import annotations

import numpy as np

from antelog.engine.columns.joins import Band
from antelog.engine.columns.spans import span
from antelog.engine.step.rows import ONE, Rows, Within, agrees, distinct, facts_for_each, joined, meeting
from tests.engine.stages import stage

RULES = "input Temp(device, level, time). Hot(X, T) :- Temp(X, high, T+1), X != wt9. query Hot(X, T)."
AT_ONCE = "input Temp(device, level, time). Hot(X, T) :- Temp(X, high, 7), Temp(X, low, T). query Hot(X, T)."
FACTS = [
    ("Temp", "wt2", "high", 7, 7),
    ("Temp", "wt2", "low", 8, 8),
    ("Temp", "wt3", "high", 8, 8),
    ("Temp", "wt9", "high", 8, 8),
]


def test_each_fact_that_fits_is_a_row() -> None:
    given = stage(RULES, FACTS)
    prepared, _ = given.pattern("Hot")
    found = facts_for_each([prepared.facts[0]], given.known.history, [None], given.values)[0]
    assert given.read(prepared, found.rows) == [{"T": 6, "X": "wt2"}, {"T": 7, "X": "wt3"}]
    assert sorted(found.arrived.tolist()) == [7, 8]


def test_only_facts_about_the_wanted_ticks_are_looked_at() -> None:
    given = stage(RULES, FACTS)
    prepared, _ = given.pattern("Hot")
    found = facts_for_each([prepared.facts[0]], given.known.history, [span(8, 9)], given.values)[0]
    assert given.read(prepared, found.rows) == [{"T": 7, "X": "wt3"}]


def test_a_literal_about_one_tick_has_the_facts_of_that_tick() -> None:
    given = stage(AT_ONCE, FACTS)
    about_one_tick = given.pattern("Hot")[0].facts[0]
    assert facts_for_each([about_one_tick], given.known.history, [None], given.values)[0].rows.count == 1


def rows(**columns: list[int]) -> Rows:
    bound = {name: np.array(column, np.int64) for name, column in columns.items()}
    return Rows(bound, len(next(iter(columns.values()))))


def read(found: Rows) -> list[dict[str, int]]:
    each = ({name: int(c[i]) for name, c in sorted(found.bound.items())} for i in range(found.count))
    return sorted(each, key=str)


def test_rows_are_joined_where_they_agree() -> None:
    left, right = rows(X=[1, 2], T=[5, 5]), rows(X=[1, 1], Y=[8, 9])
    assert read(joined(left, right)) == [{"T": 5, "X": 1, "Y": 8}, {"T": 5, "X": 1, "Y": 9}]
    assert read(joined(ONE, left)) == read(left)
    assert joined(rows(X=[1]), rows(Y=[1, 2])).count == 2  # nothing shared: each with each


def test_a_time_may_have_to_lie_within_a_band() -> None:
    left, right = rows(X=[1, 2], T=[5, 5]), rows(X=[1, 1, 2], U=[6, 9, 9])
    band = Band(left.bound["T"] + 1, left.bound["T"] + 3)
    assert read(meeting(left, right, Within("U", band)).rows) == [{"T": 5, "U": 6, "X": 1}]


def test_rows_are_there_once() -> None:
    assert read(distinct([rows(X=[1, 2]), rows(X=[2])])) == [{"X": 1}, {"X": 2}]


def test_rows_that_a_table_has() -> None:
    assert agrees(rows(X=[1, 2], Y=[1, 1]), rows(X=[2])).tolist() == [False, True]
