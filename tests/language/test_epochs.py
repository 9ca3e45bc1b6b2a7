"""antelog/language/epochs.py: which numbers count since 1970, told from ticks by their size alone."""

from __future__ import annotations

from itertools import pairwise

import pytest

from antelog.language.epochs import (
    LIKELY,
    MICROSECONDS,
    Counting,
    far_note,
    last_tick,
    likely,
    ranges,
    remedy,
)
from antelog.language.moments import Timescale

SECOND, MINUTE, DAY = 10**6, 60 * 10**6, 86_400 * 10**6
NOW = 1_714_603_200  # 2024-05-01 22:40
MOMENTS = {"s": NOW, "ms": NOW * 10**3, "us": NOW * 10**6, "ns": NOW * 10**9}


def unit_of(number: int, tick: int) -> str | None:
    found = [each.unit for each in ranges(tick) if each.first <= number <= each.last]
    assert len(found) < 2
    return found[0] if found else None


@pytest.mark.parametrize("tick", [15 * SECOND, MINUTE, 10 * MINUTE, DAY, 30 * DAY])
def test_with_ticks_of_15_seconds_or_more_all_units_are_told_from_ticks(tick: int) -> None:
    for number in (0, 7, 4_102_444_800 * SECOND // tick - 1):
        assert unit_of(number, tick) is None
    for unit, now in MOMENTS.items():
        for number in (315_532_800 * now // NOW, now, 4 * 10**9 * now // NOW):
            assert unit_of(number, tick) == unit


@pytest.mark.parametrize(
    ("tick", "units"),
    [
        (3 * SECOND, ["s", "ms", "us", "ns"]),
        (SECOND, [None, "ms", "us", "ns"]),  # the tick is the second
        (SECOND // 10, [None, "ms", "us", "ns"]),
        (1000, [None, None, "us", "ns"]),
        (1, [None, None, None, "ns"]),
    ],
)
def test_of_shorter_ticks_a_number_is_a_tick_that_may_be_one(tick: int, units: list[str | None]) -> None:
    assert [unit_of(number, tick) for number in MOMENTS.values()] == units


def test_no_number_is_in_two_units() -> None:
    for before, after in pairwise(LIKELY):
        assert before.last < after.first
    assert [likely(number) for number in MOMENTS.values()] == list(MICROSECONDS)
    assert likely(7) is None


def test_a_unit_that_is_said_is_that_of_all_numbers() -> None:
    (every,) = Counting(Timescale(MINUTE), "ms").ranges
    assert (every.unit, every.first < -(10**18), every.last > 10**18) == ("ms", True, True)
    assert Counting(Timescale(MINUTE), "ticks").ranges == Counting(None, "ms").ranges == ()


def test_the_remedy_is_what_helps() -> None:
    counting = Counting(Timescale(10 * MINUTE))
    note = far_note(100_000_000_000, counting, "Temp", "at")
    assert note.startswith("Temp has a time in the year 1,903,29")
    assert (
        "100000000000 as a tick of 10 minutes; if it counts milliseconds since 1970, write `at: ms`" in note
    )
    assert "--time-unit Temp=ms" in note
    assert "does it count another unit?" in remedy(None, Counting(Timescale(MINUTE), "s"), "Temp", "at")
    assert "say how long a tick is: `tick 1 minute.`" in remedy("ms", Counting(), "Temp", "at")
    assert last_tick(DAY) == 376_200
