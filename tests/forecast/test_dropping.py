"""antelog/forecast/{dropping,retelling}.py: unlikely answers are dropped, each with a last line."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from antelog.forecast.columns import COLUMNS
from antelog.forecast.dropping import (
    NOTHING_DROPPED,
    Dropping,
    Limits,
    dropped_table,
    with_dropped,
    without,
)
from antelog.forecast.retelling import Kept, Pool, again, marked, nothing_kept, unmarked

Line = tuple[int, str, int, float | None]
SCHEMA = pa.schema([("tick", pa.int64()), ("change", pa.string()), ("X", pa.string()), *COLUMNS])


def lines(*rows: Line) -> pa.Table:
    """Lines given as (tick, change, the answer's number, chance); answer 0 is about X = a0."""
    found = [
        {"tick": tick, "change": change, "X": f"a{number}", "chance": chance}
        for tick, change, number, chance in rows
    ]
    return pa.Table.from_pylist(found, SCHEMA)


def dropped(
    limits: Limits, *rows: Line, before: Dropping = NOTHING_DROPPED, kept: Kept | None = None
) -> tuple[Dropping, list[tuple[Any, ...]]]:
    """What is known after lines, and those that are told, the last lines of dropped answers at the end."""
    table = lines(*rows)
    pool = Pool(nothing_kept() if kept is None else kept, table)
    number = np.array([each[2] for each in rows], np.int64)
    after, parts = with_dropped(before, marked(table, number, np.arange(len(rows))), limits, pool)
    told = unmarked(pa.concat_tables(parts)).select(["tick", "change", "X", "chance"])
    return after, [tuple(row.values()) for row in told.to_pylist()]


RARE = Limits(min_chance=0.05)


def test_an_answer_that_is_unlikely_at_first_is_never_told() -> None:
    after, told = dropped(RARE, (0, "possible", 0, 0.02), (1, "rejected", 0, None))
    assert told == []
    assert (after.answers, after.lost, after.dropped.tolist()) == (1, 0.02, [0])


def test_one_that_was_told_gets_a_last_line() -> None:
    after, told = dropped(RARE, (0, "possible", 0, 0.64), (1, "revised", 0, 0.03), (2, "confirmed", 0, None))
    assert told == [(0, "possible", "a0", 0.64), (1, "dropped", "a0", 0.03)]
    assert (after.answers, after.lost, after.told.tolist()) == (1, 0.03, [])


def test_also_in_a_later_step() -> None:
    before, _ = dropped(RARE, (0, "possible", 0, 0.64))
    assert (before.told.tolist(), before.chance.tolist()) == ([0], [0.64])
    after, told = dropped(RARE, (3, "revised", 0, 0.03), before=before)
    assert (after.answers, told) == (1, [(3, "dropped", "a0", 0.03)])
    assert dropped(RARE, (4, "revised", 0, 0.9), before=after)[1] == []
    assert without(after, np.array([0])).dropped.tolist() == []


def test_the_least_likely_of_too_many() -> None:
    rows: list[Line] = [(0, "possible", 0, 0.3), (0, "possible", 1, 0.2), (0, "possible", 2, None)]
    after, told = dropped(Limits(most=2), *rows)
    assert told[-1] == (0, "dropped", "a1", 0.2)
    assert sorted(after.told.tolist()) == [0, 2]  # nobody knows how likely the last one is
    last = Kept(np.array([0, 2]), lines(rows[0], rows[2]).drop_columns(COLUMNS.names))
    _, more = dropped(Limits(most=2), (1, "possible", 3, 0.5), before=after, kept=last)
    assert more == [(1, "possible", "a3", 0.5), (1, "dropped", "a0", 0.3)]


def test_who_is_confirmed_makes_room() -> None:
    rows: list[Line] = [(0, "possible", 0, 0.3), (1, "confirmed", 0, None), (1, "possible", 1, 0.2)]
    assert [change for _, change, *_ in dropped(Limits(most=1), *rows)[1]] == [
        "possible",
        "confirmed",
        "possible",
    ]


def test_answers_with_open_variables_are_told() -> None:
    rows: list[Line] = [(0, "possible", -1, 0.01), (1, "rejected", -1, None)]
    assert len(dropped(RARE, *rows)[1]) == 2


@pytest.mark.parametrize(
    ("limits", "any_"),
    [(Limits(), False), (RARE, True), (Limits(most=3), True), (Limits(min_chance=0.0), True)],
)
def test_limits(limits: Limits, any_: bool) -> None:
    assert bool(limits) is any_


def test_counted() -> None:
    after, _ = dropped(RARE, (0, "possible", 0, 0.02), (0, "possible", 1, 0.04))
    (row,) = dropped_table({"Malf": after}).to_pylist()
    assert row == {"query": "Malf", "answers": 2, "lost": pytest.approx(0.06)}


def test_lines_told_again() -> None:
    told = lines((3, "revised", 7, 0.78)).drop_columns(COLUMNS.names)
    found = again(told, np.array([4]), pa.array(["likely"]))
    assert found.to_pylist() == [{"tick": 4, "change": "likely", "X": "a7"}]
