"""antelog/compile/rules/program.py: clauses of rules and queries, and what predicates rest on."""

from __future__ import annotations

from antelog.compile.literals.fact import Atom
from antelog.compile.literals.terms import Const, Time, Var
from antelog.compile.rules.program import (
    EvidenceFrame,
    asked_clause,
    clauses_of,
    edges_of,
    frame_of,
    query_clause,
)
from antelog.compile.rules.stratify import Dependency
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
        Dependency("P", "Q", 1, negative=False),
        Dependency("P", "R", None, negative=False),
        Dependency("P", "R", -2, negative=True),
    ]


CHECKED = read(
    Source("""input A(x, level, time). input B(t, y, time).
        P(X, L, T) :- A(X, L, T), not B(_, _, T). query P(X, high, T+1) window 5 horizon 2. query Q(X, T).
        Q(X, T) :- A(X, _, T).""")
)
WINDOWED, PLAIN = CHECKED.document.queries


def test_the_head_has_the_variables_of_the_query() -> None:
    clause = query_clause(WINDOWED, CHECKED.vocabulary)
    assert clause.head == Atom("P", (Var("X"),), Time("T", 0))
    assert clause.facts == (Atom("P", (Var("X"), Const("high")), Time("T", 1)),)
    assert clause.earliest == (("T", 0),)


def test_a_declared_window_is_a_frame_around_the_answer() -> None:
    frame = frame_of(WINDOWED, CHECKED.vocabulary)
    assert frame == EvidenceFrame(-5, 2)
    assert frame.width == 7
    assert frame_of(PLAIN, CHECKED.vocabulary) is None


def test_a_negation_asks_for_the_arguments_it_keeps() -> None:
    clause = asked_clause("A", (1,), CHECKED.vocabulary)
    assert clause.head == Atom("A", (Var("Level"),), Time("T", 0))
    assert clause.facts == (Atom("A", (Var("X"), Var("Level")), Time("T", 0)),)


def test_a_column_called_as_the_time_leaves_that_its_name() -> None:
    clause = asked_clause("B", (0, 1), CHECKED.vocabulary)
    assert clause.head.arguments == (Var("X1"), Var("X2"))
