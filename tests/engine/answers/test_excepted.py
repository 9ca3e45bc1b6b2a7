"""antelog/engine/answers/excepted.py: a named value that is not as all others are gets a line of its own."""

from __future__ import annotations

import pytest

from antelog.engine.answers.excepted import links, named_values
from antelog.engine.answers.lives import Wanted, lives
from antelog.engine.columns.spans import EVERYWHERE
from tests.engine.stages import stage, texts
from tests.engine.telling import told, told_at_once

CALM = "input Alarm(x, time) delay 2. Calm(X, T) :- not Alarm(X, T){more}. query Calm(X, T). "


def test_named_values_belong_to_the_answer_of_all_others() -> None:
    given = stage(CALM.format(more=""), [("Alarm", "a", 0, 1), ("Alarm", "b", 2, 2)], now=2)
    found = lives(given.known, Wanted("Calm", EVERYWHERE), given.step)
    linked = links(found)
    (cells,) = found.answer
    assert texts(given.values, cells.take(linked.others)) == ["others", "others"]
    named = zip(texts(given.values, cells.take(linked.row)), linked.since.tolist(), strict=True)
    assert sorted(named, key=str) == [("a", 1), ("b", 2)]
    others = found.number.take(linked.others)
    _, value = named_values(found, others, linked.since)
    assert sorted(map(str, texts(given.values, cells.take(found.by_answer.first.take(value))))) == ["a", "b"]


def test_a_line_when_it_is_named_while_all_others_are_told() -> None:
    expected = {
        0: ["possible Calm(others, 0): | not Alarm(X, 0), confirmed at 2, decided by 2"],
        1: [
            "rejected Calm(a, 0): | not Alarm(a, 0), because not Alarm(a, 0)",
            "possible Calm(others, 1): | not Alarm(X, 1), confirmed at 3, decided by 3",
        ],
    }
    found = told(CALM.format(more=""), [("Alarm", "a", 0, 1)], 1)
    assert found == expected
    assert told_at_once(CALM.format(more=""), [("Alarm", "a", 0, 1)], 1) == [
        line for lines in expected.values() for line in lines
    ]


@pytest.mark.parametrize(("more", "facts"), [(", X != a", []), ("", [("Alarm", "a", 3, 3)])])
def test_or_when_all_others_are_first_told(more: str, facts: list[tuple[object, ...]]) -> None:
    lines = told(CALM.format(more=more), facts, 3)[3]
    assert [line.split(":")[0] for line in lines if "(a, 3)" in line] == ["rejected Calm(a, 3)"]


def test_a_value_named_after_all_others_were_confirmed_was_confirmed_with_them() -> None:
    # A, which names it, is about a tick that comes late; the negation is settled at 2.
    text = "input Alarm(x, time) delay 2. input A(x, time) delay 9. query Calm(X, T). "
    rules = "Calm(X, T) :- not Alarm(X, T), not Gone(X, T). Gone(X, T) :- A(X, T), Alarm(X, T)."
    lines = told(text + rules, [("A", "a", 0, 7)], 7)
    assert not any("Calm(a, 0)" in line for found in lines.values() for line in found)
