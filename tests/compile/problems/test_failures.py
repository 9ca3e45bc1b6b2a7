"""antelog/compile/problems/failures.py: why rules have no patterns, said to their author."""

from __future__ import annotations

import pytest

from antelog.compile import compile_program
from antelog.diagnostics import Source
from antelog.language import read

WRONG = [
    ("P(X, T) :- P(X, T-1).", "P(X, T) :- A(X, T). query P(X, T).", "E601", "P rests on itself"),
    ("P(X, T) :- A(X, T), not P(X, T).", "query P(X, T).", "E602", "at the same time"),
]


@pytest.mark.parametrize(("odd", "rest", "code", "said"), WRONG)
def test_the_rules_are_named_where_they_are(odd: str, rest: str, code: str, said: str) -> None:
    compiled = compile_program(read(Source(f"{odd} {rest}")))
    (found,) = (each for each in compiled.diagnostics if each.code == code)
    assert said in found.message
    assert (found.span.start, found.span.end) == (0, len(odd))
    assert compiled.plan is None


def test_a_rule_that_never_holds_is_odd_but_no_error() -> None:
    compiled = compile_program(read(Source("P(X, T) :- A(X, T), 1 > 2. P(X, T) :- A(X, T). query P(X, T).")))
    assert compiled.plan is not None
    (found,) = (each for each in compiled.diagnostics if each.code == "W107")
    assert found.span.start == 0
