"""antelog/watch/board/answer_positions.py: where the lines of an answer are, in bounded memory."""

import pytest

from antelog.watch.board import answer_positions as module
from antelog.watch.board.answer_positions import AnswerPositions

A, B = "00112233445566aa", "00112233445566bb"


def places(*names: str | None) -> AnswerPositions:
    """The places of records that are read one by one."""
    found = AnswerPositions()
    for position, name in enumerate(names):
        found.begin(position)
        found.add(name)
    return found


def seen(found: AnswerPositions, name: str) -> list[list[int]]:
    return [[each.position, each.records] for each in found.pieces(name)]


def test_pieces_have_the_lines_of_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LINES", 2)
    found = places(A, None, B, A, A, None, B)
    assert seen(found, A) == [[0, 3], [3, 2]]
    assert seen(found, B) == [[0, 3], [5, 2]]
    assert seen(found, "0" * 16) == seen(found, "") == seen(found, "wt2") == seen(found, "00") == []


def test_the_oldest_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LINES", 1)
    monkeypatch.setattr(module, "MOST", 3)
    found = places(*[A, B] * 5)
    assert [position for position, _ in seen(found, A) + seen(found, B)] == [6, 8, 7, 9]


def test_a_feed_that_is_begun_anew_has_places_of_its_own() -> None:
    found = places(*[A] * 5)
    found.begin(2)
    found.add(B)
    assert seen(found, A) == []
    assert seen(found, B) == [[2, 1]]
