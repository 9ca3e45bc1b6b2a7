"""antelog/compile/literals/substitution.py: what variables stand for, in objects and in times."""

from __future__ import annotations

from antelog.compile.literals.comparison import Comparison
from antelog.compile.literals.fact import Atom
from antelog.compile.literals.negation import Negation
from antelog.compile.literals.substitution import Substitution
from antelog.compile.literals.terms import Const, Sum, Time, Var

X, Y, T = Var("X"), Var("Y"), Time("T", 0)


def test_variables_of_the_first_side_are_bound() -> None:
    known = Substitution()
    assert known.unify_terms(X, Y)
    assert (known.term(X), known.term(Y)) == (Y, Y)
    assert known.unify_terms(Y, Const("a"))
    assert known.term(X) == Const("a")
    assert not known.unify_terms(X, Const("b"))


def test_times_are_a_number_of_ticks_apart() -> None:
    known = Substitution()
    assert known.unify_times(Time("U", 1), Time("T", 3))
    assert known.time(Time("U", 0)) == Time("T", 2)
    assert known.unify_times(T, Time(None, 5))
    assert known.time(Time("U", 1)) == Time(None, 8)
    assert not known.unify_times(T, T + 1)  # no tick is one later than itself


def test_what_was_bound_last_can_be_undone() -> None:
    known = Substitution()
    known.bind_object("X", Const(1))
    mark = known.mark()
    known.bind_time("T", Time(None, 4))
    known.undo(mark)
    assert (known.term(X), known.time(T)) == (Const(1), T)


def test_values_are_put_in_everywhere() -> None:
    known = Substitution()
    known.bind_object("X", Const(2))
    known.bind_time("T", Time("U", 1))
    assert Atom("A", (X, Y), T).replaced(known) == Atom("A", (Const(2), Y), Time("U", 1))
    negated = Negation("B", (X, None), T, "B(x, _, time)")
    assert negated.replaced(known) == Negation("B", (Const(2), None), Time("U", 1), "B(x, _, time)")
    assert Comparison(Sum("X", 3), "<", Y).replaced(known) == Comparison(Const(5), "<", Y)
