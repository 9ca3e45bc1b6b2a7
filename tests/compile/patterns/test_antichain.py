"""antelog/compile/patterns/antichain.py: patterns of which none makes another needless."""

from __future__ import annotations

from antelog.compile.nodes.patterns import Atom, Const, Negated, Pattern, Time, Var
from antelog.compile.patterns.antichain import Antichain, minimal

X, T = Var("X"), Time("T", 0)
A, B = Atom("A", (X,), T), Atom("B", (X,), T)
NOT_C = Negated("C", (X,), T, "C(x, time)")


def pattern(*literals: Atom | Negated) -> Pattern:
    return Pattern((X,), T, literals)


def test_what_one_says_with_less_is_not_kept() -> None:
    kept = Antichain()
    assert kept.add(pattern(A))
    assert not kept.add(pattern(A, B))
    assert kept.add(pattern(B))


def test_whichever_comes_first_the_same_are_minimal() -> None:
    one, more, special = pattern(A), pattern(B, A), Pattern((Const("a"),), T, (Atom("A", (Const("a"),), T),))
    assert minimal([more, special, one]) == (one,)
    assert minimal([one, more, special]) == (one,)
    assert minimal([one, one]) == (one,)


def test_the_clock_makes_no_fact_needless() -> None:
    clock, fact = pattern(NOT_C), pattern(A, NOT_C)
    assert minimal([clock, fact]) == (clock, fact)  # the fact may speak before the tick has come
