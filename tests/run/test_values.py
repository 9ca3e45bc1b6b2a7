"""antelog/run/values.py: values of settings as texts."""

import pytest

from antelog.run.values import length_of


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
