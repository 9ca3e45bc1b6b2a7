"""antelog/run/clock.py: when rows arrive, and which tick is finished."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import antelog
from antelog import Engine
from antelog.engine.columns.tables import Column
from antelog.errors import UnsupportedError
from antelog.language.moments import Timescale
from antelog.run import clock
from antelog.run.clock import NOTHING, ClockName, Timing

SECOND = 1_000_000
TIMES = st.lists(st.integers(0, 20), min_size=1)


def _column(numbers: list[int]) -> Column:
    return np.array(numbers, np.int64)


# ---- arrivals ----


@given(TIMES, st.integers(0, 3), st.integers(0, 100))
def test_their_arrivals_do_not_depend_on_how_rows_are_cut(times: list[int], lag: int, cut: int) -> None:
    timing, first, rest = Timing(lag=lag), times[: cut % len(times)], times[cut % len(times) :]
    highest = max(first, default=-1)
    now = clock.finished(timing, {"P": highest}, NOTHING)
    parts = [
        *clock.arrivals_in_order(_column(first), timing, -1, NOTHING).tolist(),
        *clock.arrivals_in_order(_column(rest), timing, highest, now).tolist(),
    ]
    assert parts == clock.arrivals_in_order(_column(times), timing, -1, NOTHING).tolist()


# ---- finished ticks ----


def test_the_tick_that_lies_the_lag_behind_is_finished() -> None:
    assert clock.finished(Timing(lag=0), {"P": 9, "R": 5}, NOTHING) == 9
    assert clock.finished(Timing(lag=1), {"P": 9, "R": 5}, NOTHING) == 8
    assert clock.finished(Timing(lag=1), {"P": 9}, 12) == 12
    assert clock.finished(Timing(), {}, NOTHING) == NOTHING


def test_an_input_with_more_to_read_holds_time_back() -> None:
    timing, highest = Timing(lag=0), {"P": 9, "R": 5}
    assert clock.finished(timing, highest, NOTHING, behind=("R",)) == 5
    assert clock.finished(timing, highest, NOTHING, behind=("S",)) == NOTHING
    assert clock.holding(timing, highest, ("R",)) == "R"
    assert clock.holding(timing, highest, ()) is None
    assert clock.holding(timing, highest, ("P",)) is None
    assert clock.holding(Timing("processing", timescale=Timescale(SECOND)), highest, ("R",)) is None


def test_after_a_silence_the_wall_clock_goes_on() -> None:
    timing = Timing(lag=1, idle=10 * SECOND, timescale=Timescale(SECOND))

    def finished(now: int, seconds: int, behind: tuple[str, ...] = ()) -> int:
        showing = clock.Showing(heard=100 * SECOND, wall=seconds * SECOND)
        return clock.finished(timing, {"P": 50}, now, showing, behind)

    assert [finished(NOTHING, 109), finished(49, 111), finished(49, 111, ("P",))] == [49, 60, 49]
    assert clock.shown(timing, 50, clock.Showing(100 * SECOND, 111 * SECOND)) == 61


def test_the_clock_is_looked_at_again_when_it_shows_another_tick() -> None:
    timing = Timing("processing", timescale=Timescale(SECOND))
    assert clock.alarm(timing, clock.Showing(0, 9 * SECOND + 7)) == 10 * SECOND
    idle = Timing(idle=10 * SECOND, timescale=Timescale(SECOND))
    assert clock.alarm(idle, clock.Showing(3 * SECOND, 4 * SECOND)) == 13 * SECOND
    assert clock.alarm(idle, clock.Showing(3 * SECOND, 14 * SECOND)) == 15 * SECOND
    assert clock.alarm(Timing(), clock.Showing(0, 0)) is None


@pytest.mark.parametrize(("name", "idle"), [("processing", None), (None, 5)])
def test_the_wall_clock_needs_ticks_with_a_length(name: ClockName | None, idle: int | None) -> None:
    with pytest.raises(UnsupportedError, match="tick 1 minute"):
        Timing(name, idle=idle)


# ---- where time begins and ends ----


TEXT = "input A(x, time) delay 1. P(X, T) :- A(X, T), A(X, T+{ahead}). query P(X, T)."


@pytest.mark.parametrize("ahead", [3, 9])
def test_a_replay_ends_when_what_is_open_is_decided(ahead: int) -> None:
    engine = Engine(antelog.parse(TEXT.format(ahead=ahead)))
    engine.advance(4, {"A": [("a", 3)]})
    assert clock.end(4, [engine.answers("P")]) == 3 + ahead + 1

    engine = Engine(antelog.parse(TEXT.format(ahead=ahead)))
    engine.advance(4)
    assert clock.end(4, [engine.answers("P")]) == 4
    assert clock.end(NOTHING, []) == 0
