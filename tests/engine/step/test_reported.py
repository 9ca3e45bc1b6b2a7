"""antelog/engine/step/explanations.py: what is reported of each answer, moment by moment."""

from __future__ import annotations

from dataclasses import replace

from antelog.engine.kernel import current_answers
from antelog.engine.step.explanations import kinds, opened
from antelog.engine.step.query import KINDS, LineSelection
from tests.engine.stages import Fact, Stage, stage

MALF = "input Temp(x, time) delay 2. Malf(X, T) :- Temp(X, T), Temp(X, T+1). query Malf(X, T)."
FACTS = [("Temp", "a", 3, 3), ("Temp", "a", 4, 5)]


def lines(given: Stage, only: tuple[str, ...] = KINDS, before: int = -1) -> list[tuple[int, int, str]]:
    """The lines there are: their tick, the answer's, and the kind."""
    reported = given.reported(only, before)
    kind = kinds(reported, only, before)
    time = reported.found.time.take(reported.found.by_answer.first.take(reported.at.answer))
    found = zip(reported.at.tick.tolist(), time.tolist(), kind.tolist(), strict=True)
    return sorted((tick, about, KINDS[k]) for tick, about, k in found if k >= 0)


def given(facts: list[Fact], now: int = 9, text: str = MALF) -> Stage:
    return stage(text, facts, now)


def test_an_answer_has_a_line_whenever_its_explanations_change() -> None:
    assert lines(given(FACTS)) == [
        (3, 2, "possible"),
        (3, 3, "possible"),
        (4, 2, "rejected"),
        (5, 3, "confirmed"),
        (5, 4, "possible"),
        (7, 4, "rejected"),
    ]


def test_a_step_tells_of_its_own_ticks() -> None:
    assert lines(given(FACTS), before=4) == [(5, 3, "confirmed"), (5, 4, "possible"), (7, 4, "rejected")]


def test_some_kinds_may_be_asked_for() -> None:
    assert lines(given(FACTS), ("confirmed",)) == [(5, 3, "confirmed")]
    assert lines(given(FACTS), ("possible", "rejected"))[-1] == (7, 4, "rejected")


def test_an_answer_is_revised_when_what_it_was_said_to_become_is_overdue() -> None:
    text = """input A(x, time). input B(x, time) delay 1. Sure(X, T) :- B(X, T), B(X, T+1).
        P(X, T) :- A(X, T), not Sure(X, T). query P(X, T)."""
    # With B(a, 3) at 4, not Sure(a, 3) is not decided at 4, as was said at 3, but at 5.
    found = lines(given([("A", "a", 3, 3), ("B", "a", 3, 4)], text=text))
    assert found == [(3, 3, "possible"), (4, 3, "revised"), (5, 3, "confirmed")]


def test_how_many_more_are_open_and_which_are_now() -> None:
    now = given(FACTS, now=5)
    assert opened(now.reported(), -1) == 1
    current = current_answers(now.plan, replace(now.state, now=now.now), "Malf", LineSelection())
    assert sorted(current.reported.status.tolist()) == [0, 1, 2]  # one rejected, one open, one confirmed
