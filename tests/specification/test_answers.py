"""tests/specification/{ahead,answers,history,refusals,seen,stream}.py: reports that can be read off."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from antelog.diagnostics import Source
from antelog.language import read
from tests.specification import Change, Evaluation, RefusedError, admit, changes, outlook, snapshots
from tests.specification.helpers import Fact, answer_text, evaluate_text, explanations_text, lines, stream_of


def test_a_needless_hypothesis_is_not_reported_even_for_more_evidence() -> None:
    """The first rule asks for more than the second, so it is dropped before any fact comes."""
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


def reported(text: str, facts: Iterable[Fact], until: int) -> list[str]:
    """The change log in one line each: `1 possible P(X=a, T=1) A(a, 1) | B(a, 2)`."""
    return [_line(change) for change in changes(evaluate_text(text, facts, until))]


def _line(change: Change) -> str:
    because = f" because {', '.join(sorted(map(str, change.because)))}" if change.because else ""
    text = f"{change.tick} {change.kind.value} {answer_text(change)} "
    return text + explanations_text(change.explanations) + because


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


# ---- a fact speaks first ----

RISE = "input Alarm(x, time) delay 2.\nRise(X, T) :- Alarm(X, T), not Alarm(X, T-1).\nquery Rise(X, T)."


def test_a_negation_alone_says_nothing() -> None:
    assert reported(RISE, [], 9) == []
    assert reported(RISE, [("Alarm", ("a", 5), 5)], 9) == [
        "5 possible Rise(X=a, T=5) Alarm(a, 5) | not Alarm(a, 4)",
        "6 confirmed Rise(X=a, T=5) not Alarm(a, 4), Alarm(a, 5) |",
    ]


def test_an_answer_with_an_open_variable_is_one_of_its_own() -> None:
    text = "input p(x, time) delay 2. input r(y, time).\nq(X, T) :- p(X, T), r(Y, T).\nquery q(X, T)."
    assert reported(text, [("r", ("b", 0), 0), ("p", ("a", 0), 1)], 3) == [
        "0 possible q(X=_, T=0) r(b, 0) | p(X, 0)",
        "1 confirmed q(X=a, T=0) p(a, 0), r(b, 0) |",
        "2 rejected q(X=_, T=0) r(b, 0) | p(X, 0) because p(X, 0)",
    ]


def test_a_condition_is_shown_until_it_can_be_tested() -> None:
    text = "input R(x, v: number, time) delay 1.\nquery P(X, T).\n"
    text += "P(X, T) :- R(X, V, T), R(X, W, T+1), W > V + 2."
    assert lines(evaluate_text(text, [("R", ("a", 5, 0), 0)]), 0) == [
        "0: P(X=a, T=0) R(a, 5, 0) | R(a, W, 1) where W > 7"
    ]


def test_conditions_that_leave_no_value_end_a_literal_at_once() -> None:
    text = "input R(v: number, time) delay 3. input C(time) delay 3.\nP(T) :- R(V, T), C(T), V > 95, V < "
    assert lines(evaluate_text(text + "96.\nquery P(T).", [("C", (1,), 1)]), 1) == [
        "1: P(T=1) C(1) | R(V, 1) where V < 96, V > 95"
    ]
    between = (
        "input R(v: number, time) delay 3.\nP(T) :- R(V, T), R(W, T+1), R(Z, T+1), Z > V, Z < W.\nquery P(T)."
    )
    facts = [("R", (9, 1), 1), ("R", (5, 2), 2)]
    assert not any("R(9, 1), R(5, 2)" in each for each in lines(evaluate_text(between, facts, 3)))


def test_hypotheses_are_compared_as_they_read() -> None:
    text = (
        "input A(x, y, time) delay 2. input C(time). input D(time) delay 2.\n"
        "P(T) :- C(T), A(X, #, T).\nP(T) :- C(T), C(T+1), A(X, Y, T), D(T).\nquery P(T)."
    )
    facts: list[Fact] = [("C", (0,), 0), ("C", (1,), 1)]
    same, other = (lines(evaluate_text(text.replace("#", z), facts), 1)[0] for z in "ZX")
    assert same == "1: P(T=0) C(0) | A(X, Z, 0)"
    assert other == "1: P(T=0) C(0) | A(X, X, 0) ; C(0), C(1) | A(X, Y, 0), D(0)"
    alike = "input A(x, y, time) delay 2.\nP(X, T) :- A(X, Y, T), A(X, Z, T+1), A(X, W, T+1).\nquery P(X, T)."
    (one,) = lines(evaluate_text(alike, [("A", ("a", "b", 0), 0)]), 0)
    assert one.count("A(a, ") == 2


def test_asking_for_less_of_one_value_is_not_looked_at() -> None:
    text = (
        "input P(x, time) delay 2. input Q(x, time).\n"
        "R(a, T) :- P(a, T).\nR(X, T) :- P(X, T), Q(X, T-1).\nquery R(X, T)."
    )
    assert lines(evaluate_text(text, [("Q", ("a", 0), 0)]), 0) == ["0: R(X=a, T=1) Q(a, 0) | P(a, 1)"]


# ---- values that have been seen ----

CALM = "input Alarm(x, time) delay 2.\nCalm(X, T) :- not Alarm(X, T)#.\nquery Calm(X, T)."


def test_a_value_has_answers_of_its_own_once_it_has_been_seen() -> None:
    found = reported(CALM.replace("#", ""), [("Alarm", ("a", 1), 1)], 2)
    assert [line for line in found if "T=2" not in line] == [
        "0 possible Calm(X=all others, T=0) | not Alarm(X, 0)",
        "1 possible Calm(X=a, T=0) | not Alarm(a, 0)",
        "1 possible Calm(X=all others, T=1) | not Alarm(X, 1)",
        "2 confirmed Calm(X=a, T=0) not Alarm(a, 0) |",
        "2 confirmed Calm(X=all others, T=0) not Alarm(X, 0) |",
    ]


def test_a_value_that_is_false_when_it_is_seen_gets_no_line() -> None:
    found = reported(CALM.replace("#", ""), [("Alarm", ("a", 0), 1)], 3)
    assert [line for line in found if "T=0" in line] == [
        "0 possible Calm(X=all others, T=0) | not Alarm(X, 0)",
        "2 confirmed Calm(X=all others, T=0) not Alarm(X, 0) |",
    ]
    assert "3 confirmed Calm(X=a, T=1) not Alarm(a, 1) |" in found


def test_constants_and_background_are_seen_from_the_start() -> None:
    others = "0: Calm(X=all others, T=0) | not Alarm(X, 0)"
    assert lines(evaluate_text(CALM.replace("#", ", X != b"), [], 0)) == [others]
    delay = CALM.replace("#", "") + "\ndelay Alarm(c, _) = 1."
    assert lines(evaluate_text(delay, [], 0)) == [others, "0: Calm(X=c, T=0) | not Alarm(c, 0)"]
    site = CALM.replace("not Alarm(X, T)#", "not Loud(X, T)") + "\nLoud(X, T) :- Site(X), Alarm(X, T)."
    assert lines(evaluate_text(site + "\nstatic Site(x).\nSite(d).", [], 0)) == [
        "0: Calm(X=all others, T=0) not Loud(X, 0) |",
        "0: Calm(X=d, T=0) | not Loud(d, 0)",
    ]
    elsewhere = CALM.replace("#", "") + "\nQ(T) :- Alarm(e, T).\nquery Q(T)."
    assert lines(evaluate_text(elsewhere, [], 0)) == [others, "0: Calm(X=e, T=0) | not Alarm(e, 0)"]


def test_what_a_fact_has_in_a_column_is_seen_whether_or_not_it_fits() -> None:
    text = (
        "input Temp(x, level, time).\nHot(X, T) :- Temp(X, high, T).\n"
        "Calm(X, T) :- not Hot(X, T).\nquery Calm(X, T)."
    )
    assert lines(evaluate_text(text, [("Temp", ("a", "low", 0), 0)], 1), 1) == [
        "1: Calm(X=a, T=1) not Hot(a, 1) |",
        "1: Calm(X=all others, T=1) not Hot(X, 1) |",
    ]


def test_what_was_decided_for_all_others_before_a_value_is_seen_is_not_reported_again() -> None:
    text = (
        "input A(x, time). input B(x, time) delay 3.\n"
        "P(X, T) :- not A(X, T).\nP(X, T) :- B(X, T), not A(X, T).\nquery P(X, T)."
    )
    assert [line for line in reported(text, [("B", ("b", 0), 2)], 3) if "T=0" in line] == [
        "0 confirmed P(X=all others, T=0) not A(X, 0) |"
    ]


# ---- facts that exclude each other ----

LEVELS = "input Temp(x, level, time) delay 2, one per x.\n"


def test_the_least_of_several_facts_of_a_slot_counts() -> None:
    text = LEVELS + "P(X, L, T) :- Temp(X, L, T).\nquery P(X, L, T)."
    at_once: list[Fact] = [
        ("Temp", ("a", "low", 0), 1),
        ("Temp", ("a", "high", 0), 1),
        ("Temp", ("a", 7, 0), 1),
    ]
    assert reported(text, at_once[:2], 3) == ["1 confirmed P(X=a, L=high, T=0) Temp(a, high, 0) |"]
    late: list[Fact] = [("Temp", ("a", "high", 0), 3), ("Temp", ("a", "low", 0), 2)]
    assert reported(text, late, 3) == ["2 confirmed P(X=a, L=low, T=0) Temp(a, low, 0) |"]
    assert reported(text, at_once, 3) == ["1 confirmed P(X=a, L=7, T=0) Temp(a, 7, 0) |"]


def test_a_literal_whose_slot_is_taken_is_false() -> None:
    text = LEVELS + "input C(time).\nP(X, T) :- C(T), Temp(a, X, T).\nquery P(X, T)."
    assert reported(text, [("C", (0,), 0), ("Temp", ("a", "low", 0), 1)], 3) == [
        "0 possible P(X=_, T=0) C(0) | Temp(a, X, 0)",
        "1 confirmed P(X=low, T=0) C(0), Temp(a, low, 0) |",
        "1 rejected P(X=_, T=0) C(0) | Temp(a, X, 0) because Temp(a, X, 0)",
    ]


# ---- what only unfolding brings together is refused ----


@pytest.mark.parametrize(
    ("rules", "reason"),
    [
        ("Q(X, T) :- not A(X, T). P(T) :- C(T), Q(_, T). query P(T).", "in negations only"),
        ("Q(X, T) :- not A(X, T). P(T) :- C(T), not Q(_, T). query P(T).", "in negations only"),
        ("Q(X, T) :- not A(X, T). P(X, T) :- Q(X, T), X < b. query P(X, T).", "unguarded"),
        ("Q(X, T) :- A(X, T), X < b. P(X, T) :- C(T), not Q(X, T). query P(X, T).", "unguarded"),
        ("Q(X, T) :- not A(X, T). P(X, Y, T) :- Q(X, T), Q(Y, T). query P(X, Y, T).", "more than one"),
        ("Q(T) :- not C(T). P(X, T) :- A(X, U), Q(T). query P(X, T).", "no upper bound"),
    ],
)
def test_what_unfolding_brings_together_is_refused(rules: str, reason: str) -> None:
    with pytest.raises(RefusedError, match=reason):
        evaluate_text(f"input A(x: text, time). input C(time). {rules}")


def test_facts_are_set_aside_for_the_first_reason_there_is() -> None:
    vocabulary = read(Source(LEVELS + "P(X, T) :- Temp(X, _, T). query P(X, T).")).vocabulary
    rows: list[Fact] = [
        ("Temp", ("a", "low", 0), 3),  # late, so it takes no slot
        ("Temp", ("a", "low", 1), 0),
        ("Temp", ("a", "high", 0), 2),
        ("Temp", ("a", "high", 0), 2),
        ("Temp", ("a", "warm", 0), 2),
        ("Temp", ("a", 0), 0),
    ]
    admitted = admit(vocabulary, stream_of(rows).arrivals)
    assert {str(fact): tick for fact, tick in admitted.arrivals.items()} == {"Temp(a, high, 0)": 2}
    assert sorted((str(each.fact), reason.value) for each, reason in admitted.set_aside) == [
        ("Temp(a, 0)", "malformed"),
        ("Temp(a, low, 0)", "late"),
        ("Temp(a, low, 1)", "early"),
        ("Temp(a, warm, 0)", "conflicting"),
    ]
