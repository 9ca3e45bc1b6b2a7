"""antelog/language/durations.py: lengths of time as people read them."""

import pytest

from antelog.language.durations import long_duration_text

SECOND = 1_000_000


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
