"""antelog/compile/rules/program.py: the clauses of a program, and what its predicates rest on."""

from __future__ import annotations

from antelog.compile.rules.program import clauses_of, edges_of
from antelog.compile.rules.stratify import Edge
from antelog.diagnostics import Source
from antelog.language import read


def test_each_derived_predicate_has_its_clauses() -> None:
    text = "P(X, T) :- A(X, T). P(X, T) :- B(X, T), 1 > 2. Q(X, T) :- A(X, T). query P(X, T). query Q(X, T)."
    clauses, contradictory = clauses_of(read(Source(text)))
    assert {name: [clause.rule for clause in own] for name, own in clauses.items()} == {"P": [0], "Q": [2]}
    assert [text[rule.span.start : rule.span.end] for rule in contradictory] == ["P(X, T) :- B(X, T), 1 > 2."]


def test_edges_say_how_much_later_a_predicate_rests_on_which() -> None:
    text = (
        "P(X, T) :- Q(X, T+1), not R(X, T-2), R(X, U). Q(X, T) :- A(X, T). R(X, T) :- A(X, T). query P(X, T)."
    )
    clauses, _ = clauses_of(read(Source(text)))
    assert list(edges_of(clauses)) == [
        Edge("P", "Q", 1, negative=False),
        Edge("P", "R", None, negative=False),
        Edge("P", "R", -2, negative=True),
    ]
