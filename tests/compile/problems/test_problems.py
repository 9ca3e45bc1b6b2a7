"""antelog/compile/problems/problems.py: what the compiler says to the author of a program."""

from __future__ import annotations

import pytest

from antelog.compile import compile_program
from antelog.diagnostics import Source
from antelog.language import read

ODD = [
    ("P(X, T) :- A(X, T), 1 > 2.", "P(X, T) :- A(X, T). query P(X, T).", "W107", "never holds"),
    ("query P(X, T) window 3.", "P(X, T) :- A(X, T).", "W106", "needs no window"),
    ("P(X, T) :- A(X, T), B(X, U).", "query P(X, T).", "W104", "how far U may lie from T"),
]
WRONG = [
    ("P(X, T) :- P(X, T-1).", "P(X, T) :- A(X, T). query P(X, T).", "E601", "P rests on itself"),
    ("P(X, T) :- A(X, T), not P(X, T).", "query P(X, T).", "E602", "at the same time"),
]


@pytest.mark.parametrize(("odd", "rest", "code", "said"), [*ODD, *WRONG])
def test_each_problem_is_said_once_and_where_it_is(odd: str, rest: str, code: str, said: str) -> None:
    compiled = compile_program(read(Source(f"{odd} {rest}")))
    (found,) = (each for each in compiled.diagnostics if each.code == code)
    assert said in found.message
    assert (found.span.start, found.span.end) == (0, len(odd))
    assert (compiled.plan is None) == code.startswith("E")
