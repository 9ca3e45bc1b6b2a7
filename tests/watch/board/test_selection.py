"""antelog/watch/board/selection.py: some of the open answers, in some order, and how long that takes."""

import time

import pytest

from antelog.watch.board.board import Board
from antelog.watch.board.selection import MOST, AnswerIndex, Selection, selection_of
from antelog.watch.board.tracked_answer import label
from tests.watch.lines import head, possible


def looking(*records: dict) -> AnswerIndex:  # type: ignore[type-arg]
    board = Board()
    board.take([head(), *records])
    return AnswerIndex(board)


def labels(found: AnswerIndex, look: Selection) -> list[str]:
    return [label(each.query, each.values) for each in found.select(look).answers]


THREE = (possible("a1", 3, 3, 0.2), possible("a2", 1, 4, 0.9), possible("b", 2, 5, 0.5))


@pytest.mark.parametrize(
    ("sort", "expected"),
    [
        ("likely", ["Malf(a2, 1)", "Malf(b, 2)", "Malf(a1, 3)"]),
        ("", ["Malf(a2, 1)", "Malf(b, 2)", "Malf(a1, 3)"]),
        ("deadline", ["Malf(a2, 1)", "Malf(b, 2)", "Malf(a1, 3)"]),
        ("new", ["Malf(b, 2)", "Malf(a2, 1)", "Malf(a1, 3)"]),
        ("name", ["Malf(a1, 3)", "Malf(a2, 1)", "Malf(b, 2)"]),
    ],
)
def test_orders(sort: str, expected: list[str]) -> None:
    assert labels(looking(*THREE), Selection(sort=sort)) == expected


def test_without_chances_the_next_deadline_comes_first() -> None:
    found = looking(possible("late", 9, 1, None), possible("soon", 2, 1, None))
    assert labels(found, Selection(sort="")) == ["Malf(soon, 2)", "Malf(late, 9)"]


def test_an_answer_without_a_chance_is_last_and_is_no_likely_one() -> None:
    found = looking(possible("none", 1, 1, None), possible("little", 2, 1, 0.01))
    assert labels(found, Selection()) == ["Malf(little, 2)", "Malf(none, 1)"]
    assert labels(found, Selection(least=0.01)) == ["Malf(little, 2)"]


def test_filters() -> None:
    found = looking(*THREE)
    assert labels(found, Selection(text="A1")) == ["Malf(a1, 3)"]
    assert labels(found, Selection(text="malf a2")) == ["Malf(a2, 1)"]
    assert labels(found, Selection(text="a1 a2")) == []
    assert labels(found, Selection(query="Other")) == []
    assert labels(found, Selection(least=0.5)) == ["Malf(a2, 1)", "Malf(b, 2)"]


def test_a_part_of_the_list_knows_how_many_there_are() -> None:
    seen = looking(*THREE).select(Selection(start=1, count=1))
    assert [label(each.query, each.values) for each in seen.answers] == ["Malf(b, 2)"]
    assert seen.total == 3


def test_a_look_sees_what_has_changed() -> None:
    found = looking(*THREE)
    assert len(labels(found, Selection())) == 3
    found.board.take([possible("c", 2)])
    assert len(labels(found, Selection())) == 4


@pytest.mark.parametrize("text", ["", "nan", "inf", "1e99", "x", "-3"])
def test_addresses_with_nonsense_are_looks_all_the_same(text: str) -> None:
    look = selection_of({"from": text, "count": text, "least": text, "sort": text})
    assert (look.start, look.sort, look.least) == (0, "", 0.0)
    assert 1 <= look.count <= MOST


@pytest.mark.slow
def test_a_hundred_thousand_answers_are_seen_soon() -> None:
    found = looking(*(possible(f"wt{n}", n % 50, 50, (n % 1000) / 1000) for n in range(100_000)))
    found.select(Selection(text="wt99"))
    start = time.process_time()
    found.board.version += 1
    seen = found.select(Selection(text="wt99", count=40))
    assert seen.total == 1111
    assert time.process_time() - start < 2
