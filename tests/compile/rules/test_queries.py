"""antelog/compile/rules/queries.py: queries and negated atoms as clauses with one goal."""

from __future__ import annotations

from antelog.compile.nodes.patterns import Atom, Const, Time, Var
from antelog.compile.rules.queries import Frame, frame_of, negation_clause, query_clause
from antelog.diagnostics import Source
from antelog.language import read

CHECKED = read(
    Source("""input A(x, level, time). input B(t, y, time).
        P(X, L, T) :- A(X, L, T), not B(_, _, T). query P(X, high, T+1) window 5 horizon 2. query Q(X, T).
        Q(X, T) :- A(X, _, T).""")
)
WINDOWED, PLAIN = CHECKED.document.queries


def test_the_head_has_the_variables_of_the_query() -> None:
    clause = query_clause(WINDOWED, CHECKED.vocabulary)
    assert clause.head == Atom("P", (Var("X"),), Time("T", 0))
    assert clause.goals == (Atom("P", (Var("X"), Const("high")), Time("T", 1)),)
    assert clause.earliest == (("T", 0),)


def test_a_declared_window_is_a_frame_around_the_answer() -> None:
    frame = frame_of(WINDOWED, CHECKED.vocabulary)
    assert frame == Frame(-5, 2)
    assert frame.width == 7
    assert frame_of(PLAIN, CHECKED.vocabulary) is None


def test_a_negation_asks_for_the_arguments_it_keeps() -> None:
    clause = negation_clause("A", (1,), CHECKED.vocabulary)
    assert clause.head == Atom("A", (Var("Level"),), Time("T", 0))
    assert clause.goals == (Atom("A", (Var("X"), Var("Level")), Time("T", 0)),)


def test_a_column_called_as_the_time_leaves_that_its_name() -> None:
    clause = negation_clause("B", (0, 1), CHECKED.vocabulary)
    assert clause.head.arguments == (Var("X1"), Var("X2"))
