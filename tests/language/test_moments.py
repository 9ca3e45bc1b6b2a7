"""antelog/language/{moments,durations}.py: ticks as times, and lengths of time, for people."""

import pytest

from antelog.language.durations import long_duration_text
from antelog.language.moments import Timescale, moment, moment_near, tick_in_words

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
