"""antelog/language/{moments,durations,epochs}.py: ticks as times, lengths of time, and numbers since 1970."""

import json
from datetime import UTC, datetime
from itertools import pairwise

import pyarrow as pa
import pytest

from antelog import Engine, parse
from antelog.compile.show.explain import plan_text
from antelog.language import epochs
from antelog.language.durations import long_duration_text
from antelog.language.epochs import Counting
from antelog.language.moments import Timescale, moment, moment_near, tick_in_words
from antelog.run.sinks.json_lines import Style, change_lines
from antelog.run.sinks.result import StepResult

SECOND = 1_000_000
MINUTE, DAY = 60 * SECOND, 86_400 * SECOND


@pytest.mark.parametrize(
    ("tick", "length", "text"),
    [
        (28_492_200, MINUTE, "2024-03-04 06:00"),
        (19_786, DAY, "2024-03-04"),
        (1_709_532_001, SECOND, "2024-03-04 06:00:01"),
        (3_419_064_001, SECOND // 2, "2024-03-04 06:00:00.500"),
        (3_419_064_000, SECOND // 2, "2024-03-04 06:00:00.000"),
        (3_419_064_001 * 2_000, 250, "2024-03-04 06:00:00.500000"),
        (7, MINUTE, "7"),  # counted from 0
        (7, None, "7"),
        (2**40, 7 * DAY, str(2**40)),  # after the last year that can be written
    ],
)
def test_moments(tick: int, length: int | None, text: str) -> None:
    assert moment(tick, None if length is None else Timescale(length)) == text


@pytest.mark.parametrize(
    ("tick", "length", "text"),
    [
        (28_492_200, MINUTE, "2024-03-04 07:00+01:00"),
        (19_786, DAY, "2024-03-04"),
        (19_906, DAY, "2024-07-02"),
        (2827, 7 * DAY, "2024-03-04"),
        (3_419_064_001, SECOND // 2, "2024-03-04 07:00:00.500+01:00"),
    ],
)
def test_a_zone_has_its_offset_behind_each_time_of_day(tick: int, length: int, text: str) -> None:
    assert moment(tick, Timescale(length, "Europe/Berlin")) == text


@pytest.mark.parametrize(
    ("tick", "near", "zone", "text"),
    [
        (28_492_210, 28_492_200, "UTC", "06:10"),
        (28_492_210, None, "UTC", "2024-03-04 06:10"),
        (28_492_200 + 24 * 60, 28_492_200, "UTC", "2024-03-05 06:00"),
        (28_492_210, 28_492_200, "Europe/Berlin", "07:10"),
        (28_530_661, 28_530_659, "Europe/Berlin", "2024-03-31 00:01"),
        (28_530_781, 28_530_779, "Europe/Berlin", "03:01+02:00"),
        (7, 28_492_200, "UTC", "7"),
        (28_492_200, 7, "UTC", "2024-03-04 06:00"),
    ],
)
def test_what_times_share_is_left_out(tick: int, near: int | None, zone: str, text: str) -> None:
    assert moment_near(tick, Timescale(MINUTE, zone), near) == text


def test_days_and_numbers_are_whole() -> None:
    assert moment_near(19_786, Timescale(DAY), 19_786) == "2024-03-04"
    assert moment_near(7, None, 7) == "7"
    assert (tick_in_words(7, None), tick_in_words(19_786, Timescale(DAY))) == ("tick 7", "2024-03-04")


@pytest.mark.parametrize(
    ("length", "text"),
    [
        (600 * SECOND, "10 minutes"),
        (90 * SECOND, "90 seconds"),
        (SECOND // 2, "500 ms"),  # shorter than the least unit of the larger ones
        (15 * SECOND // 2, "7 seconds 500 ms"),
        (697 * SECOND // 2, "5 minutes 48 seconds 500 ms"),
        (2_890 * 60 * SECOND, "2 days 10 minutes"),
        (1_627 * 60 * SECOND, "1 day 3 hours 7 minutes"),
        ((5 * 7 * 24 + 84) * 3_600 * SECOND, "5 weeks 3 days 12 hours"),
    ],
)
def test_long_durations(length: int, text: str) -> None:
    assert long_duration_text(length) == text


# ---- numbers that count since 1970 ----

NOW = 1_714_603_200  # 2024-05-01 22:40
MOMENTS = {"s": NOW, "ms": NOW * 10**3, "us": NOW * 10**6, "ns": NOW * 10**9}


def unit_of(number: int, tick: int) -> str | None:
    found = [each.unit for each in epochs.ranges(tick) if each.first <= number <= each.last]
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
    for before, after in pairwise(epochs.LIKELY):
        assert before.last < after.first
    assert [epochs.likely(number) for number in MOMENTS.values()] == list(epochs.MICROSECONDS)
    assert epochs.likely(7) is None


def test_a_unit_that_is_said_is_that_of_all_numbers() -> None:
    (every,) = Counting(Timescale(MINUTE), "ms").ranges
    assert (every.unit, every.first < -(10**18), every.last > 10**18) == ("ms", True, True)
    assert Counting(Timescale(MINUTE), "ticks").ranges == Counting(None, "ms").ranges == ()


def test_the_remedy_is_what_helps() -> None:
    counting = Counting(Timescale(10 * MINUTE))
    note = epochs.far_note(100_000_000_000, counting, "Temp", "at")
    assert note.startswith("Temp has a time in the year 1,903,29")
    assert (
        "100000000000 as a tick of 10 minutes; if it counts milliseconds since 1970, write `at: ms`" in note
    )
    assert "--time-unit Temp=ms" in note
    assert "does it count another unit?" in epochs.remedy(
        None, Counting(Timescale(MINUTE), "s"), "Temp", "at"
    )
    assert "say how long a tick is: `tick 1 minute.`" in epochs.remedy("ms", Counting(), "Temp", "at")
    assert epochs.last_tick(DAY) == 376_200


# ---- zones ----

RULES = "input P(x, time) delay 3. A(X, T) :- P(X, T), not P(X, T+1). query A(X, T)."
BERLIN = f'tick 30 minutes. zone "Europe/Berlin". {RULES}'


def test_times_have_the_offset_of_the_zone() -> None:
    program = parse(BERLIN)
    engine = Engine(program)
    # In this night Europe's clocks go from 2 to 3 o'clock.
    at = datetime(2026, 3, 29, 0, 30, tzinfo=UTC)
    changes = engine.advance(at, {"P": [("a", at)]})
    assert changes["A"].schema.field("T_time").type == pa.timestamp("us", "Europe/Berlin")
    line = json.loads(change_lines(list(program.plan.queries), StepResult(0, changes), Style()))
    assert line["times"] == {"T": "2026-03-29T01:30:00+01:00"}
    assert line["decided_by_time"] == "2026-03-29T04:30:00+02:00"


def test_check_names_the_zone() -> None:
    assert "zone: Europe/Berlin\n" in plan_text(parse(BERLIN).plan)


def test_the_zone_that_times_are_shown_in_changes_no_answer() -> None:
    """So a state may go on with another one, if times without an offset are read as before."""
    engine = Engine(parse(BERLIN))
    at = datetime(2026, 3, 29, 0, 30, tzinfo=UTC)
    engine.advance(at, {"P": [("a", at)]})
    plain = parse(f"tick 30 minutes. {RULES}").with_times(zones={"P": "Europe/Berlin"})
    again = Engine.restore(engine.to_bytes(), plain)
    assert again.answers("A").schema.field("T_time").type == pa.timestamp("us", "UTC")
