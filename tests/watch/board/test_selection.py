"""antelog/watch/board/{selection,answer_index}.py: some of the open answers, in some order and groups."""

import time

import pytest

from antelog.watch.board.answer_index import AnswerIndex, prefix_of
from antelog.watch.board.board import Board
from antelog.watch.board.selection import MOST, AnswerFilter, Selection, filter_of, selection_of
from antelog.watch.board.tracked_answer import label
from tests.watch.lines import Record, head, possible


def looking(*records: dict) -> AnswerIndex:  # type: ignore[type-arg]
    board = Board()
    board.take([head(), *records])
    return AnswerIndex(board)


def labels(found: AnswerIndex, look: Selection) -> list[str]:
    return [label(each.query, each.values) for each in found.select(look).answers]


THREE = (possible("a1", 3, 3, 0.2), possible("a2", 2, 4, 0.9), possible("b", 4, 5, 0.5))


@pytest.mark.parametrize(
    ("sort", "expected"),
    [
        ("likely", ["Malf(a2, 2)", "Malf(b, 4)", "Malf(a1, 3)"]),
        ("urgent", ["Malf(a2, 2)", "Malf(b, 4)", "Malf(a1, 3)"]),
        ("deadline", ["Malf(a2, 2)", "Malf(a1, 3)", "Malf(b, 4)"]),
        ("new", ["Malf(b, 4)", "Malf(a2, 2)", "Malf(a1, 3)"]),
        ("name", ["Malf(a1, 3)", "Malf(a2, 2)", "Malf(b, 4)"]),
    ],
)
def test_orders(sort: str, expected: list[str]) -> None:
    assert labels(looking(*THREE), Selection(sort=sort)) == expected


def test_without_chances_the_next_deadline_comes_first() -> None:
    found = looking(possible("late", 9, chance=None), possible("soon", 2, chance=None))
    assert labels(found, Selection()) == ["Malf(soon, 2)", "Malf(late, 9)"]


def test_an_answer_without_a_chance_is_last_and_is_no_likely_one() -> None:
    found = looking(possible("none", 1, chance=None), possible("little", 2, chance=0.01))
    assert labels(found, Selection()) == ["Malf(little, 2)", "Malf(none, 1)"]
    assert labels(found, Selection(AnswerFilter(least=0.01))) == ["Malf(little, 2)"]


def test_filters() -> None:
    found = looking(*THREE)
    assert labels(found, Selection(AnswerFilter(text="A1"))) == ["Malf(a1, 3)"]
    assert labels(found, Selection(AnswerFilter(text="malf a2"))) == ["Malf(a2, 2)"]
    assert labels(found, Selection(AnswerFilter(text="a1 a2"))) == []
    assert labels(found, Selection(AnswerFilter(queries=["Other"]))) == []
    assert labels(found, Selection(AnswerFilter(least=0.5))) == ["Malf(a2, 2)", "Malf(b, 4)"]


def test_a_part_of_the_list_knows_how_many_there_are() -> None:
    seen = looking(*THREE).select(Selection(start=1, count=1))
    assert [label(each.query, each.values) for each in seen.answers] == ["Malf(b, 4)"]
    assert seen.total == 3


def test_a_look_sees_what_has_changed() -> None:
    found = looking(*THREE)
    assert len(labels(found, Selection())) == 3
    found.board.take([possible("c", 2)])
    assert len(labels(found, Selection())) == 4


@pytest.mark.parametrize("text", ["", "nan", "inf", "1e99", "x", "-3"])
def test_addresses_with_nonsense_are_looks_all_the_same(text: str) -> None:
    look = selection_of({"from": [text], "count": [text], "least": [text], "sort": [text], "due": [text]})
    assert (look.start, look.sort, look.filter) == (0, "urgent", filter_of({}))
    assert 1 <= look.count <= MOST


@pytest.mark.slow
def test_a_hundred_thousand_answers_are_seen_soon() -> None:
    found = looking(*(possible(f"wt{n}", 50, 50, (n % 50 + 1) / 51) for n in range(100_000)))
    found.select(Selection(AnswerFilter(text="wt99")))
    start = time.process_time()
    found.board.version += 1
    seen = found.select(Selection(AnswerFilter(text="wt99"), count=40))
    assert seen.total == 1111
    assert time.process_time() - start < 2


# ---- groups ----

TWO_QUERIES = """\
input Temp(device, level, time) delay 2.
chance Temp(_, high, _) = 5%.
Malf(X, T) :- Temp(X, high, T), Temp(X, high, T+1).
Calm(X, T) :- Temp(X, low, T), Temp(X, low, T+1).
query Malf(X, T) alert 75%.
query Calm(X, T).
"""


def calm(device: str, about: int, chance: float) -> Record:
    return possible(device, about, chance=chance, query="Calm")


def plant(*records: Record) -> AnswerIndex:
    board = Board()
    board.take([head(program=TWO_QUERIES), *records])
    return AnswerIndex(board)


PLANT = (
    possible("wt1", 3, chance=0.3), possible("wt1", 4, chance=0.8), calm("wt1", 2, 0.99),
    possible("wt2", 1, chance=0.7), calm("wt3", 1, 0.99), possible("wt3", 5, chance=0.1),
    calm("wt4", 1, 0.999),
)  # fmt: skip


def test_a_device_is_a_row_and_the_most_urgent_comes_first() -> None:
    seen = plant(*PLANT).listing(Selection())
    assert [(row.key, row.count, row.severity) for row in seen.rows] == [
        ("wt1", 3, "warning"), ("wt2", 1, "warning"), ("wt3", 2, "warning"), ("wt4", 1, "info"),
    ]  # fmt: skip
    assert (seen.total, seen.groups, seen.answers) == (4, 4, 7)
    # The chance is that of the worst answer, not of one that says that all is well.
    assert [row.chance for row in seen.rows] == [0.8, 0.7, 0.1, 0.999]
    assert seen.rows[0].deadline == 6


def test_a_group_opens_to_its_parts() -> None:
    index = plant(*PLANT)
    seen = index.listing(Selection(opened=["wt1", "wt2", "unknown"]))
    assert [(row.key, row.count, row.opened) for row in seen.rows[:5]] == [
        ("wt1", 3, True), ("wt1", 0, False), ("wt1", 0, False), ("wt1", 0, False), ("wt2", 1, False),
    ]  # fmt: skip
    assert [row.chance for row in seen.rows[1:4]] == [0.8, 0.3, 0.99]
    assert seen.total == 7
    whole = seen.rows
    for start in range(8):
        for count in (1, 2, 5):
            part = index.listing(Selection(opened=["wt1"], start=start, count=count))
            assert part.rows == whole[start : start + count]
    assert index.listing(Selection(start=99)).rows == []


def test_rows_may_be_queries_or_answers() -> None:
    index = plant(*PLANT)
    assert [(row.key, row.count) for row in index.listing(Selection(group="query")).rows] == [
        ("Malf", 4), ("Calm", 3),
    ]  # fmt: skip
    assert [row.count for row in index.listing(Selection(group="none")).rows] == [1] * 7


def test_facets_count_what_they_would_show() -> None:
    index = plant(*PLANT)
    found = index.facets(AnswerFilter(severities=["warning"]))
    assert found["severity"] == {"critical": 0, "warning": 4, "info": 3, "good": 0}
    assert found["query"] == {"Malf": 4, "Calm": 0}
    assert found["prefix"] == {"wt": 4}
    assert found["state"] == {"over": 1, "below": 3, "none": 0}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (AnswerFilter(severities=["info"]), 3),
        (AnswerFilter(queries=["Malf", "Calm"]), 7),
        (AnswerFilter(prefixes=["wt"]), 7),
        (AnswerFilter(prefixes=["x"]), 0),
        (AnswerFilter(states=["over"]), 4),
        (AnswerFilter(due=range(4, 7)), 5),
    ],
)
def test_each_facet_filters(given: AnswerFilter, expected: int) -> None:
    assert plant(*PLANT).select(Selection(given)).total == expected


def test_what_is_due_has_deadlines_and_chances() -> None:
    due = plant(*PLANT).due(AnswerFilter(queries=["Malf"]))
    assert sorted(due.deadline.tolist()) == [4, 6, 7, 8]
    assert round(float(due.chance.sum()), 3) == 1.9


def test_others_of_a_device() -> None:
    index = plant(*PLANT)
    first = index.select(Selection(AnswerFilter(text="wt1"))).answers[0]
    assert [each.query for each in index.others(first).answers] == ["Malf", "Calm"]


@pytest.mark.parametrize(
    ("key", "expected"),
    [("north-hall/fan-01", "north-hall/"), ("wt12", "wt"), ("pump-01", "pump-"), ("17", "1"), ("", "")],
)
def test_prefixes_of_keys(key: str, expected: str) -> None:
    assert prefix_of(key) == expected


@pytest.mark.parametrize("text", ["17..19", "19..17", "..", "a..b", "17", "-3..2", "1e99..2"])
def test_deadlines_in_an_address(text: str) -> None:
    assert selection_of({"due": [text]}).filter.due == (range(17, 20) if text == "17..19" else None)
