"""Small programs whose reports, changes and outlooks can be read off, and the laws of the change log."""

from __future__ import annotations

import pytest
from hypothesis import given

from antelog.reference import Evaluation, Report, changes, outlook, snapshots
from antelog.reference.answers import Answer, Explanation
from antelog.reference.history import Kind
from antelog.reference.truth import NEVER
from tests.reference.helpers import evaluate_text, evaluation_of, lines
from tests.strategies import Case, cases


def test_a_needless_hypothesis_is_not_reported_even_for_more_evidence() -> None:
    """A derivation without evidence competes, though it is not reported itself."""
    text = "input C(time). input D(time).\nP(0) :- C(0), D(9).\nP(0) :- D(9).\nquery P(T)."
    assert lines(evaluate_text(text, [("C", (0,), 0)], until=3)) == []


def test_of_the_same_hypotheses_less_evidence_is_enough() -> None:
    text = "input C(time) delay 2. input D(time).\nP(T) :- D(T), C(T).\nP(T) :- C(T).\nquery P(T)."
    assert lines(evaluate_text(text, [("C", (0,), 0), ("D", (0,), 0)], until=1), 0) == ["0: P(T=0) C(0) |"]


def test_a_confirmed_answer_is_reported_once() -> None:
    text = "input C(time). input D(time) delay 3.\nP(T) :- C(T).\nP(T) :- D(T).\nquery P(T)."
    facts = [("C", (0,), 0), ("D", (0,), 2)]
    assert lines(evaluate_text(text, facts, until=4)) == ["0: P(T=0) C(0) |"]


def test_what_is_complete_at_the_tick_of_confirmation_is_reported() -> None:
    text = "input C(time). input D(time) delay 3.\nP(T) :- C(T+1).\nP(T) :- D(T).\nquery P(T)."
    facts = [("C", (1,), 1), ("D", (0,), 1)]
    assert lines(evaluate_text(text, facts, until=4), 1) == ["1: P(T=0) C(1) | ; D(0) |"]


def test_a_clock_driven_answer_is_reported_when_its_time_has_come() -> None:
    text = "input C(time) delay 1.\nP(T) :- not C(T-1).\nquery P(T)."
    evaluation = evaluate_text(text, [("C", (1,), 1)], until=3)
    assert lines(evaluation) == ["1: P(T=1) not C(0) |", "3: P(T=3) not C(2) |"]


def test_a_derivation_whose_time_occurs_under_negation_only_waits_for_its_time() -> None:
    text = "input A(x: text, time). input C(time).\nP(X, T) :- A(X, U), not C(T), T <= U + 2.\nquery P(X, T)."
    found = lines(evaluate_text(text, [("A", ("a", 0), 0)], until=2))
    assert [line for line in found if "X=a" in line and "A(a, 0)" in line] == [
        "0: P(X=a, T=0) A(a, 0), not C(0) |",
        "1: P(X=a, T=1) A(a, 0), not C(1) |",
        "2: P(X=a, T=2) A(a, 0), not C(2) |",
    ]


def test_a_fact_of_the_program_is_an_answer_at_its_time() -> None:
    assert lines(evaluate_text("input C(time).\nP(2).\nP(T) :- C(T).\nquery P(T).")) == ["2: P(T=2) |"]


def test_a_query_projects_constants_and_anonymous_variables() -> None:
    text = "input B(x: text, y: text, time) delay 1.\nP(X, Y, T) :- B(X, Y, T).\n"
    facts = [("B", ("a", "b", 0), 0), ("B", ("a", "c", 0), 1), ("B", ("b", "c", 0), 0)]
    assert lines(evaluate_text(text + "query P(X, _, T).", facts)) == [
        "0: P(X=a, T=0) B(a, b, 0) |",
        "0: P(X=b, T=0) B(b, c, 0) |",
    ]
    assert lines(evaluate_text(text + "query P(X, c, T).", facts)) == [
        "0: P(X=b, T=0) B(b, c, 0) |",
        "1: P(X=a, T=0) B(a, c, 0) |",
    ]
    assert lines(evaluate_text(text + "query P(X, X, T).", [("B", ("a", "a", 1), 1)])) == [
        "1: P(X=a, T=1) B(a, a, 1) |"
    ]


def test_late_and_early_facts_change_nothing() -> None:
    text = "input C(time) delay 1.\nP(T) :- C(T), not C(T+1).\nquery P(T)."
    good = [("C", (1,), 2)]
    bad = [("C", (2,), 4), ("C", (2,), 1), ("C", (0,), 3)]
    assert lines(evaluate_text(text, good + bad)) == lines(evaluate_text(text, good)) != []


def log(evaluation: Evaluation) -> list[str]:
    return [
        f"{c.tick} {c.kind.value} {dict(c.answer)} {sorted(map(str, c.because))}" for c in changes(evaluation)
    ]


def test_the_change_log() -> None:
    text = "input C(time) delay 1.\nP(T) :- C(T), C(T+1), C(T+2).\nquery P(T)."
    facts = [("C", (0,), 0), ("C", (1,), 2), ("C", (2,), 2)]
    assert log(evaluate_text(text, facts)) == [
        "0 possible {'T': 0} []",
        "2 confirmed {'T': 0} []",
        "2 possible {'T': 1} []",
        "2 possible {'T': 2} []",
        "4 rejected {'T': 1} ['C(3)']",
        "4 rejected {'T': 2} ['C(3)']",
    ]


def test_an_answer_can_become_possible_again() -> None:
    text = (
        "input C(time) delay 1. input D(time) delay 5.\nP(0) :- C(0), C(1).\nP(0) :- D(0), D(3).\nquery P(T)."
    )
    facts = [("C", (0,), 0), ("D", (0,), 4)]
    assert log(evaluate_text(text, facts, until=9)) == [
        "0 possible {'T': 0} []",
        "2 rejected {'T': 0} ['C(1)']",
        "4 possible {'T': 0} []",
        "8 rejected {'T': 0} ['D(3)']",
    ]


def test_outlooks() -> None:
    text = "input C(time) delay 1. input D(time) delay 2.\nP(T) :- C(T), not Q(T).\n"
    text += "Q(T) :- D(T), D(T+1).\nquery P(T)."
    evaluation = evaluate_text(text, [("C", (0,), 0), ("D", (0,), 1)], until=3)
    reports = {report.tick: report for report in snapshots(evaluation)}
    ahead = {tick: outlook(evaluation, reports[tick]) for tick in (0, 1)}
    assert [(a.if_silent.change, a.if_silent.tick, a.decided_by) for a in ahead.values() if a.if_silent] == [
        ("confirmed", 2, 3),
        ("confirmed", 3, 3),
    ]
    assert reports[3].confirmed


def test_an_outlook_without_a_bound() -> None:
    text = "input C(time). input D(time).\nP(0) :- C(0), not Q(0).\nQ(0) :- D(T).\nquery P(T)."
    evaluation = evaluate_text(text, [("C", (0,), 0)], until=2)
    ahead = [outlook(evaluation, report) for report in snapshots(evaluation)]
    assert [(a.if_silent, a.decided_by) for a in ahead] == [(None, None)] * 3


# ---- laws ----


@pytest.mark.slow
@given(cases())
def test_the_log_gives_the_answers_of_every_tick(case: Case) -> None:
    """The last line about each answer up to a tick says how it stands at that tick."""
    evaluation = evaluation_of(case)
    reports: dict[int, dict[tuple[str, Answer], frozenset[Explanation]]] = {}
    for report in snapshots(evaluation):
        reports.setdefault(report.tick, {})[report.query, report.answer] = report.explanations
    history = list(changes(evaluation))
    state: dict[tuple[str, Answer], frozenset[Explanation]] = {}
    for tick in range(case.until + 1):
        confirmed = []
        for change in (c for c in history if c.tick == tick):
            key = (change.query, change.answer)
            if change.kind is Kind.REJECTED:
                del state[key]
            else:
                assert state.get(key) != change.explanations
                state[key] = change.explanations
            if change.kind is Kind.CONFIRMED:
                confirmed.append(key)
        assert state == reports.get(tick, {})
        for key in confirmed:
            del state[key]


@pytest.mark.slow
@given(cases(latest=2))
def test_outlooks_come_true(case: Case) -> None:
    """Once everything has arrived, silence is what follows; and each answer is settled by its tick."""
    last = max((arrival for _, _, arrival in case.facts), default=0)
    evaluation = evaluation_of(Case(case.text, case.facts, last), later=4)
    later: dict[tuple[str, Answer], list[Report]] = {}
    for report in snapshots(evaluation):
        later.setdefault((report.query, report.answer), []).append(report)
    for key, reports in later.items():
        for report in reports:
            if report.confirmed:
                continue
            ahead = outlook(evaluation, report)
            if ahead.decided_by is not None:
                literals = {li for e in report.explanations for li in e.hypotheses}
                ticks = [evaluation.truth.literal(literal) for literal in literals]
                assert all(min(t) <= ahead.decided_by for t in ticks), key
            if report.tick < last:
                continue
            following = [r for r in reports if r.tick > report.tick]
            ended = next((r.tick for r in following if r.confirmed), NEVER)
            gone = next(
                (
                    t
                    for t in range(report.tick + 1, evaluation.program.until + 1)
                    if t not in {r.tick for r in following}
                ),
                NEVER,
            )
            expected = min((ended, "confirmed"), (gone, "rejected"))
            if expected[0] < NEVER:
                assert ahead.if_silent is not None
                assert (ahead.if_silent.tick, ahead.if_silent.change) == expected
            else:
                assert ahead.if_silent is None or ahead.if_silent.tick > evaluation.program.until
