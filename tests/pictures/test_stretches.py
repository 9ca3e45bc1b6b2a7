"""antelog/pictures/rows.py: a bar is deep where its answer was likely."""

from __future__ import annotations

from antelog.pictures.clock import Clock
from antelog.pictures.history import Answer, AnswerOutlook, History
from antelog.pictures.rows import STRETCH, Frame, kinds_in, mark_rows


def history_of(chances: dict[int, float], until: int = 6) -> History:
    return History(
        (Answer("Q", {"X": "a"}, 1, until, "confirmed", outlook=AnswerOutlook(chances=chances)),), until
    )


def stretches(shown: History) -> list[tuple[int, int, float]]:
    rows = mark_rows(shown, Frame(Clock(), 0, 9, 9, 700, 50))
    return [(row["x"], row["x2"], row["depth"]) for row in rows if row["kind"] == STRETCH]


def test_a_stretch_from_each_chance_to_the_next() -> None:
    shown = history_of({1: 0.5, 4: 1.0})
    assert stretches(shown) == [(1, 4, 0.4), (4, 6, 0.8)]
    assert STRETCH in kinds_in(shown)


def test_before_the_first_chance_the_bar_is_faint() -> None:
    assert stretches(history_of({3: 0.5})) == [(1, 3, 0.0), (3, 6, 0.4)]


def test_a_chance_at_the_last_tick_is_seen() -> None:
    assert stretches(history_of({6: 0.5})) == [(1, 6, 0.0), (6, 6, 0.4)]


def test_without_chances_nothing_is_new() -> None:
    shown = history_of({})
    assert stretches(shown) == []
    assert STRETCH not in kinds_in(shown)
