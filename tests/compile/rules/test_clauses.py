"""antelog/compile/rules/clauses.py: rules in normal form."""

from __future__ import annotations

import pytest

from tests.compile.plans import pattern_of


@pytest.mark.parametrize(
    ("rule", "pattern"),
    [
        # Equations are put in.
        ("Q(X, T) :- A(X, U), B(X, b, T), U = T - 1.", "A(X, T-1), B(X, b, T)"),
        ("Q(X, T) :- B(X, Y, T), Y = b.", "B(X, b, T)"),
        # `_` becomes a variable of its own in a fact, and stays under negation.
        ("Q(X, T) :- B(X, _, T), not B(X, _, T+1).", "B(X, Y, T), not B(X, _, T+1)"),
        # Rules are put together with names of their own.
        ("Q(X, T) :- P(X, T), P(Y, T+1), X != Y. P(X, T) :- B(X, Y, T).", None),
    ],
)
def test_what_a_rule_becomes(rule: str, pattern: str | None) -> None:
    text = pattern_of(f"input A(x, time). input B(x, y, time). {rule} query Q(X, T).").text
    if pattern is None:
        first, second = text.split("), ")[:2]
        names = {*first.partition("(")[2].split(", "), *second.partition("(")[2].split(", ")} - {"T", "T+1"}
        assert len(names) == 4
    else:
        assert text.replace("V1", "Y") == pattern


def test_an_instance_has_natural_times_only() -> None:
    pattern = pattern_of("input A(x, time). Q(X, T) :- A(X, T-3). query Q(X, T).")
    assert [(each.variable, each.tick) for each in pattern.earliest] == [("T", 3)]
