"""antelog/compile/problems/remarks.py: what is odd about a program that can be run."""

from __future__ import annotations

import pytest

from antelog.compile import compile_program
from antelog.diagnostics import Source
from antelog.language import read

ODD = [
    ("query P(X, T) window 3.", "P(X, T) :- A(X, T).", "W106", "needs no window"),
    ("P(X, T) :- A(X, T), B(X, U).", "query P(X, T).", "W104", "how far U may lie from T"),
]


@pytest.mark.parametrize(("odd", "rest", "code", "said"), ODD)
def test_what_is_odd_is_said_where_it_is(odd: str, rest: str, code: str, said: str) -> None:
    compiled = compile_program(read(Source(f"{odd} {rest}")))
    (found,) = (each for each in compiled.diagnostics if each.code == code)
    assert said in found.message
    assert (found.span.start, found.span.end) == (0, len(odd))
    assert compiled.plan is not None


def test_what_is_usual_is_not_remarked_on() -> None:
    compiled = compile_program(
        read(Source("input A(x: text, time) delay 1. P(X, T) :- A(X, T). query P(X, T)."))
    )
    assert compiled.plan is not None
    assert compiled.diagnostics == ()
