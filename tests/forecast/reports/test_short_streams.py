"""antelog/forecast/reports/text.py: whether a stream is too short to learn from."""

from __future__ import annotations

import pytest

from antelog.forecast.reports.text import ENOUGH, short_streams

HOUR = 3600 * 1_000_000


FROM = "learned chances are of use from some 75 on"


@pytest.mark.parametrize(
    ("decided", "ticks", "tick", "note"),
    [
        (0, 500, None, f"no answer is decided; {FROM}"),
        (1, 500, None, f"1 answer is decided; {FROM}, about 37,000 ticks more at this pace"),
        (12, 613, None, f"12 answers are decided; {FROM}, about 3,200 ticks more at this pace"),
        (50, 48, HOUR, f"50 answers are decided; {FROM}, about 1 day more at this pace"),
    ],
)
def test_how_much_more_it_takes(decided: int, ticks: int, tick: int | None, note: str) -> None:
    assert list(short_streams({"Malf": decided}, ticks, tick)) == [f"Malf: {note}"]


def test_enough() -> None:
    assert list(short_streams({"Malf": ENOUGH, "Hot": 10_000}, 5_000, None)) == []
