"""antelog/pictures/rows.py: colour is severity, a mark's shape is truth, a bar's depth its chance."""

from __future__ import annotations

import re

from antelog.pictures.answers import draw_answers
from antelog.pictures.clock import Clock
from antelog.pictures.history import CONFIRMED, REJECTED, Answer, AnswerOutlook, History, Wording
from antelog.pictures.rows import STRETCH, Frame, kinds_in, mark_rows
from tests.pictures.test_drawing import answer, framed, of


def test_what_is_not_to_come_has_a_mark_of_its_own() -> None:
    one = answer(3, evidence={"not P(3)": 3, "P(3)": 3}, missing=("not P(5)", "P(5)"), decided_by=6)
    shown = [(m["kind"], m["x"], m["shift"]) for m in mark_rows(of(one), framed(9))]
    assert [each for each in shown if each[0] not in ("bar", "ahead", "deadline")] == [
        ("evidence", 3, 0), ("absent", 3, 14), ("awaited", 5, 0), ("absence awaited", 5, 14),
    ]  # fmt: skip


def test_a_literal_with_a_condition_has_a_mark() -> None:
    one = answer(3, missing=("Reading(V3, 5) where V3 < 40",), decided_by=6)
    assert ("awaited", 5) in [(m["kind"], m["x"]) for m in mark_rows(of(one), framed(9))]


def test_a_tall_picture_has_an_axis_above_too() -> None:
    for number, axes in ((12, 1), (40, 2)):
        drawing = draw_answers(of(*(answer(n % 9, CONFIRMED, until=9) for n in range(number))))
        assert len(re.findall("role-axis-label", drawing.svg())) == axes


def test_decided_ones_stand_on_each_other_by_severity() -> None:
    worded = (Wording(severity) for severity in ("good", "critical", "critical"))
    few = of(*(answer(3, CONFIRMED, wording=each, until=5) for each in worded), answer(3, REJECTED, until=5))
    counted = draw_answers(few, most=1).chart.to_dict()
    decided = counted["datasets"][counted["vconcat"][1]["data"]["name"]]
    assert [(each["look"], each["from"], each["number"]) for each in decided] == [
        ("critical", 0, 2), ("good", 2, 3), ("rejected", 0, -1),
    ]  # fmt: skip


# ---- how likely it was ----


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
