"""antelog/process.py: the tick to go to, how it may be said, and what is none."""

import datetime as dt
from typing import Any

import numpy as np
import pandas as pd
import pytest

import antelog
from antelog.errors import DataError

RULES = "input Reading(room, time) delay 1. Warm(R, T) :- Reading(R, T), Reading(R, T+1). query Warm(R, T)."
BEGIN = dt.datetime(2024, 3, 4, 6, tzinfo=dt.UTC)
TICK = int(BEGIN.timestamp()) // 600


def engine(tick: str = "tick 10 minutes.") -> antelog.Engine:
    return antelog.Engine(antelog.parse(f"{tick} {RULES}"))


@pytest.mark.parametrize(
    "now",
    [
        *(TICK, float(TICK), np.int64(TICK), np.int32(TICK)),
        *(BEGIN, BEGIN + dt.timedelta(minutes=9, seconds=59), BEGIN.replace(tzinfo=None)),
        *(
            pd.Timestamp(BEGIN),
            np.datetime64("2024-03-04T06:00:00"),
            np.datetime64("2024-03-04T06:09:59", "ns"),
        ),
        BEGIN.astimezone(dt.timezone(dt.timedelta(hours=-5))),
        *("2024-03-04 06:00", "2024-03-04T06:09:59.999Z", "2024-03-04T01:00-05:00"),
    ],
)
def test_a_tick_or_a_moment_in_it(now: Any) -> None:
    running = engine()
    changes = running.advance(now, {"Reading": [("fish", BEGIN)]})["Warm"].to_pylist()
    assert [(row["tick"], row["T"]) for row in changes] == [(TICK, TICK)]
    assert running.now == TICK


def test_a_day() -> None:
    running = engine("tick 1 day.")
    running.advance(dt.date(1970, 1, 6))
    assert running.now == 5


@pytest.mark.parametrize(
    "now", ["5", "2024-02-30", "noon", "", None, 5.5, True, -1, 2**53, 2**70, object(), [5], float("nan")]
)
def test_what_is_no_tick(now: Any) -> None:
    with pytest.raises(DataError, match=r"is not a tick; give a whole number from 0 to \d+, or a timestamp$"):
        engine().advance(now)
    with pytest.raises(DataError, match=r"is not a tick; give a whole number from 0 to \d+$"):
        engine("").advance("5" if now == "2024-02-30" else now)


@pytest.mark.parametrize("now", [BEGIN, "2024-03-04", "2024-03-04 06:00"])
def test_a_timestamp_where_the_program_has_no_tick(now: Any) -> None:
    with pytest.raises(DataError, match=r"does not say how long a tick is; declare it: `tick 10 minutes\.`"):
        engine("").advance(now)


def test_a_tick_is_finished_once() -> None:
    running = engine()
    running.advance(BEGIN)
    with pytest.raises(DataError, match=f"tick {TICK} cannot be finished: {TICK} is finished already"):
        running.advance(BEGIN + dt.timedelta(minutes=5))


@pytest.mark.parametrize("program", ["rules.alog", RULES, None, 5])
def test_what_is_no_program(program: Any) -> None:
    with pytest.raises(DataError, match=r"the program is .* give what `antelog.load\(path\)` or .* makes"):
        antelog.Engine(program)
