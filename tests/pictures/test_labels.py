"""antelog/pictures/{labels,columns}.py: labels are columns, cut in the middle or where they differ."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import antelog
from antelog.pictures.columns import RowLabel, columns_of, cut, cut_apart, width_of
from tests.pictures.looks import texts

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
        (["x" * 30 + end + "y" * 30 for end in "ab"], 100, ["xxxx…ayyyyyy…", "xxxx…byyyyyy…"]),
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


def test_texts_of_many_letters_and_of_few() -> None:
    assert width_of("") == 0
    assert width_of("illi") < width_of("abcd") < width_of("MWMW") < width_of("温度温度")
