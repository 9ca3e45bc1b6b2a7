"""antelog/watch/alerts/patience.py: waits grow, are not all alike, and are as long as was asked for."""

from datetime import UTC, datetime

import pytest

from antelog.watch.alerts.patience import seconds_asked, wait_after

NOW = datetime(2026, 11, 25, 9, 0, tzinfo=UTC)


def test_waits_grow_up_to_five_minutes() -> None:
    assert [wait_after(n, draw=lambda: 1.0) for n in range(1, 11)] == [1, 2, 4, 8, 16, 32, 64, 128, 256, 300]
    assert wait_after(10_000, draw=lambda: 1.0) == 300


def test_waits_differ() -> None:
    assert wait_after(4, draw=lambda: 0.0) == 4
    assert len({wait_after(4) for _ in range(20)}) > 10


@pytest.mark.parametrize(("asked", "wait"), [(None, 1), (0.2, 1), (70.0, 70), (10_000.0, 3_600)])
def test_what_is_asked_for_is_kept(asked: float | None, wait: float) -> None:
    assert wait_after(1, asked, draw=lambda: 1.0) == wait


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        (None, None),
        ("120", 120),
        (" 7 ", 7),
        ("Wed, 25 Nov 2026 09:01:30 GMT", 90),
        ("Wed, 25 Nov 2026 08:00:00 GMT", 0),
        ("Wed, 25 Nov 2026 09:00:10 -0000", 10),
        ("soon", None),
        ("-3", None),
    ],
)
def test_retry_after(header: str | None, seconds: float | None) -> None:
    assert seconds_asked(header, NOW) == seconds
