"""antelog/compile/patterns/resolve.py: a query down its rules, in rounds if it rests on itself."""

from __future__ import annotations

import pytest

from antelog.compile.nodes.text import pattern_text
from antelog.compile.patterns.effort import EndlessError, TooManyPatternsError
from antelog.compile.patterns.resolve import Resolver
from antelog.compile.rules.program import clauses_of
from antelog.compile.rules.queries import frame_of, query_clause
from antelog.diagnostics import Source
from antelog.language import read


def patterns(text: str, limit: int = 100) -> list[str]:
    checked = read(Source(text))
    query = next(checked.document.queries)
    clauses, _ = clauses_of(checked)
    clause = query_clause(query, checked.vocabulary)
    found = Resolver(clauses, limit).answers(clause, frame_of(query, checked.vocabulary))
    return [pattern_text(pattern) for pattern in found]


def test_the_patterns_of_a_predicate_are_put_in_where_it_is_a_goal() -> None:
    text = """P(X, T) :- Q(X, T), B(X, T). Q(X, T) :- A(X, T+1). Q(X, T) :- C(X, T).
        query P(X, T)."""
    assert patterns(text) == ["A(X, T+1), B(X, T)", "C(X, T), B(X, T)"]


def test_recursion_goes_on_until_the_window_is_full() -> None:
    text = "S(X, T) :- R(X, T). S(X, T) :- S(X, T-1). query S(X, T) window 2."
    assert patterns(text) == ["R(X, T)", "R(X, T-1)", "R(X, T-2)"]


def test_without_a_window_it_has_no_end() -> None:
    with pytest.raises(EndlessError) as caught:
        patterns("S(X, T) :- R(X, T). S(X, T) :- S(X, T-1). query S(X, T).")
    assert (caught.value.predicate, caught.value.rules, caught.value.framed) == ("S", (1,), False)


def test_too_many_patterns_name_the_goals_that_multiply() -> None:
    text = "P(X, T) :- Q(X, T), Q(X, T+1). Q(X, T) :- A(X, T). Q(X, T) :- B(X, T). query P(X, T)."
    assert len(patterns(text, limit=4)) == 4
    with pytest.raises(TooManyPatternsError) as caught:
        patterns(text, limit=3)
    assert caught.value.sizes == {0: (("Q", 2), ("Q", 2))}
