"""antelog/spark/settings.py: durations, and the names of what is counted."""

import pytest

from antelog.accounts import FATES
from antelog.spark.settings import COUNTS, STANDING, length_of


@pytest.mark.parametrize(
    ("text", "microseconds"),
    [
        ("30 seconds", 30_000_000),
        ("10s", 10_000_000),
        (" 1.5 hours ", 5_400_000_000),
        ("10", None),
        ("soon", None),
    ],
)
def test_durations(text: str, microseconds: int | None) -> None:
    assert length_of(text) == microseconds


def test_every_fate_is_counted_and_what_stands_is_no_sum() -> None:
    assert set(FATES) < set(COUNTS)
    assert set(STANDING) < set(COUNTS)
    assert not set(STANDING) & set(FATES)
