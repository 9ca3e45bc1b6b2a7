"""antelog/compile/patterns/subsume.py: literals that can change places."""

from __future__ import annotations

import pytest

from antelog.compile import compile_program
from antelog.compile.patterns.subsume import alike
from antelog.diagnostics import Source
from antelog.language import read


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("A(I, T), B(J, T), B(K, T), J != I, K != I, J != K", [0, 1, 1]),
        ("A(I, T), B(J, T), B(K, T), J != I, K != J", [0, 1, 2]),  # only J is not I
        ("A(I, T), B(J, T), B(K, T+1), I != J, I != K", [0, 1, 2]),  # at another time
        ("A(I, T), B(J, T), B(K, T), J < K, J != I, K != I", [0, 1, 2]),  # in an order
    ],
)
def test_those_are_alike_whose_exchange_changes_nothing(body: str, expected: list[int]) -> None:
    plan = compile_program(read(Source(f"P(I, T) :- {body}. query P(I, T)."))).plan
    assert plan is not None
    (pattern,) = next(plan.queries).patterns
    assert list(alike(pattern)) == expected
