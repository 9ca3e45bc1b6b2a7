"""antelog/compile/problems/{failures,remarks}.py: what is wrong or odd about rules is said where it is."""

from __future__ import annotations

import pytest

from antelog.compile import compile_program
from antelog.diagnostics import Source
from antelog.language import read

WRONG = [
    ("P(X, T) :- P(X, T-1).", "P(X, T) :- A(X, T). query P(X, T).", "E601", "P rests on itself"),
    ("P(X, T) :- A(X, T), not P(X, T).", "query P(X, T).", "E602", "at the same time"),
]
ODD = [
    ("P(X, T) :- A(X, T), 1 > 2.", "P(X, T) :- A(X, T). query P(X, T).", "W107", ""),
    ("query P(X, T) window 3.", "P(X, T) :- A(X, T).", "W106", "needs no window"),
    ("P(X, T) :- A(X, T), B(X, U).", "query P(X, T).", "W104", "how far U may lie from T"),
]


@pytest.mark.parametrize(("odd", "rest", "code", "said"), [*WRONG, *ODD])
def test_what_is_wrong_or_odd_is_said_where_it_is(odd: str, rest: str, code: str, said: str) -> None:
    compiled = compile_program(read(Source(f"{odd} {rest}")))
    (found,) = (each for each in compiled.diagnostics if each.code == code)
    assert said in found.message
    assert (found.span.start, found.span.end) == (0, len(odd))
    assert (compiled.plan is None) is code.startswith("E")


def test_what_is_usual_is_not_remarked_on() -> None:
    compiled = compile_program(
        read(Source("input A(x: text, time) delay 1. P(X, T) :- A(X, T). query P(X, T)."))
    )
    assert compiled.plan is not None
    assert compiled.diagnostics == ()


@pytest.mark.parametrize(
    ("window", "again", "said"),
    [(24, "A(D, V, T), V >= 40", True), (3, "A(D, V, T), V >= 40", False), (24, "A(D, 40, T)", False)],
)
def test_many_facts_with_values_of_their_own_are_slow(window: int, again: str, said: bool) -> None:
    rules = f"R(D, T) :- A(D, V, T), V >= 45. R(D, T) :- R(D, T-1), {again}."
    text = f"input A(d, v, time) delay 1. {rules} query R(D, T) window {window}."
    compiled = compile_program(read(Source(text)))
    assert compiled.plan is not None
    assert any(each.code == "W113" for each in compiled.diagnostics) is said
