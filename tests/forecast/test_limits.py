"""antelog/forecast/limits.py: lines of unlikely answers are left out, and the least likely of too many."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from antelog.engine.step.query import KINDS
from antelog.errors import DataError
from antelog.forecast.limits import LeftOut, Limits, filtered, left_out_table, open_within

Line = tuple[int, str, str, float | None]
UNTOLD = float("nan")


def left(limits: Limits, *lines: Line, likeliest: list[float] | None = None) -> tuple[list[Any], LeftOut]:
    """The lines that are left, as (tick, X), and what was left out."""
    tick, change, x, chance = (list(column) for column in zip(*lines, strict=True))
    table = pa.table({"tick": tick, "change": change, "X": x, "chance": pa.array(chance, pa.float64())})
    kind = np.array([KINDS.index(each) for each in change])
    before = np.array(likeliest or [UNTOLD] * len(lines))
    found = filtered(table, kind, before, limits)
    return list(
        zip(found.lines["tick"].to_pylist(), found.lines["X"].to_pylist(), strict=True)
    ), found.left_out


def test_lines_of_unlikely_answers() -> None:
    lines = [(0, "possible", "a", 0.02), (1, "possible", "b", 0.64), (2, "revised", "b", 0.03)]
    found, out = left(Limits(min_chance=0.05), *lines, (3, "confirmed", "a", None))
    assert found == [(1, "b"), (3, "a")]
    assert out.lines == 2
    assert out.chances == pytest.approx(0.05)


def test_the_line_of_a_rejected_answer_that_was_never_likely() -> None:
    lines: list[Line] = [(3, "rejected", x, None) for x in ("a", "b", "c")]
    found, out = left(Limits(min_chance=0.05), *lines, likeliest=[0.02, 0.64, UNTOLD])
    assert found == [(3, "b"), (3, "c")]
    assert out == LeftOut()


def test_the_least_likely_of_too_many_at_a_tick() -> None:
    lines: list[Line] = [
        *[(0, "possible", x, chance) for x, chance in (("a", 0.3), ("b", 0.7), ("c", 0.1), ("d", 0.7))],
        *[(0, "confirmed", "e", None), (1, "possible", "f", 0.05)],
    ]
    found, out = left(Limits(most=2), *lines)
    assert found == [(0, "b"), (0, "d"), (0, "e"), (1, "f")]
    assert out.lines == 2
    assert out.chances == pytest.approx(0.4)


def test_an_answer_without_a_chance_may_be_the_likeliest() -> None:
    assert left(Limits(0.5, 1), (0, "possible", "a", 0.9), (0, "possible", "b", None))[0] == [(0, "b")]


def test_open_answers_in_a_table() -> None:
    table = pa.table({"X": ["a", "b", "c"], "chance": pa.array([0.1, 0.6, None], pa.float64())})
    open_ = np.array([True, True, False])
    assert open_within(table, open_, Limits(min_chance=0.5))["X"].to_pylist() == ["b", "c"]
    assert open_within(table, open_, Limits(most=1))["X"].to_pylist() == ["b", "c"]
    assert open_within(table, open_, Limits()).equals(table)


@pytest.mark.parametrize(
    ("limits", "any_"), [(Limits(), False), (Limits(0.0), True), (Limits(None, 1), True)]
)
def test_limits(limits: Limits, any_: bool) -> None:
    assert bool(limits) is any_


@pytest.mark.parametrize(("given", "why"), [((1.5, None), "from 0 to 1"), ((None, 0), "at least one answer")])
def test_limits_that_are_none(given: Any, why: str) -> None:
    with pytest.raises(DataError, match=why):
        Limits(*given)


def test_counted() -> None:
    table = left_out_table({"Malf": LeftOut(2, 0.05) + LeftOut(1, 0.01), "Calm": LeftOut()})
    assert table.to_pydict() == {
        "query": ["Malf", "Calm"],
        "lines": [3, 0],
        "chances": pytest.approx([0.06, 0.0]),
    }
