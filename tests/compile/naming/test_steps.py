"""antelog/compile/naming/steps.py: one step down to what names values."""

from __future__ import annotations

from antelog.compile.literals.comparison import Comparison
from antelog.compile.literals.terms import Const, Term, Time, Var
from antelog.compile.naming.steps import Step, When, own_tests
from antelog.compile.naming.terms import TIME, Tests, is_private, place, strongest
from tests.compile.plans import pattern_of

AT = When(None, 0, 0)
"""At the answer's time."""

HOT = """input Temp(x, level, v: number, time).
    Hot(X, T) :- Temp(X, high, V, T+1), T >= 5, V > 3. query Hot(X, T)."""


def texts(tests: Tests) -> set[str]:
    return {test.text for test in tests}


def step(text: str, *terms: Term, when: When = AT) -> Step | None:
    return Step.of(pattern_of(text), terms, (), when)


def test_a_pattern_is_followed_with_what_it_is_asked_for() -> None:
    found = step(HOT, Var(place(0)))
    assert found is not None
    assert found.image == {"X": Var("<0>")}
    assert texts(found.tests) == {"<t> >= 5"}
    assert is_private(str(found.image_of(Var("V")).name))  # type: ignore[union-attr]  # a variable stays one


def test_a_literal_adds_what_its_own_variables_have_to_meet() -> None:
    found = step(HOT, Var(place(0)))
    assert found is not None
    (literal,) = pattern_of(HOT).atoms
    assert "V~ > 3" in texts(own_tests(literal.arguments, literal.time, found))


def test_a_constant_of_the_head_is_what_is_asked_for_or_it_leads_nowhere() -> None:
    text = "input A(x, y, time). P(a, Y, T) :- A(b, Y, T). query P(X, Y, T)."
    found = step(text, Var(place(0)), Var(place(1)))
    assert found is not None
    assert found.fixed == ((Const("a"), Var("<0>")),)
    assert texts(found.tests) == {"<0> = a"}
    assert step(text, Const("c"), Var(place(0))) is None


def test_a_pattern_that_is_over_at_the_answers_time_leads_nowhere() -> None:
    text = "input A(x, time). P(X, 3) :- A(X, 3). query P(X, T)."
    assert step(text, Var(place(0)), when=When(4, None, None)) is None
    assert step(text, Var(place(0)), when=When(3, None, None)) is not None


def test_times_below_are_counted_from_the_answers() -> None:
    pattern = pattern_of(HOT)
    (literal,) = pattern.atoms
    assert AT.of(literal.time, pattern) == When(None, -1, 1, 6)
    assert When(None, 2, 4).of(literal.time, pattern) == When(None, 1, 5, 6)
    assert When(7, None, None).of(literal.time, pattern) == When(8, None, None)


def test_of_tests_where_answers_begin_the_one_that_says_most_is_kept() -> None:
    later = [Comparison(Time(TIME, 0), ">=", Time(None, tick)) for tick in (7, 3)]
    other = Comparison(Var("<0>"), "!=", Const("a"))
    assert texts(strongest([*later, other, other])) == {"<t> >= 7", "<0> != a"}
