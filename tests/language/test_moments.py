"""antelog/language/moments.py: ticks as times, for people."""

import pytest

from antelog.language.moments import Timescale, moment

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
