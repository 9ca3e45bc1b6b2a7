"""antelog/compile/nodes/patterns.py: what a pattern says of itself."""

from __future__ import annotations

from antelog.compile.nodes.patterns import Atom, Negated, Pattern, StaticAtom, Time, Var

X, Y, T = Var("X"), Var("Y"), Time("T", 0)
A = Atom("A", (X,), T)
NOT_B = Negated("B", (X, None), T + 1, "B(x, _, time)")


def test_time_moves_by_ticks() -> None:
    assert Time("T", 1) + 2 == Time("T", 3)
    assert Time(None, 5) + -2 == Time(None, 3)


def test_how_much_later_a_time_is_than_one_it_is_tied_to() -> None:
    assert Time("T", 1).after(Time("T", 3)) == -2
    assert Time(None, 7).after(Time(None, 3)) == 4
    assert Time("U", 1).after(Time("T", 3)) is None


def test_a_negated_literal_asks_for_the_values_it_has() -> None:
    assert NOT_B.asked == (X,)


def test_a_pattern_with_a_fact_literal_is_fact_driven() -> None:
    pattern = Pattern((X,), T, (A, NOT_B))
    assert (list(pattern.atoms), list(pattern.negations)) == ([A], [NOT_B])
    assert not pattern.clock_driven
    assert (pattern.guarded, pattern.unguarded, pattern.unguarded_time) == (frozenset({"X", "T"}), (), None)


def test_a_pattern_without_one_is_clock_driven_and_leaves_variables_unguarded() -> None:
    pattern = Pattern((X,), T, (NOT_B,))
    assert pattern.clock_driven
    assert (pattern.guarded, pattern.unguarded, pattern.unguarded_time) == (frozenset(), ("X",), "T")


def test_background_that_is_there_guards_a_variable() -> None:
    there, absent = StaticAtom("S", (X,)), StaticAtom("S", (Y,), negated=True)
    assert Pattern((X, Y), T, (NOT_B,), (there, absent)).unguarded == ("Y",)
