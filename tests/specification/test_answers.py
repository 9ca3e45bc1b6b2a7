"""tests/specification/{ahead,answers,history,refusals,seen,stream}.py: reports that can be read off."""

from __future__ import annotations

import pytest

from antelog.diagnostics import Source
from antelog.language import read
from tests.specification import Change, RefusedError, admit, changes, outlook, snapshots
from tests.specification.helpers import (
    answer_text,
    arriving,
    evaluate_text,
    evaluation_of,
    explanations_text,
    logged,
    stream_of,
)

LOGGED = logged()


@pytest.mark.parametrize("name", LOGGED)
def test_the_log_is_as_it_was_worked_out(name: str) -> None:
    case, lines = LOGGED[name]
    assert [_line(change) for change in changes(evaluation_of(case))] == lines


def _line(change: Change) -> str:
    because = f" because {', '.join(sorted(map(str, change.because)))}" if change.because else ""
    text = f"{change.tick} {change.kind.value} {answer_text(change)} "
    return text + explanations_text(change.explanations) + because


def test_outlooks() -> None:
    text = "input C(time) delay 1. input D(time) delay 2.\nP(T) :- C(T), not Q(T).\n"
    text += "Q(T) :- D(T), D(T+1).\nquery P(T)."
    evaluation = evaluate_text(text, arriving("0: C(0); 1: D(0)"), until=3)
    reports = {report.tick: report for report in snapshots(evaluation)}
    ahead = {tick: outlook(evaluation, reports[tick]) for tick in (0, 1)}
    assert [(a.if_silent.change, a.if_silent.tick, a.decided_by) for a in ahead.values() if a.if_silent] == [
        ("confirmed", 2, 3),
        ("confirmed", 3, 3),
    ]
    assert reports[3].confirmed


def test_an_outlook_without_a_bound() -> None:
    text = "input C(time). input D(time).\nP(0) :- C(0), not Q(0).\nQ(0) :- D(T).\nquery P(T)."
    evaluation = evaluate_text(text, arriving("0: C(0)"), until=2)
    ahead = [outlook(evaluation, report) for report in snapshots(evaluation)]
    assert [(a.if_silent, a.decided_by) for a in ahead] == [(None, None)] * 3


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
    text = "input Temp(x, level, time) delay 2, one per x. P(X, T) :- Temp(X, _, T). query P(X, T)."
    late = "3: Temp(a, low, 0); 0: Temp(a, low, 1); 2: Temp(a, high, 0), Temp(a, high, 0), Temp(a, warm, 0); "
    admitted = admit(read(Source(text)).vocabulary, stream_of(arriving(f"{late}0: Temp(a, 0)")).arrivals)
    assert {str(fact): tick for fact, tick in admitted.arrivals.items()} == {"Temp(a, high, 0)": 2}
    assert sorted((str(each.fact), reason.value) for each, reason in admitted.set_aside) == [
        ("Temp(a, 0)", "malformed"),
        ("Temp(a, low, 0)", "late"),
        ("Temp(a, low, 1)", "early"),
        ("Temp(a, warm, 0)", "conflicting"),
    ]
