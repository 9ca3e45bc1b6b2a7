"""antelog/compile/patterns/renaming.py: names apart while patterns are put together, readable afterwards."""

from __future__ import annotations

from antelog.compile.literals.fact import Atom
from antelog.compile.literals.terms import Time, Var
from antelog.compile.nodes.patterns import Earliest, Pattern
from antelog.compile.patterns.renaming import apart, from_zero, readable, renamed

X, Y, T = Var("X"), Var("Y"), Time("T", 0)
PATTERN = Pattern((X,), T, (Atom("A", (X, Y), T),), earliest=(Earliest("T", 0),))


def test_a_renamed_pattern_shares_no_variable_and_becomes_readable_again() -> None:
    other = renamed(PATTERN, "~1")
    assert other.text == "A(X~1, Y~1, T~1)"
    assert readable(other) == PATTERN


def test_readable_names_stay_apart() -> None:
    both = Pattern((X,), T, (Atom("A", (X, Var("X~1")), T), Atom("B", (Var("_1"),), T)))
    assert readable(both).text == "A(X, X2, T), B(V1, T)"


def test_the_querys_names_are_for_the_querys_variables() -> None:
    pattern = Pattern((Y,), T, (Atom("A", (Y, X), T),))
    assert apart(pattern, ("X",), "T").text == "A(X, X2, T)"
    plain = Pattern((Y,), T, (Atom("A", (Y,), T),))
    assert apart(plain, ("X",), "T").text == "A(X, T)"


def test_times_of_its_own_begin_at_tick_0() -> None:
    late = Pattern((), T, (Atom("A", (), Time("U", -2)),), earliest=(Earliest("U", 2),))
    assert from_zero(late).text == "A(U)"
    assert from_zero(late).earliest == (Earliest("U", 0),)
