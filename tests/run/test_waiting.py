"""antelog/run/waiting.py: rows that wait for their tick, and recorded facts in the order of their arrival."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import pyarrow as pa
import pytest

import antelog
from antelog.files import ARRIVAL, LINE
from antelog.run.waiting import FILE, WaitingRows, arrivals_of

PROGRAM = antelog.parse("input P(x, time) delay 2.\nQ(X, T) :- P(X, T), P(X, T+1).\nquery Q(X, T).")


def _rows(xs: Sequence[object], times: list[int], arrivals: list[int]) -> pa.Table:
    return pa.table({"x": xs, "time": times, ARRIVAL: arrivals, LINE: range(2, len(xs) + 2)})


def _waiting() -> WaitingRows:
    waiting = WaitingRows()
    waiting.add("P", "a.csv", _rows(["a", "b", "c"], [1, 9, 1], [3, 9, 1]))
    waiting.add("P", "b.csv", _rows([1, 2], [1, 12], [2, 12]))
    return waiting


def _restored() -> WaitingRows:
    waiting = WaitingRows()
    waiting.restore(_waiting().stored())
    return waiting


def test_rows_wait_until_they_arrive_and_come_in_that_order() -> None:
    for waiting in (_waiting(), _restored()):
        assert (waiting.last, waiting.count("P"), waiting.count("R")) == (12, 5, 0)
        batch = waiting.batch(5)
        assert (batch.now, batch.first) == (5, 1)
        assert batch.facts["P"].column("x").to_pylist() == ["c", 1, "a"]
        assert batch.rows["P"].column(LINE).to_pylist() == [4, 2, 2]
        files = [batch.names[number] for number in batch.rows["P"].column(FILE).to_pylist()]
        assert files == ["a.csv", "b.csv", "a.csv"]
        assert waiting.batch(5).facts == {}
        assert waiting.batch(12).facts["P"].column("x").to_pylist() == ["b", 2]
        assert waiting.last == -1


# ---- batches ----


def _batches(*arrivals: list[int], step: int) -> Iterator[tuple[int, list[int]]]:
    waiting = WaitingRows()
    for i, each in enumerate(arrivals):
        waiting.add(f"P{i}", "p.csv", _rows(each, each, each))
    end = waiting.last
    while waiting.last >= 0:
        batch = waiting.batch(end, step)
        yield batch.now, sorted(a for rows in batch.rows.values() for a in arrivals_of(rows).tolist())


@pytest.mark.parametrize("step", [1, 2, 3, 5, 8])
def test_batches_of_several_inputs_follow_each_other(step: int) -> None:
    first, second = [i // 2 for i in range(20)], [2 * i for i in range(7)]
    found = list(_batches(first, second, step=step))
    assert [a for _, arrivals in found for a in arrivals] == sorted(first + second)
    assert all(before < min(arrivals) for (before, _), (_, arrivals) in pairwise(found))


@pytest.mark.parametrize("step", [1, 2, 3])
def test_values_of_several_types_are_cut_where_they_should_be(step: int) -> None:
    values = [7, "wt2", "n/a", 8.5, "x", 9, 10]
    waiting, found = WaitingRows(), []
    for i, value in enumerate(values):
        waiting.add("P", "p.csv", _rows([value], [i], [i]))
    while waiting.last >= 0:
        found += waiting.batch(9, step).facts["P"].column("x").to_pylist()
    assert found == values
