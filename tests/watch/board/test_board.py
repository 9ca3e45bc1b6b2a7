"""antelog/watch/board/{board,tracked_answer}.py: open and decided answers, in bounded memory."""

from typing import Any

import pytest

from antelog.language.moments import Timescale
from antelog.watch.alerts.alert import Alert, AlertSetup, queries_of
from antelog.watch.alerts.routes import routes_of
from antelog.watch.board.board import DECIDED, Board
from antelog.watch.board.tracked_answer import CHANCES, LINES, label, name_of
from tests.watch.lines import PROGRAM, confirmed, head, possible, rejected, status

WT2 = name_of("Malf", {"X": "wt2", "T": 7})


def board(*records: dict) -> Board:  # type: ignore[type-arg]
    found = Board()
    found.take([head(), *records])
    return found


def test_an_answer_is_open_from_its_first_line_on() -> None:
    found = board(possible("wt2", 7)).open[WT2]
    assert (label(found.query, found.values), found.since, found.now.chance, found.now.decided_by) == (
        "Malf(wt2, 7)",
        7,
        0.5,
        10,
    )
    assert found.now.silent == ("rejected", 10)


def test_a_later_line_changes_how_it_stands_and_not_since_when() -> None:
    found = board(possible("wt2", 7), possible("wt2", 7, 8, 0.8, change="revised")).open[WT2]
    assert (found.since, found.now.chance, len(found.all_lines)) == (7, 0.8, 2)
    assert found.chances == [(7, 0.5), (8, 0.8)]


def test_an_alert_is_remembered_and_is_no_chance_of_its_own() -> None:
    found = board(possible("wt2", 7), possible("wt2", 7, 8, 0.8, change="likely")).open[WT2]
    assert found.alerted == 8
    assert found.chances == [(7, 0.5)]


def test_what_is_confirmed_is_decided_and_no_longer_open() -> None:
    found = board(possible("wt2", 7), confirmed("wt2", 7, 8))
    assert not found.open
    assert found.decided[WT2].now.change == "confirmed"
    assert found.find(WT2) is found.decided[WT2]


def test_what_comes_back_after_it_was_rejected_is_open_again() -> None:
    found = board(possible("wt2", 7), rejected("wt2", 7, 8), possible("wt2", 7, 9))
    assert WT2 in found.open
    assert WT2 not in found.decided


@pytest.mark.parametrize(("value", "group"), [("wt2", "wt2"), (7, "7"), (True, "true"), (None, "?")])
def test_a_group_has_one_name_on_the_page_and_in_alerts(value: object, group: str) -> None:
    line = {**possible("wt2", 7), "answer": {"X": value, "T": 7}}
    found = board(line)
    (answer,) = found.open.values()
    assert found.head.program is not None
    queries = queries_of(found.head.program.plan, chances=True)
    (route,) = routes_of(AlertSetup((Alert("command:cat"),), queries, "p.alog"))
    assert found.head.key_of(answer) == route.group_of(line) == group


def test_a_head_says_what_is_open_and_what_is_not() -> None:
    found = board(possible("wt2", 7), possible("wt3", 7))
    found.take([head([possible("wt2", 7), possible("wt9", 8)], tick=8)])
    assert sorted(label(each.query, each.values) for each in found.open.values()) == [
        "Malf(wt2, 7)",
        "Malf(wt9, 8)",
    ]
    assert found.tick == 8
    found.take([head([possible("wt5", 8, change="open")])])
    assert [each.now.change for each in found.open.values()] == ["possible"]


def test_a_head_knows_better_than_what_was_read_before() -> None:
    found = board(possible("wt2", 7, chance=0.5))
    found.take([head([possible("wt2", 7, 8, 0.9, change="open")])])
    assert found.open[WT2].now.chance == 0.9
    assert found.open[WT2].since == 7


def test_snapshot_lines_in_a_head_are_read_too() -> None:
    line = {key: value for key, value in possible("wt2", 7).items() if key not in ("tick", "change", "query")}
    snapshot = {"tick": 7, "query": "Malf", "answers": [line]}
    assert [label(each.query, each.values) for each in board(head([snapshot])).open.values()] == [
        "Malf(wt2, 7)"
    ]


def test_changes_are_counted_by_query_and_kind() -> None:
    found = board(possible("wt2", 7), possible("wt3", 7), confirmed("wt2", 7, 8))
    assert found.changes == {("Malf", "possible"): 2, ("Malf", "confirmed"): 1}


def test_the_tick_is_that_of_lines_and_of_status() -> None:
    assert board(possible("wt2", 7)).tick == 7
    assert board(possible("wt2", 7), status(9)).tick == 9


def test_what_is_kept_is_bounded() -> None:
    found = board(*(possible("wt2", 7, 7 + n, n / 2000, change="revised") for n in range(1000)))
    answer = found.open[WT2]
    assert (len(answer.lines), len(answer.chances)) == (LINES, CHANCES)
    assert answer.chances[0] == (7, 0.0)
    assert answer.all_lines[0]["tick"] == 7
    assert answer.now.tick == 1006
    found.take(confirmed(f"wt{n}", 7, 8) for n in range(DECIDED + 100))
    assert len(found.decided) == DECIDED


def test_answers_about_others_have_a_name_of_their_own() -> None:
    found = board(possible("wt2", 7), possible("wt2", 7, others=["X"]))
    assert len(found.open) == 2


def test_a_program_that_cannot_be_read_is_none() -> None:
    found = Board()
    found.take([head(program="this is no program")])
    assert found.head.program is None
    assert found.head.times == {}
    found.take([head(program=PROGRAM)])
    assert found.head.times == {"Malf": "T"}


def test_times_are_written_as_such() -> None:
    values = {"X": "wt2", "T": 2958000}
    assert label("Malf", values, "T", Timescale(600_000_000)) == "Malf(wt2, 2026-03-29 16:00)"
    assert label("Malf", {"X": None, "T": 3}) == "Malf(…, 3)"


def test_a_line_that_makes_no_sense_is_counted_and_the_others_are_shown() -> None:
    odd: tuple[Any, ...] = (
        {"change": "possible"},
        {"status": 3},
        {"head": []},
        possible("a", 1) | {"answer": [1, 2]},
        {"x": 1},
    )
    found = board(*odd, possible("wt2", 7))
    assert list(found.open) == [WT2]
    assert found.damaged == 4
