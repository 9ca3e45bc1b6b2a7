"""antelog/watch/board/{input_status,explanations,scoring}.py: lateness, marks, rules, scores."""

import antelog
from antelog.answers import name_of
from antelog.forecast.scores.scores import result
from antelog.language.moments import Timescale
from antelog.watch.board.board import Board
from antelog.watch.board.feed_program import rules_from
from antelog.watch.board.input_status import RATES, REJECTS, Inputs
from antelog.watch.board.tracked_answer import marks, span, tracked
from tests.lines import lines_of
from tests.watch.lines import PROGRAM, confirmed, head, possible, rejected, status


def test_how_much_of_the_delay_is_used() -> None:
    inputs = Inputs()
    inputs.take(status(9, facts=1000)["status"])
    (temp,) = inputs.each()
    assert (temp.name, temp.facts, temp.delay, dict(temp.late)) == ("Temp", 1000, 2, {0: 900, 1: 100})
    assert temp.within == 0.5
    assert inputs.holding == "Temp"


def test_rates_are_from_status_to_status() -> None:
    inputs = Inputs()
    for second in range(RATES + 50):
        at = f"2026-11-25T09:{second // 60:02}:{second % 60:02}.000Z"
        inputs.take(status(second, facts=20 * second, at=at)["status"])
    assert inputs.rates.each("Temp") == [20.0] * (RATES - 1)
    assert inputs.rates.each("Unknown") == [0.0] * (RATES - 1)


def test_rejected_rows_are_bounded() -> None:
    board = Board()
    board.take({"reject": {"input": "Temp", "reason": "late", "row": str(n)}} for n in range(REJECTS + 5))
    assert len(board.inputs.rejects) == REJECTS
    assert board.inputs.rejects[-1]["row"] == str(REJECTS + 4)


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


def test_marks_have_times_where_ticks_have_a_length() -> None:
    line = possible("wt2", 2958000)
    assert [mark.text for mark in marks(line, Timescale(600_000_000))] == [
        "Temp(wt2, high, 2026-03-29 16:00)",
        "Temp(wt2, high, 2026-03-29 16:10)",
    ]
    assert marks(line, None, explanation=1) == []


def test_the_span_of_an_answer_has_its_marks_and_its_deadline() -> None:
    line = possible("wt2", 7)
    assert span(marks(line, None), tracked(line, "a"), 8) == (7, 10)
    assert span(marks(line, None), tracked(line, "a"), 20) == (7, 20)


def test_the_rules_from_an_explanation() -> None:
    program = antelog.parse(PROGRAM)
    found = rules_from(program, "Malf", {"Temp"})
    assert [(each.line, each.text) for each in found] == [
        (3, "Hot(X, T) :- Temp(X, high, T)."),
        (4, "Malf(X, T) :- Hot(X, T), Hot(X, T+1)."),
    ]


def test_rules_that_lead_elsewhere_are_not_behind_it() -> None:
    text = (
        "input A(x, time).\ninput B(x, time).\nC(X, T) :- A(X, T).\nC(X, T) :- B(X, T).\n"
        "Q(X, T) :- B(X, T), not C(X, T+1).\nQ(X, T) :- C(X, T+2), B(X, T).\nquery Q(X, T).\n"
    )
    found = rules_from(antelog.parse(text), "Q", {"B", "C"})
    assert [each.line for each in found] == [5, 6]


def scored(*records: dict) -> tuple[int, int]:  # type: ignore[type-arg]
    board = Board()
    board.take([head(), *records])
    found = board.trust.scores().get("Malf")
    counted = None if found is None else result(found).counted
    return (0, 0) if counted is None else (counted.answers, counted.confirmed)


def test_a_confirmed_answer_is_scored_at_once() -> None:
    assert scored(possible("wt2", 7)) == (0, 0)
    assert scored(possible("wt2", 7), confirmed("wt2", 7, 8)) == (1, 1)


def test_a_rejected_one_once_nothing_can_bring_it_back() -> None:
    reported = (possible("wt2", 7), rejected("wt2", 7, 8))
    assert scored(*reported, status(10)) == (0, 0)
    assert scored(*reported, status(11)) == (1, 0)


def test_one_that_came_back_is_scored_by_what_became_of_it() -> None:
    reported = (possible("wt2", 7), rejected("wt2", 7, 8), possible("wt2", 7, 9), confirmed("wt2", 7, 10))
    assert scored(*reported, status(12)) == (1, 1)


def test_one_that_was_rejected_twice_is_scored_once() -> None:
    reported = (possible("wt2", 7), rejected("wt2", 7, 8), possible("wt2", 7, 9), rejected("wt2", 7, 9))
    assert scored(*reported, status(12)) == (1, 0)


def test_answers_without_chances_have_no_scores() -> None:
    assert scored(possible("wt2", 7, chance=None), confirmed("wt2", 7, 8)) == (0, 0)
    assert name_of("Malf", {"X": "wt2"}) != name_of("Malf", {"X": "wt3"})
