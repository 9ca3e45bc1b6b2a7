"""antelog/watch/board/decided_answers.py: what was decided, by facets and over time."""

from itertools import pairwise

import pytest

from antelog.watch.board import board as boards
from antelog.watch.board.board import Board
from antelog.watch.board.decided_answers import DecidedIndex
from antelog.watch.board.selection import Given
from tests.watch.lines import Record, confirmed, head, possible, rejected


def decided(*records: Record) -> DecidedIndex:
    board = Board()
    board.take([head(), *records])
    return DecidedIndex(board)


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
def test_filters(given: Given, expected: int) -> None:
    assert len(decided(*some(10)).chosen(given)) == expected


def test_the_latest_come_first_and_in_parts() -> None:
    found = decided(*some(5)).chosen({})
    assert [each.values["X"] for each in found.part(0, 2)] == ["wt4", "wt3"]
    assert [each.values["X"] for each in found.part(3, 9)] == ["wt1", "wt0"]
    assert found.waited.tolist() == [2, 2, 2]


def test_facets_count_what_they_would_show() -> None:
    found = decided(*some(9)).facets({"kind": ["confirmed"]})
    assert found == {
        "kind": {"confirmed": 5, "rejected": 4},
        "severity": {"warning": 5},
        "query": {"Malf": 5},
        "prefix": {"wt": 5},
    }
    assert decided().facets({})["kind"] == {}


def test_a_histogram_has_all_and_at_most_so_many_bins() -> None:
    index = decided(*some(100))
    for most in (1, 7, 60, 1000):
        bins = index.histogram({"between": ["3..5"]}, most)
        assert len(bins) <= most
        assert sum(sum(each.counts.values()) for each in bins) == 100
        assert all(one.ticks.stop == other.ticks.start for one, other in pairwise(bins))
    (only,) = index.histogram({}, 1)
    assert (only.counts["warning"], only.counts["rejected"]) == (50, 50)
    assert decided().histogram({}, 60) == []


def test_what_is_remembered_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(boards, "DECIDED", 7)
    assert len(decided(*some(20)).chosen({})) == 7
    monkeypatch.setattr(boards, "DECIDED_SIZE", 5_000)
    index = decided(*some(20))
    assert 1 <= len(index.chosen({})) < 7
    assert sum(each.size for each in index.board.decided.values()) <= 5_000


def test_an_answer_that_comes_back_is_decided_no_more() -> None:
    back = possible("wt1", 1, 3)
    index = decided(*some(3), back)
    assert [each.values["X"] for each in index.chosen({}).part(0, 9)] == ["wt2", "wt0"]
    index.board.take([confirmed("wt1", 1, 4)])
    assert [each.values["X"] for each in index.chosen({}).part(0, 9)] == ["wt1", "wt2", "wt0"]
