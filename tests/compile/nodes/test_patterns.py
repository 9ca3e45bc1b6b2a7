"""antelog/compile/nodes/patterns.py: what a pattern says of itself."""

from __future__ import annotations

from antelog.compile.literals.background import StaticAtom
from antelog.compile.literals.fact import Atom
from antelog.compile.literals.negation import Negation
from antelog.compile.literals.terms import Time, Var
from antelog.compile.nodes.patterns import Pattern
from tests.compile.plans import pattern_of

X, Y, T = Var("X"), Var("Y"), Time("T", 0)
A = Atom("A", (X,), T)
NOT_B = Negation("B", (X, None), T + 1, "B(x, _, time)")


def test_time_moves_by_ticks() -> None:
    assert Time("T", 1) + 2 == Time("T", 3)
    assert Time(None, 5) + -2 == Time(None, 3)


def test_how_much_later_a_time_is_than_one_it_is_tied_to() -> None:
    assert Time("T", 1).after(Time("T", 3)) == -2
    assert Time(None, 7).after(Time(None, 3)) == 4
    assert Time("U", 1).after(Time("T", 3)) is None


def test_a_negated_literal_asks_for_the_values_it_has() -> None:
    assert NOT_B.references[0].given == (X,)


def test_a_pattern_with_a_fact_literal_is_fact_driven() -> None:
    pattern = Pattern((X,), T, (A, NOT_B))
    assert (pattern.facts, pattern.asked, pattern.stated) == ((A,), (NOT_B,), (A, NOT_B))
    assert not pattern.clock_driven
    assert (pattern.guarded, pattern.unguarded, pattern.unguarded_time) == (frozenset({"X", "T"}), (), None)


def test_a_pattern_without_one_is_clock_driven_and_leaves_variables_unguarded() -> None:
    pattern = Pattern((X,), T, (NOT_B,))
    assert pattern.clock_driven
    assert (pattern.guarded, pattern.unguarded, pattern.unguarded_time) == (frozenset(), ("X",), "T")


def test_background_that_is_there_guards_a_variable() -> None:
    there, absent = StaticAtom("S", (X,)), StaticAtom("S", (Y,), negated=True)
    assert Pattern((X, Y), T, (NOT_B, there, absent)).unguarded == ("Y",)
    assert Pattern((X, Y), T, (NOT_B, there, absent)).given == {"X"}


def test_an_answer_has_the_values_of_its_variables_and_its_time() -> None:
    assert Pattern((X, Y), T + 2, ()).answered == {"X", "Y", "T"}
    assert Pattern((X,), Time(None, 2), ()).answered == {"X"}


def test_a_pattern_is_a_conjunction_with_first_ticks_that_are_not_plain_to_see() -> None:
    plain = pattern_of("static S(x). Q(X, T) :- A(X, T-3), S(X), not S(b), not B(X, T). query Q(X, T).")
    assert plain.text == "S(X), A(X, T-3), not B(X, T), not S(b)"
    text = "P(X, T) :- A(X, T+3). Q(X, T) :- P(X, T-3). query Q(X, T)."
    assert pattern_of(text).text == "A(X, T), T >= 3"
