"""antelog/pictures/clock.py: an axis of time is never ambiguous."""

import re
from datetime import datetime

import pytest

from antelog.language.moments import Timescale
from antelog.pictures.answers import draw_answers
from antelog.pictures.clock import Calendar, Clock, clock
from antelog.pictures.history import Answer, History
from antelog.program import parse
from tests.pictures.looks import texts

HOUR = 3_600_000_000


def tick(time: str, length: int = HOUR) -> int:
    return round(datetime.fromisoformat(time + "+00:00").timestamp() * 1_000_000) // length


def shown(first: str, last: str, unit: str = "1 hour", length: int = HOUR) -> list[str]:
    """The texts of a picture of an answer from one time to another."""
    program = parse(f"tick {unit}. input P(x, time). Q(X, T) :- P(X, T). query Q(X, T).")
    begin, end = tick(first, length), tick(last, length)
    one = Answer("Q", {"X": "a"}, begin, end, "confirmed")
    return texts(draw_answers(History((one,), end), program.plan).svg())


def test_within_a_day_the_title_has_it() -> None:
    found = shown("2024-03-01 06:00", "2024-03-01 18:00")
    assert "2024-03-01, UTC, a tick is 1 hour" in found
    assert {"06:00", "12:00"} <= {*found}


def test_within_a_year_the_title_has_the_year() -> None:
    found = shown("2024-03-01", "2024-03-09")
    assert "2024-03-01 to 2024-03-09, UTC, a tick is 1 hour" in found
    assert "Mar 05" in found
    assert not any("2024" in text for text in found if text.startswith("Mar"))


@pytest.mark.parametrize(
    ("first", "last", "label"),
    [
        ("2023-12-01", "2024-02-09", "Jan 14 2024"),
        ("2023-12-31 12:00", "2024-01-01 12:00", "2024"),  # the first of January
        ("1999-01-01", "2012-01-01", "2004"),
    ],
)
def test_over_several_years_each_day_has_its_year(first: str, last: str, label: str) -> None:
    found = shown(first, last)
    assert label in found
    days = [text for text in found if re.match(r"[A-Z][a-z]{2} \d\d", text)]
    assert all(re.fullmatch(r"[A-Z][a-z]{2} \d\d \d{4}", text) for text in days)
    assert len({*days}) == len(days)


def test_seconds_are_shown_where_they_differ() -> None:
    found = shown("2024-03-01 06:00:10", "2024-03-01 06:00:20", "1 second", 1_000_000)
    assert "06:00:15" in found


def test_ticks_without_times_are_numbers() -> None:
    assert isinstance(clock(Timescale(HOUR), 3, 9), Clock)
    assert not isinstance(clock(Timescale(HOUR), 3, 9), Calendar)
    assert clock(Timescale(HOUR), 3, 9).title == "tick (1 hour each)"
    assert clock(None, 3, 9).title == "tick"
