"""antelog/watch/board/{selection,answer_table}.py: some of the answers, in some order and groups."""

from itertools import pairwise

import pytest

from antelog.watch.board import board as boards
from antelog.watch.board.answer_table import SORTS, AnswerTables, prefix_of
from antelog.watch.board.board import Board
from antelog.watch.board.feed_program import FeedProgram
from antelog.watch.board.selection import MOST, AnswerFilter, Given, Selection, decided_filter, selection_of
from tests.watch.lines import PROGRAM, Record, confirmed, head, possible, rejected


def looking(*records: Record, program: str = PROGRAM) -> AnswerTables:
    board = Board()
    board.take([head(program=program), *records])
    return board.tables


def labels(found: AnswerTables, look: Selection) -> list[str]:
    return [FeedProgram().label(each) for each in found.select(look)]


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
    assert labels(found, Selection(AnswerFilter(text="malf -A1 -b"))) == ["Malf(a2, 2)"]
    assert labels(found, Selection(AnswerFilter(text="device:A"))) == ["Malf(a2, 2)", "Malf(a1, 3)"]
    assert labels(found, Selection(AnswerFilter(text="-device:a - key:b"))) == []
    assert labels(found, Selection(AnswerFilter(text="-key:a"))) == ["Malf(b, 4)"]
    assert labels(found, Selection(AnswerFilter(text="level:a"))) == []
    assert labels(found, Selection(AnswerFilter({"query": ["Other"]}))) == []
    assert labels(found, Selection(AnswerFilter(least=0.5))) == ["Malf(a2, 2)", "Malf(b, 4)"]


@pytest.mark.parametrize("text", ["", "nan", "inf", "1e99", "x", "-3"])
def test_addresses_with_nonsense_are_looks_all_the_same(text: str) -> None:
    look = selection_of({"from": [text], "count": [text], "least": [text], "sort": [text], "due": [text]})
    assert (look.start, look.sort, look.filter) == (0, "urgent", AnswerFilter())
    assert 1 <= look.count <= MOST


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


PLANT = (
    possible("wt1", 3, chance=0.3), possible("wt1", 4, chance=0.8), calm("wt1", 2, 0.99),
    possible("wt2", 1, chance=0.7), calm("wt3", 1, 0.99), possible("wt3", 5, chance=0.1),
    calm("wt4", 1, 0.999),
)  # fmt: skip


def test_a_device_is_a_row_and_the_most_urgent_comes_first() -> None:
    seen = looking(*PLANT, program=TWO_QUERIES).listing(Selection())
    assert [(row.key, row.count, row.severity) for row in seen.rows] == [
        ("wt1", 3, "warning"), ("wt2", 1, "warning"), ("wt3", 2, "warning"), ("wt4", 1, "info"),
    ]  # fmt: skip
    assert (seen.total, seen.groups, seen.answers) == (4, 4, 7)
    # The chance is that of the worst answer, not of one that says that all is well.
    assert [row.answer.now.chance for row in seen.rows] == [0.8, 0.7, 0.1, 0.999]
    assert seen.rows[0].deadline == 6


def test_a_group_opens_to_its_parts() -> None:
    index = looking(*PLANT, program=TWO_QUERIES)
    seen = index.listing(Selection(opened=["wt1", "wt2", "unknown"]))
    assert [(row.key, row.count, row.opened) for row in seen.rows[:5]] == [
        ("wt1", 3, True), ("wt1", 0, False), ("wt1", 0, False), ("wt1", 0, False), ("wt2", 1, False),
    ]  # fmt: skip
    assert [row.answer.now.chance for row in seen.rows[1:4]] == [0.8, 0.3, 0.99]
    assert seen.total == 7
    whole = seen.rows
    for start in range(8):
        for count in (1, 2, 5):
            part = index.listing(Selection(opened=["wt1"], start=start, count=count))
            assert part.rows == whole[start : start + count]
    assert index.listing(Selection(start=99)).rows == []


def test_rows_may_be_queries_or_answers() -> None:
    index = looking(*PLANT, program=TWO_QUERIES)
    assert [(row.key, row.count) for row in index.listing(Selection(group="query")).rows] == [
        ("Malf", 4), ("Calm", 3),
    ]  # fmt: skip
    assert [row.count for row in index.listing(Selection(group="none")).rows] == [1] * 7


def test_facets_count_what_they_would_show() -> None:
    index = looking(*PLANT, program=TWO_QUERIES)
    found = index.open.facets(AnswerFilter({"severity": ["warning"]}))
    assert found["severity"] == {"warning": 4, "info": 3}
    assert found["query"] == {"Malf": 4, "Calm": 0}
    assert found["prefix"] == {"wt": 4}
    assert found["state"] == {"over": 1, "below": 3}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (AnswerFilter({"severity": ["info"]}), 3),
        (AnswerFilter({"query": ["Malf", "Calm"]}), 7),
        (AnswerFilter({"prefix": ["wt"]}), 7),
        (AnswerFilter({"prefix": ["x"]}), 0),
        (AnswerFilter({"state": ["over"]}), 4),
        (AnswerFilter(due=range(4, 7)), 5),
    ],
)
def test_each_facet_filters(given: AnswerFilter, expected: int) -> None:
    assert len(looking(*PLANT, program=TWO_QUERIES).select(Selection(given))) == expected


def test_quantiles_are_between_the_two_values_next_to_them() -> None:
    table = looking(*PLANT, program=TWO_QUERIES).open
    where = table.where(AnswerFilter({"query": ["Malf"]}))  # with deadlines 4, 6, 7, 8
    found = [table.quantile("deadline", share, where) for share in (0, 0.1, 0.5, 0.9, 1)]
    assert found == pytest.approx([4, 4.6, 6.5, 7.7, 8])
    assert table.quantile("deadline", 0.5, where.and_("0")) is None


@pytest.mark.parametrize(
    ("key", "expected"),
    [("plant/hall/fan-01", "plant/hall/"), ("wt12", "wt"), ("pump-01", "pump-"), ("17", "1"), ("", "")],
)
def test_prefixes_of_keys(key: str, expected: str) -> None:
    assert prefix_of(key) == expected


@pytest.mark.parametrize("text", ["17..19", "19..17", "..", "a..b", "17", "-3..2", "1e99..2"])
def test_deadlines_in_an_address(text: str) -> None:
    assert selection_of({"due": [text]}).filter.due == (range(17, 20) if text == "17..19" else None)


# ---- decided answers ----


def devices(found: AnswerTables, given: Given, start: int = 0, count: int = -1) -> list[str]:
    table = found.decided
    answers = table.answers(table.where(decided_filter(given)), SORTS["decided"], start, count)
    return [each.values["X"] for each in answers]


def some(count: int) -> list[Record]:
    """So many decided answers, every other confirmed, at ticks that follow each other."""
    found = []
    for number in range(count):
        end = rejected if number % 2 else confirmed
        found += [possible(f"wt{number}", number), end(f"wt{number}", number, number + 2)]
    return found


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, 10),
        ({"kind": ["confirmed"]}, 5),
        ({"kind": ["confirmed", "rejected"]}, 10),
        ({"severity": ["warning"], "query": ["Malf"], "prefix": ["wt"]}, 10),
        ({"severity": ["critical"]}, 0),
        ({"prefix": ["other"]}, 0),
        ({"text": ["wt3"]}, 1),
        ({"between": ["4..6"]}, 3),
        ({"between": ["6..4"]}, 10),
    ],
)
def test_filters_of_decided_answers(given: Given, expected: int) -> None:
    assert len(devices(looking(*some(10)), given)) == expected


def test_the_latest_come_first_and_in_parts() -> None:
    found = looking(*some(5))
    assert devices(found, {}, 0, 2) == ["wt4", "wt3"]
    assert devices(found, {}, 3, 9) == ["wt1", "wt0"]
    table = found.decided
    assert table.quantile("waited", 0.5, table.where(AnswerFilter({"kind": ["confirmed"]}))) == 2


def test_facets_of_decided_answers() -> None:
    found = looking(*some(9)).decided.facets(AnswerFilter({"kind": ["confirmed"]}))
    assert found == {
        "kind": {"confirmed": 5, "rejected": 4},
        "severity": {"warning": 5},
        "query": {"Malf": 5},
        "prefix": {"wt": 5},
    }
    assert looking().decided.facets(AnswerFilter())["kind"] == {}


def test_a_histogram_has_all_and_at_most_so_many_bins() -> None:
    table = looking(*some(100)).decided
    for most in (1, 7, 60, 1000):
        bins = table.histogram(AnswerFilter(between=range(3, 6)), most)
        assert len(bins) <= most
        assert sum(sum(counts.values()) for counts in bins.values()) == 100
        assert all(one.stop == other.start for one, other in pairwise(bins))
    (only,) = table.histogram(AnswerFilter(), 1).values()
    assert (only["warning"], only["rejected"]) == (50, 50)
    assert looking().decided.histogram(AnswerFilter(), 60) == {}


def test_what_is_remembered_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(boards, "DECIDED", 7)
    assert len(devices(looking(*some(20)), {})) == 7
    monkeypatch.setattr(boards, "DECIDED_SIZE", 5_000)
    board = Board()
    board.take([head(), *some(20)])
    assert 1 <= len(devices(board.tables, {})) < 7
    assert sum(each.size for each in board.decided.values()) <= 5_000


def test_answers_that_nobody_looks_at_are_not_remembered_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(boards, "MOST_TOUCHED", 5)
    monkeypatch.setattr(boards, "DECIDED", 3)
    board = Board()
    board.take([head()])
    for record in (*some(20), *THREE):
        board.take([record])
        assert len(board.touched) <= 5
    assert devices(board.tables, {}) == ["wt19", "wt18", "wt17"]
    assert len(labels(board.tables, Selection())) == 3


def test_an_answer_that_comes_back_is_decided_no_more() -> None:
    board = Board()
    board.take([head(), *some(3)])
    assert devices(board.tables, {}) == ["wt2", "wt1", "wt0"]
    board.take([possible("wt1", 1, 3)])
    assert devices(board.tables, {}) == ["wt2", "wt0"]
    assert labels(board.tables, Selection()) == ["Malf(wt1, 1)"]
    board.take([confirmed("wt1", 1, 4)])
    assert devices(board.tables, {}) == ["wt1", "wt2", "wt0"]
