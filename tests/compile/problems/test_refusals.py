"""antelog/compile/problems/refusals.py: what rules ask for together that none of them asks for alone."""

from __future__ import annotations

import pytest

from antelog.compile import compile_program
from antelog.diagnostics import Source, errors_of
from antelog.language import read
from tests.specification import RefusedError, Stream, evaluate
from tests.tables import cases

INPUTS = "input A(x, time). input B(x, y, time). "


def codes(rules: str) -> list[str]:
    checked = read(Source(INPUTS + rules))
    assert checked.ok, checked.diagnostics
    compiled = compile_program(checked)
    assert (compiled.plan is None) == bool(errors_of(compiled.diagnostics))
    return [diagnostic.code for diagnostic in errors_of(compiled.diagnostics)]


@cases(__file__, "refused")
def test_what_is_refused(rules: str, code: str) -> None:
    assert codes(rules) == [code]
    with pytest.raises(RefusedError):
        evaluate(read(Source(INPUTS + rules)), Stream(()), 0)


@pytest.mark.parametrize(
    "rules",
    [
        "OK(X, T) :- not A(X, T).  Known(X, T) :- B(X, _, T), OK(X, T). query Known(X, T).",
        "Off(T) :- not A(_, T).  P(X, U) :- A(X, T), Off(U), U >= T, U <= T+5. query P(X, U).",
        "N(X, T) :- not A(X, T).  P(X, T) :- N(X, T), X != b. query P(X, T).",
        "N(X, T) :- A(X, T), count(B(_, V, T), V != c, X != b) > 1.  P(X, T) :- not N(X, T). query P(X, T).",
    ],
)
def test_what_runs(rules: str) -> None:
    assert codes(rules) == []


def test_the_message_shows_the_rules_put_together() -> None:
    source = Source(INPUTS + "OK(X, T) :- not A(X, T).  Any(T) :- OK(_, T). query Any(T).")
    (error,) = errors_of(compile_program(read(source)).diagnostics)
    assert error.message.endswith("once the rules are put together: not A(V1, T)")
    assert source.text[error.span.start : error.span.end] == "query Any(T)."
    assert error.hint


def test_what_the_checks_refuse_is_not_compiled() -> None:
    checked = read(Source("P(X, T) :- A(X, T). query Q(X, T)."))
    assert not checked.ok
    assert compile_program(checked).diagnostics == checked.diagnostics


def test_what_is_usual_is_not_remarked_on() -> None:
    text = "input A(x: text, time) delay 1. P(X, T) :- A(X, T). query P(X, T)."
    assert compile_program(read(Source(text))).diagnostics == ()


@pytest.mark.parametrize(
    ("window", "again", "said"),
    [(24, "A(D, V, T), V >= 40", True), (3, "A(D, V, T), V >= 40", False), (24, "A(D, 40, T)", False)],
)
def test_many_facts_with_values_of_their_own_are_slow(window: int, again: str, said: bool) -> None:
    rules = f"R(D, T) :- A(D, V, T), V >= 45. R(D, T) :- R(D, T-1), {again}."
    text = f"input A(d, v, time) delay 1. {rules} query R(D, T) window {window}."
    found = compile_program(read(Source(text))).diagnostics
    assert any(each.code == "W113" for each in found) is said
