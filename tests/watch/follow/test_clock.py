"""antelog/watch/follow/clock.py: when facts arrive, and which tick is over."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import antelog
from antelog.errors import UnsupportedError
from antelog.files import ARRIVAL, wanted_of
from antelog.watch.follow.clock import Clock, ClockName, Timing
from antelog.watch.sources.source import Rows

WANTED = wanted_of(antelog.parse("input P(x, time).\nQ(X, T) :- P(X, T).\nquery Q(X, T).").plan, "P")
SECOND = 1_000_000


def _rows(times: list[int], arrivals: list[int] | None = None) -> Rows:
    table = pa.table({"x": ["a"] * len(times), "time": times, ARRIVAL: arrivals or times})
    return Rows(table, arrivals is not None, [])


def _arrivals(clock: Clock, rows: Rows, now: int = -1, wall: int = 0) -> list[int]:
    found: list[int] = clock.dated(WANTED, rows, now, wall).column(ARRIVAL).to_pylist()
    return found


def test_facts_have_their_own_arrivals_if_there_is_a_column() -> None:
    clock = Clock(Timing())
    assert _arrivals(clock, _rows([7, 8], [9, 11])) == [9, 11]
    assert clock.over(-1, (), 0) == 10


def test_or_else_they_arrive_at_their_time_or_at_the_first_tick_that_is_not_over() -> None:
    clock = Clock(Timing(lag=1))
    assert _arrivals(clock, _rows([7, 9, 7, 9])) == [7, 9, 9, 9]
    assert clock.over(-1, (), 0) == 8
    assert _arrivals(clock, _rows([3]), now=20) == [21]


def test_arrivals_are_left_alone_if_facts_move_time_on() -> None:
    assert _arrivals(Clock(Timing("event")), _rows([7, 8], [9, 11])) == [7, 8]


@given(st.lists(st.integers(0, 20), min_size=1), st.integers(0, 3), st.integers(0, 100))
def test_arrivals_do_not_depend_on_how_rows_are_cut(times: list[int], lag: int, cut: int) -> None:
    cut %= len(times)
    whole, parts, now = Clock(Timing(lag=lag)), Clock(Timing(lag=lag)), -1
    found = _arrivals(parts, _rows(times[:cut])) if cut else []
    if cut:
        now = parts.over(-1, (), 0)
    assert found + _arrivals(parts, _rows(times[cut:]), now=now) == _arrivals(whole, _rows(times))
    assert parts.over(now, (), 0) == max(whole.over(-1, (), 0), -1)


def test_by_the_wall_clock_they_arrive_when_they_are_read() -> None:
    clock = Clock(Timing("processing", tick=SECOND))
    assert _arrivals(clock, _rows([3, 8, 99]), now=5, wall=9 * SECOND) == [6, 8, 9]
    assert clock.over(5, (), 9 * SECOND + 7) == 8


def test_an_input_that_is_behind_holds_time_back() -> None:
    clock = Clock(Timing(lag=0), {"P": 9, "R": 5})
    assert clock.over(-1, (), 0) == 9
    assert clock.over(-1, ("R",), 0) == 5
    assert clock.holding(("R",)) == "R"
    assert clock.holding(()) is None
    assert clock.holding(("P",)) is None
    assert clock.over(-1, ("S",), 0) == -1


def test_after_a_silence_the_wall_clock_goes_on() -> None:
    clock = Clock(Timing(lag=1, idle=10 * SECOND, tick=SECOND))
    assert clock.over(-1, (), 100 * SECOND) == -1
    clock.dated(WANTED, _rows([50]), -1, 100 * SECOND)
    assert clock.over(-1, (), 109 * SECOND) == 49
    assert clock.over(49, (), 111 * SECOND) == 60
    assert clock.over(49, ("P",), 111 * SECOND) == 49


@pytest.mark.parametrize(("clock", "idle"), [("processing", None), (None, 5)])
def test_the_wall_clock_needs_ticks_with_a_length(clock: ClockName | None, idle: int | None) -> None:
    with pytest.raises(UnsupportedError, match="tick 1 minute"):
        Timing(clock, idle=idle)


def test_no_rows_are_no_news() -> None:
    clock = Clock(Timing())
    empty = Rows(pa.table({"x": pa.array([], pa.string()), "time": np.zeros(0, np.int64)}), False, [])
    assert clock.dated(WANTED, empty, -1, 0).num_rows == 0
    assert clock.highest == {}
