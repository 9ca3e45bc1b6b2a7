"""antelog/compile/nodes/variables.py: which variables stand in the parts of a pattern."""

from __future__ import annotations

from antelog.compile.nodes.patterns import (
    Atom,
    Comparison,
    Const,
    Negated,
    Pattern,
    StaticAtom,
    Sum,
    Time,
    Var,
)
from antelog.compile.nodes.variables import answered, compared, names_in, static_variables, variables_of


def test_variables_of_literals_are_those_of_arguments_and_time() -> None:
    assert variables_of(Atom("R", (Var("D"), Const(3)), Time("U", 1))) == {"D", "U"}
    assert variables_of(Negated("R", (Var("D"), None), Time(None, 4), "R(d, _, t)")) == {"D"}
    assert variables_of(StaticAtom("S", (Var("D"), None, Const("a")))) == {"D"}


def test_variables_of_comparisons() -> None:
    test = Comparison(Var("W"), ">=", Sum("V", 0.5))
    assert compared(test) == variables_of(test) == {"W", "V"}
    assert compared(Comparison(Time("T", 1), "<", Time(None, 9))) == {"T"}
    assert compared(Comparison(Const(1), "<", Const(2))) == frozenset()


def test_variables_of_terms_and_of_the_answer() -> None:
    assert names_in((Var("X"), None, Const(2), Var("X"))) == {"X"}
    assert answered(Pattern((Var("X"), Const("a")), Time("T", 2), ())) == {"X", "T"}
    assert answered(Pattern((Var("X"),), Time(None, 2), ())) == {"X"}


def test_only_background_facts_that_are_there_give_values() -> None:
    statics = (StaticAtom("Room", (Var("R"), None)), StaticAtom("Shut", (Var("S"),), negated=True))
    assert static_variables(Pattern((), Time("T", 0), (), statics)) == {"R"}
