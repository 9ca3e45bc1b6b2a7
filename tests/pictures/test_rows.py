"""antelog/pictures/rows.py: colour is severity, a mark's shape is truth, a bar's depth its chance."""

from __future__ import annotations

import re
from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

import antelog
from antelog.answers import CONFIRMED, REJECTED
from antelog.pictures.answers import draw_answers
from antelog.pictures.columns import RowLabel, columns_of
from antelog.pictures.history import Answer, Change, History
from antelog.pictures.naming import cut, cut_apart, width_of
from antelog.pictures.rows import STRETCH, Clock, Frame, kinds_in, mark_rows
from antelog.program import parse
from tests.pictures.looks import texts
from tests.pictures.test_drawing import answer, framed, of


def test_what_is_not_to_come_has_a_mark_of_its_own() -> None:
    one = answer(3, evidence={"not P(3)": 3, "P(3)": 3}, missing=("not P(5)", "P(5)"), decided_by=6)
    shown = [(m["kind"], m["x"], m["shift"]) for m in mark_rows(of(one), framed(9))]
    assert [each for each in shown if each[0] not in ("bar", "ahead", "deadline")] == [
        ("evidence", 3, 0), ("absent", 3, 14), ("awaited", 5, 0), ("absence awaited", 5, 14),
    ]  # fmt: skip


def test_a_tall_picture_has_an_axis_above_too() -> None:
    for number, axes in ((12, 1), (40, 2)):
        drawing = draw_answers(of(*(answer(n % 9, CONFIRMED, until=9) for n in range(number))))
        assert len(re.findall("role-axis-label", drawing.svg())) == axes


def test_decided_ones_stand_on_each_other_by_severity() -> None:
    severities = ("good", "critical", "critical")
    few = of(
        *(answer(3, CONFIRMED, severity=each, until=5) for each in severities), answer(3, REJECTED, until=5)
    )
    counted = draw_answers(few, most=1).chart.to_dict()
    decided = counted["datasets"][counted["vconcat"][1]["data"]["name"]]
    assert [(each["look"], each["from"], each["number"]) for each in decided] == [
        ("critical", 0, 2), ("good", 2, 3), ("rejected", 0, -1),
    ]  # fmt: skip


# ---- how likely it was ----


def history_of(chances: dict[int, float], until: int = 6) -> History:
    return History(
        (Answer(Change({"tick": 1}, "Q", {"X": "a"}), 1, until, "confirmed", chances=chances),), until
    )


def stretches(shown: History) -> list[tuple[int, int, float]]:
    rows = mark_rows(shown, Frame(Clock(), 0, 9, 9, 700, 50))
    return [(row["x"], row["x2"], row["depth"]) for row in rows if row["kind"] == STRETCH]


def test_a_stretch_from_each_chance_to_the_next() -> None:
    shown = history_of({1: 0.5, 4: 1.0})
    assert stretches(shown) == [(1, 4, 0.4), (4, 6, 0.8)]
    assert STRETCH in kinds_in(shown)


def test_a_chance_at_the_last_tick_is_seen() -> None:
    assert stretches(history_of({6: 0.5})) == [(1, 6, 0.0), (6, 6, 0.4)]


def test_without_chances_nothing_is_new() -> None:
    shown = history_of({})
    assert stretches(shown) == []
    assert STRETCH not in kinds_in(shown)


HOUR = 3_600_000_000


def tick(time: str, length: int = HOUR) -> int:
    return round(datetime.fromisoformat(time + "+00:00").timestamp() * 1_000_000) // length


def shown(first: str, last: str, unit: str = "1 hour", length: int = HOUR) -> list[str]:
    """The texts of a picture of an answer from one time to another."""
    program = parse(f"tick {unit}. input P(x, time). Q(X, T) :- P(X, T). query Q(X, T).")
    begin, end = tick(first, length), tick(last, length)
    one = Answer(Change({"tick": begin}, "Q", {"X": "a"}), begin, end, "confirmed")
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


HALL = ["turbine-hall-north-1", "turbine-hall-north-2"]


def test_a_label_that_is_too_long_has_its_beginning_and_its_end() -> None:
    for room in (60, 100, 150):
        shown = cut("a_turbine_with_a_long_name", room)
        begin, dots, end = shown.partition("…")
        assert dots
        assert "a_turbine_with_a_long_name".startswith(begin)
        assert "a_turbine_with_a_long_name".endswith(end)
        assert abs(len(begin) - len(end)) <= 1
        assert room - 12 < width_of(shown) <= room, "what room there is is used"
    assert cut("a_turbine", 100) == "a_turbine"


@pytest.mark.parametrize(
    ("names", "room", "shown"),
    [
        (HALL, 200, HALL),
        (HALL, 80, ["turbin…orth-1", "turbin…orth-2"]),
        (["x" * 30 + end + "y" * 30 for end in "ab"], 100, ["xxxx…ayy…yyyy", "xxxx…byy…yyyy"]),
        (
            ["fan-with-a-1", "fan-with-a-2", "pump-with-a-1", "pump-with-a-2"],
            60,
            ["fan-…-a-1", "fan-…-a-2", "pum…-a-1", "pum…a-2"],
        ),
        (["a" * 30, "a" * 31], 80, ["aaaaaaaaa…1", "aaaaaaaa…2"]),
    ],
)
def test_different_labels_stay_different(names: list[str], room: float, shown: list[str]) -> None:
    assert [*cut_apart(names, room).values()] == shown


@given(st.lists(st.text("ab-", min_size=1, max_size=40), max_size=12, unique=True), st.integers(40, 300))
def test_no_two_labels_are_the_same(names: list[str], room: int) -> None:
    shown = cut_apart(names, room)
    assert len({*shown.values()}) == len(names)
    assert all(width_of(label) <= room for label in shown.values())


def test_columns_give_way_at_every_width() -> None:
    rows = [
        RowLabel(f"turbine-hall-north-{n}", f"turbine {n} is about to shut down", "14:20") for n in (1, 2)
    ]
    columns = columns_of(rows, 800)
    assert [each.margin for each in columns.cells] == sorted((c.margin for c in columns.cells), reverse=True)
    for each in columns.cells:
        assert len({*each.lanes.values()}) == len({*each.texts.values()}) == 2
        assert each.text_at < each.margin
    assert columns.of_row(0, lane=True)["lane"] != columns.of_row(1, lane=True)["lane"]
    assert columns.of_row(0, lane=False)["lane"] == ""
    wide = columns_of(rows[:1], 2000).of_row(0, lane=True)
    assert wide["lane"][0] == rows[0].lane
    assert wide["time"][0] == "14:20"


def test_a_name_is_not_repeated_where_there_is_no_room() -> None:
    rows = [RowLabel(f"hall-{n}", f"hall-{n} is about to shut down", "14:20") for n in (1, 2)]
    wide, narrow = columns_of(rows, 800).cells[0], columns_of(rows, 600).cells[0]
    assert wide.texts[rows[0].text] == rows[0].text
    assert narrow.texts[rows[0].text] == "is about to shut down"
    assert narrow.lanes == {"hall-1": "hall-1", "hall-2": "hall-2"}


def row(query: str, answer: dict[str, object], **more: object) -> dict[str, object]:
    return {"tick": 3, "change": "possible", "query": query, "answer": answer, "explanations": [], **more}


def test_each_device_has_a_lane() -> None:
    changes = [
        row("Malf", {"X": "wt2", "T": 1}), row("OK", {"X": "wt4", "T": 1}),
        row("OK", {"X": "wt2", "T": 2}, text="all is well"), row("Halted", {"T": 3}),
    ]  # fmt: skip
    shown = texts(antelog.draw(changes).svg())
    assert [each for each in shown if each in ("wt2", "wt4", "Halted")] == ["wt2", "wt4", "Halted"]
    assert {"Malf", "OK", "all is well"} <= {*shown}


def test_values_are_as_people_read_them() -> None:
    changes = [row("Late", {"X": "B-TK 101", "T": 1}), row("Late", {"X": None, "T": 1})]
    assert {"B-TK 101", "?"} <= {*texts(antelog.draw(changes).svg())}
