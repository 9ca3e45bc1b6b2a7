"""antelog/watch/board: open and decided answers in bounded memory, marks, rules, scores."""

import asyncio
import sqlite3
from contextlib import closing
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

import antelog
from antelog.answers import name_of
from antelog.forecast.scores.scores import result
from antelog.language.moments import Timescale
from antelog.run.store.feed import FeedReader
from antelog.watch.alerts.alert import Alert, AlertSetup, queries_of
from antelog.watch.alerts.letters import routes_of
from antelog.watch.board import board as boards
from antelog.watch.board import past, saved_board
from antelog.watch.board.board import Board, FeedPieces
from antelog.watch.board.feed_program import FeedProgram, rules_from, value_text
from antelog.watch.board.input_status import REJECTS
from antelog.watch.board.tracked_answer import CHANCES, LINES, marks
from antelog.watch.web.api import API, of_answer
from antelog.watch.web.live_board import LiveBoard, reader_of
from antelog.watch.web.views import PARTS
from antelog.watch.web.views.context import ViewContext
from tests.broken_lines import ODD
from tests.lines import lines_of
from tests.processes import until_async
from tests.watch.lines import PROGRAM, confirmed, head, possible, rejected, status, written
from tests.watch.recorded_run import recorded

WT2 = name_of("Malf", {"X": "wt2", "T": 7})
ROW = PROGRAM.replace("Hot(X, T+1).", "Hot(X, T+1), Hot(X, T+2).")
OR_OIL = """\
input Temp(device, level, time).
input Oil(device, time) delay 3.
Malf(X, T) :- Temp(X, high, T), Temp(X, high, T+1).
Malf(X, T) :- Oil(X, T), Temp(X, high, T+3).
query Malf(X, T).
"""


def row(until: int, program: str = ROW) -> list[Any]:
    """The lines about 7 of an answer that three hot readings in a row confirm, of which some have come."""
    facts = [("Temp", ("wt2", "high", tick), tick) for tick in range(7, until + 1)]
    return [each for each in lines_of(program, facts, until) if each["answer"]["T"] == 7]


def board(*records: dict) -> Board:  # type: ignore[type-arg]
    found = Board()
    found.take([head(), *records])
    return found


def test_an_answer_is_open_from_its_first_line_on() -> None:
    found = board(possible("wt2", 7)).open[WT2]
    assert (FeedProgram().label(found), found.since) == ("Malf(wt2, 7)", 7)
    assert (found.now.chance, found.now.decided_by, found.now.silent) == (0.5, 10, ("rejected", 10))


def test_a_later_line_changes_how_it_stands_and_not_since_when() -> None:
    found = board(*row(8, ROW.replace(" alert 75%", ""))).open[WT2]
    assert (found.since, found.now.chance, len(found.all_lines)) == (7, 0.8, 2)
    assert found.chances == [(7, 0.64), (8, 0.8)]
    alerted = board(*row(8)).open[WT2]
    assert (alerted.alerted, alerted.chances) == (8, found.chances)


def test_what_is_confirmed_is_decided_and_no_longer_open() -> None:
    found = board(possible("wt2", 7), confirmed("wt2", 7, 8))
    assert not found.open
    assert found.decided[WT2].now.change == "confirmed"
    assert found.find(WT2) is found.decided[WT2]


def test_what_comes_back_after_it_was_rejected_is_open_again() -> None:
    lines = lines_of(OR_OIL, [("Temp", ("wt2", "high", 7), 7), ("Oil", ("wt2", 7), 9)], 9)
    lines = [each for each in lines if each["answer"]["T"] == 7]
    assert [each["change"] for each in lines] == ["possible", "rejected", "possible"]
    found = board(*lines)
    assert WT2 in found.open
    assert WT2 not in found.decided


@pytest.mark.parametrize(("value", "group"), [("wt2", "wt2"), (7, "7"), (True, "true"), (None, "?")])
def test_a_group_has_one_name_on_the_page_and_in_alerts(value: object, group: str) -> None:
    line = possible("wt2", 7)
    line["answer"]["X"] = value
    found = board(line)
    (answer,) = found.open.values()
    assert found.head.program is not None
    queries = queries_of(found.head.program.plan, chances=True)
    (route,) = routes_of(AlertSetup((Alert("command:cat"),), queries, "p.alog"))
    assert found.head.key_of(answer) == route.group_of(line) == group


def test_a_head_says_what_is_open_and_what_is_not() -> None:
    found = board(possible("wt2", 7), possible("wt3", 7))
    found.take([head([possible("wt2", 7), possible("wt9", 8)], tick=8)])
    assert sorted(each.values["X"] for each in found.open.values()) == ["wt2", "wt9"]
    assert found.tick == 8
    found.take([head([possible("wt5", 8, change="open")])])
    assert [each.now.change for each in found.open.values()] == ["possible"]


def test_a_head_knows_better_than_what_was_read_before() -> None:
    found = board(possible("wt2", 7, chance=0.5))
    found.take([head([possible("wt2", 7, 8, 0.9, change="open")])])
    assert found.open[WT2].now.chance == 0.9
    assert found.open[WT2].since == 7


def test_snapshot_lines_in_a_head_are_read_too() -> None:
    snapshot = {"tick": 7, "query": "Malf", "answers": [possible("wt2", 7)]}
    assert [each.values["X"] for each in board(head([snapshot])).open.values()] == ["wt2"]


def test_the_tick_is_that_of_lines_and_of_status() -> None:
    assert board(possible("wt2", 7)).tick == 7
    assert board(possible("wt2", 7), status(9)).tick == 9


def test_what_is_kept_is_bounded() -> None:
    first, *later = row(8, ROW.replace(" alert 75%", ""))
    answer = board(first, *1000 * later).open[WT2]
    assert (len(answer.lines), len(answer.chances)) == (LINES, CHANCES)
    assert answer.chances[0] == (7, 0.64)
    assert (answer.all_lines[0]["tick"], answer.now.tick) == (7, 8)


def test_answers_about_others_have_a_name_of_their_own() -> None:
    rules = "input Hot(x, time) delay 1.\nCalm(X, T) :- not Hot(X, T).\nquery Calm(X, T)."
    lines = lines_of(rules, [("Hot", ("wt2", 7), 7)], 8)
    assert len(board(*(each for each in lines if each["answer"]["T"] == 8)).open) == 2


def test_a_program_that_cannot_be_read_is_none() -> None:
    found = Board()
    found.take([head(program="this is no program")])
    assert found.head.program is None
    assert found.head.ticks == {}
    found.take([head(program=PROGRAM)])
    assert found.head.ticks == {"Malf": {"T": "time"}}


def test_times_are_written_as_such() -> None:
    values = {"X": None, "T": 2958000}
    assert value_text(values, "T", {"T": "time"}, Timescale(600_000_000)) == "2026-03-29 16:00"
    assert [value_text(values, name, {}, None) for name in values] == ["…", "2958000"]


def test_a_line_that_makes_no_sense_is_counted_and_the_others_are_shown() -> None:
    found = board(*ODD, possible("wt2", 7))
    assert list(found.open) == [WT2]
    assert found.damaged == 4


# ---- inputs, marks, rules, scores ----


def test_rejected_rows_are_bounded() -> None:
    found = Board()
    found.take({"reject": {"input": "Temp", "reason": "late", "row": str(n)}} for n in range(REJECTS + 5))
    assert len(found.inputs.rejects) == REJECTS
    assert found.inputs.rejects[-1]["row"] == str(REJECTS + 4)


COUNTED = """\
input Fail(device, code, time) delay 2.
Bad(X, T) :- Fail(X, C, T), C != "about (7)", count(Fail(X, _, T..T+9)) >= 3, not Fail(X, off, T+2).
query Bad(X, T).
"""


def test_marks_are_literals_with_their_ticks_and_how_far_a_count_has_come() -> None:
    (line,) = lines_of(COUNTED, [("Fail", ("wt2", "e (1)", 0), 0)], 0)
    assert [(each.text, each.tick, each.negated, each.known) for each in marks(line, None)] == [
        ('Fail(wt2, "e (1)", 0)', 0, False, True),
        ("not Fail(wt2, off, 2)", 2, True, False),
        ("count(Fail(wt2, _, 0..9)) >= 3 (1 so far)", 9, False, False),
    ]


def test_rules_that_lead_elsewhere_are_not_behind_it() -> None:
    text = (
        "input A(x, time).\ninput B(x, time).\nC(X, T) :- A(X, T).\nC(X, T) :- B(X, T).\n"
        "Q(X, T) :- B(X, T), not C(X, T+1).\nQ(X, T) :- C(X, T+2), B(X, T).\nquery Q(X, T).\n"
    )
    found = rules_from(antelog.parse(text), "Q", {"B", "C"})
    assert [each["line"] for each in found] == [5, 6]


OPEN, REJECTED = possible("wt2", 7), rejected("wt2", 7, 8)


@pytest.mark.parametrize(
    ("records", "expected"),
    [
        ([OPEN], (0, 0)),
        ([OPEN, confirmed("wt2", 7, 8)], (1, 1)),
        ([OPEN, REJECTED, status(10)], (0, 0)),
        ([OPEN, REJECTED, status(11)], (1, 0)),
        ([OPEN, REJECTED, possible("wt2", 7, 9), confirmed("wt2", 7, 10), status(12)], (1, 1)),
        ([OPEN, REJECTED, possible("wt2", 7, 9), rejected("wt2", 7, 9), status(12)], (1, 0)),
        ([possible("wt2", 7, chance=None), confirmed("wt2", 7, 8)], (0, 0)),
    ],
)
def test_answers_are_scored_once_they_are_decided_for_good(records: list[Any], expected: Any) -> None:
    found = board(*records).trust.scores().get("Malf")
    counted = None if found is None else result(found).counted
    assert expected == ((0, 0) if counted is None else (counted.answers, counted.confirmed))


# ---- where the lines of an answer are in its feed ----

A, B = "00112233445566aa", "00112233445566bb"


def pieces(*names: str | None) -> FeedPieces:
    found = FeedPieces()
    for position, name in enumerate(names):
        found.begin(position)
        found.add(name)
    return found


def seen(found: FeedPieces, name: str) -> list[list[int]]:
    return [[each.position, each.records] for each in found.of(name)]


def test_pieces_have_the_lines_of_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(boards, "PIECE_LINES", 2)
    found = pieces(A, None, B, A, A, None, B)
    assert seen(found, A) == [[0, 3], [3, 2]]
    assert seen(found, B) == [[0, 3], [5, 2]]
    assert seen(found, "0" * 16) == seen(found, "") == seen(found, "wt2") == seen(found, "00") == []


def test_the_oldest_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(boards, "PIECE_LINES", 1)
    monkeypatch.setattr(boards, "MOST_LINES", 3)
    found = pieces(*[A, B] * 5)
    assert [position for position, _ in seen(found, A) + seen(found, B)] == [6, 8, 7, 9]


def test_a_feed_that_is_begun_anew_has_pieces_of_its_own() -> None:
    found = pieces(*[A] * 5)
    found.begin(2)
    found.add(B)
    assert seen(found, A) == []
    assert seen(found, B) == [[2, 1]]


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(saved_board, "_SHORTEST", 0.0)
    monkeypatch.setattr(saved_board, "_SHARE", 0)
    return recorded(tmp_path)


def followed(state: Path) -> LiveBoard:
    """A page's board that has read all there is, and was kept."""
    live = LiveBoard(reader_of(state), path=state.with_name("s-board"))

    async def follow() -> None:
        following = asyncio.create_task(live.follow())
        await until_async(lambda: live.caught_up and not live.catching_up)
        following.cancel()
        if live._kept is not None and live.past is not None:
            await live._kept.keep(live.board, live.past.snapshots)

    asyncio.run(follow())
    return live


def position(live: LiveBoard) -> int:
    assert isinstance(live.reader, FeedReader)
    return live.reader.position


def said(live: LiveBoard) -> dict[str, Any]:
    """All that the page says of its answers, and lines of one that it reads again."""
    views: dict[str, Any] = {name: make(live, {}) for name, make in API.items()}
    found = live.find(views["decided"]["answers"][-1]["id"])
    assert found is not None
    views["answer"] = of_answer(live, found)
    return views


def test_a_board_that_was_kept_is_the_same_and_reads_nothing_again(state: Path) -> None:
    before = followed(state)
    assert len(before.board.decided) > 500
    assert before.board.open
    after = LiveBoard(reader_of(state), path=state.with_name("s-board"))
    assert position(after) == position(before) > 3_000
    assert said(after) == said(before)
    assert after.board.groups == before.board.groups == {"wt0": "north"}
    assert [*map(vars, after.board.pieces.kept)] == [*map(vars, before.board.pieces.kept)]
    assert after.reader.read(10) == []
    assert state.with_name("s-board").stat().st_mode & 0o777 == 0o600


def test_a_kept_board_goes_on_as_one_that_read_all(state: Path) -> None:
    followed(state)
    again = recorded(state.parent, 260)  # the run goes on with more facts
    after, whole = followed(again), LiveBoard(reader_of(again))
    while not whole.caught_up:
        whole.take_some()
    assert said(after)["trust"]["queries"][0]["answers"] > 500
    assert {**said(after), "plan": 0, "inputs": 0} == {**said(whole), "plan": 0, "inputs": 0}


def test_a_board_of_the_past_is_what_it_was_then(state: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(past, "_APART", 500)  # so that there are snapshots
    live, kept = LiveBoard(reader_of(state)), dict[int, Any]()
    for tick, records in groupby(reader_of(state).read(100_000), past.reached):
        monkeypatch.setattr("antelog.watch.web.live_board._AT_ONCE", len([*records]))
        live.take_some()
        if tick % 40 == 7:
            kept[tick] = shown(live)
    first, *others = kept
    assert len(others) >= 4
    assert live.past is not None
    assert len(live.past.snapshots) > 3
    for tick in (*others, first, *others[::-1]):
        assert shown(asyncio.run(live.at(tick))) == kept[tick]
    # A page that is started again has the snapshots of the one before.
    followed(state)
    again = LiveBoard(reader_of(state), path=state.with_name("s-board"))
    assert again.past is not None
    assert len(again.past.snapshots) > 3
    for tick in kept:
        assert shown(asyncio.run(again.at(tick))) == kept[tick]


def shown(live: LiveBoard) -> dict[str, Any]:
    views = {name: make(ViewContext(live.board), "") for name, make in PARTS.items() if name != "answer"}
    return {**said(live), "moments": None, **views}


def test_what_came_back_was_rejected_then(tmp_path: Path) -> None:
    facts = [("Temp", ("wt2", "high", 7), 7), ("Oil", ("wt2", 7), 9)]
    lines = [each for each in lines_of(OR_OIL, facts, 9) if each["answer"]["T"] == 7]
    written(tmp_path / "s", [*lines, status(10)]).close()
    live = followed(tmp_path / "s")
    assert [len(asyncio.run(live.at(tick)).board.open) for tick in (7, 8, 9)] == [1, 0, 1]
    assert asyncio.run(live.at(8)).board.decided[WT2].now.change == "rejected"


@pytest.mark.parametrize("how", ["another feed", "cut", "damaged", "another version"])
def test_what_was_kept_of_something_else_is_not_used(state: Path, how: str) -> None:
    followed(state)
    kept = state.with_name("s-board")
    content = kept.read_bytes()
    if how == "another feed":
        with closing(sqlite3.connect(state)) as database, database:
            database.execute("UPDATE feed SET lines = replace(CAST(lines AS TEXT), 'wt2', 'wt7')")
            database.execute("UPDATE feed SET lines = CAST(lines AS BLOB)")
    elif how == "cut":
        kept.write_bytes(content[:-9])
    elif how == "damaged":
        kept.write_bytes(content.replace(b"Malf", b"\xff\xff\xff\xff"))
    else:
        kept.write_bytes(content.replace(b"board 3", b"board 0"))
    live = LiveBoard(reader_of(state), path=kept)
    assert (position(live), live.board.tick) == (0, None)
