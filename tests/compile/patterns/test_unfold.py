"""antelog/compile/patterns/unfold.py: a clause, and patterns for its goals, give patterns."""

from __future__ import annotations

from antelog.compile.literals.fact import Atom
from antelog.compile.literals.terms import Const, Time, Var
from antelog.compile.nodes.patterns import Pattern
from antelog.compile.patterns.unfold import Spanned, combinations, framed
from antelog.compile.patterns.work import Budget
from antelog.compile.rules.clauses import Clause
from antelog.compile.rules.program import EvidenceFrame

X, Y, T = Var("X"), Var("Y"), Time("T", 0)
P, Q = Atom("P", (X,), T), Atom("Q", (X,), T + 2)
CLAUSE = Clause(P, (Q, Atom("B", (X,), T)), (("T", 0),), 0)
"""P(X, T) :- Q(X, T+2), B(X, T)."""

A = Spanned(Pattern((Y,), T, (Atom("A", (Y, Const(1)), T + 1),)), 0, 1)
OF_B = Spanned(Pattern((Const("b"),), T, (Atom("C", (), T),)), 0, 0)


def texts(clause: Clause, *choice: Spanned, frame: EvidenceFrame | None = None) -> list[str]:
    return [each.pattern.text for each in combinations(clause, [choice, None], frame, Budget(1))]


def test_each_choice_that_fits_gives_a_pattern() -> None:
    assert texts(CLAUSE, A, OF_B) == ["A(X, 1, T+3), B(X, T)", "C(T+2), B(b, T)"]


def test_a_choice_that_does_not_fit_gives_none() -> None:
    asked = Clause(P, (Atom("Q", (Const("a"),), T), CLAUSE.facts[1]), (("T", 0),), 0)
    assert texts(asked, OF_B) == []


def test_a_pattern_is_as_wide_as_its_goals() -> None:
    (found,) = combinations(CLAUSE, [[A], None], None, Budget(1))
    assert (found.first, found.last) == (0, 3)
    assert texts(CLAUSE, A, frame=EvidenceFrame(-1, 1)) == []
    assert texts(CLAUSE, A, frame=EvidenceFrame(-1, 2)) == ["A(X, 1, T+3), B(X, T)"]


def test_times_that_are_not_tied_to_the_answer_are_kept_in_the_frame() -> None:
    loose = Clause(P, (Atom("Q", (X,), Time("U", 0)), CLAUSE.facts[1]), (("T", 0), ("U", 0)), 0)
    (found,) = combinations(loose, [[A], None], EvidenceFrame(-5, 0), Budget(1))
    pattern = framed(found.pattern, 0, Budget(1))
    assert pattern is not None
    assert pattern.text == "A(X, 1, U+1), B(X, T), T-5 <= U, U+1 <= T"
