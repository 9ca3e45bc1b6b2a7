"""antelog/compile/patterns/antichain.py: patterns of which none makes another needless."""

from __future__ import annotations

from antelog.compile.literals.fact import Atom
from antelog.compile.literals.negation import Negation
from antelog.compile.literals.terms import Const, Time, Var
from antelog.compile.nodes.patterns import Pattern
from antelog.compile.patterns.antichain import Antichain, minimal
from antelog.compile.patterns.work import Budget

X, T = Var("X"), Time("T", 0)
A, B = Atom("A", (X,), T), Atom("B", (X,), T)
NOT_C = Negation("C", (X,), T, "C(x, time)")


def pattern(*literals: Atom | Negation) -> Pattern:
    return Pattern((X,), T, literals)


def test_what_one_says_with_less_is_not_kept() -> None:
    kept = Antichain(Budget(1))
    assert kept.add(pattern(A))
    assert not kept.add(pattern(A, B))
    assert kept.add(pattern(B))


def test_whichever_comes_first_the_same_are_minimal() -> None:
    one, more, special = pattern(A), pattern(B, A), Pattern((Const("a"),), T, (Atom("A", (Const("a"),), T),))
    assert minimal([more, special, one], Budget(1)) == (one,)
    assert minimal([one, more, special], Budget(1)) == (one,)
    assert minimal([one, one], Budget(1)) == (one,)


def test_the_clock_makes_no_fact_needless() -> None:
    clock, fact = pattern(NOT_C), pattern(A, NOT_C)
    assert minimal([clock, fact], Budget(1)) == (clock, fact)  # the fact may speak before the tick has come


def test_answers_of_constants_are_compared_with_those_that_say_no_more() -> None:
    def special(*answer: str) -> Pattern:
        terms = tuple(Const(a) if a.islower() else Var(a) for a in answer)
        return Pattern(terms, T, (Atom("A", terms, T),))

    work = Budget(1)
    before, kept = work.steps, Antichain(work)
    assert all(kept.add(special(f"c{i}", "Y")) for i in range(1000))
    assert before - work.steps < 5_000
    assert not kept.add(special("c7", "d"))  # c7 with any Y says so
    assert kept.add(special("e", "d"))
    assert kept.add(special("X", "Y"))
    assert not kept.add(special("e", "f"))


def test_of_many_constants_all_choices_are_found() -> None:
    def special(constants: int) -> Pattern:
        terms = tuple(Const(i) if i < constants else Var(f"X{i}") for i in range(9))
        return Pattern(terms, T, (Atom("A", terms, T),))

    kept = Antichain(Budget(1))
    assert kept.add(special(8))
    assert not kept.add(special(9))
    assert kept.add(special(7))
    assert not kept.add(special(8))


def test_the_steps_to_compare_patterns_follow_their_literals() -> None:
    """Otherwise a program is refused late: a window makes hundreds of patterns with hundreds of literals."""
    work = Budget(1)
    kept, literals = Antichain(work), [Atom("A", (X,), Time("T", -ago)) for ago in range(400)]
    assert kept.add(pattern(*literals))
    before = work.steps
    assert not kept.add(pattern(*literals, B))
    assert 400 < before - work.steps < 5_000
