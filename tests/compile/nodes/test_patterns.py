"""antelog/compile/nodes/patterns.py: what a pattern says of itself; what a plan says of itself."""

from __future__ import annotations

import pytest

from antelog.compile.literals.background import StaticAtom
from antelog.compile.literals.fact import Atom
from antelog.compile.literals.negation import Negation
from antelog.compile.literals.terms import Time, Var
from antelog.compile.nodes.columns import SeenColumns, input_columns, seen_columns
from antelog.compile.nodes.patterns import Pattern
from antelog.compile.nodes.plan import Argument, Key
from tests.compile.plans import pattern_of, plan_of

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


PLAN = plan_of("""input A(x, time). input B(x, time).
    OK(X, T) :- not A(X, T).    P(X, T) :- B(X, T), not OK(X, T).    query P(X, T). query OK(X, T).""")


def test_queries_are_the_relations_that_are_asked() -> None:
    assert [query.name for query in PLAN.queries] == ["P", "OK"]
    assert [relation.name for relation in PLAN.relations] == ["P", "OK", "A(x, time)"]
    assert PLAN.relation("A(x, time)").is_query is False


def test_the_answer_has_positions_that_no_fact_gives_a_value() -> None:
    assert PLAN.relation("P").unguarded == ()
    assert PLAN.relation("OK").unguarded == (0,)


def test_a_key_has_a_position_for_each_name_or_a_reason() -> None:
    key = Key((Argument("A", 0), Argument("P", 1)))
    assert (bool(key), key["P"]) == (True, 1)
    assert not Key((), "A has no argument but its time")


INPUTS = "input Temp(x, level, time) delay 1. input Alarm(site, x, time). static Site(x). Site(a). "


def columns_of(rules: str) -> SeenColumns:
    plan = plan_of(INPUTS + rules)
    (query, *_) = plan.queries
    ((name, pattern),) = [(name, p) for p in query.patterns for name in p.unguarded]
    return seen_columns(name, pattern, query, plan)


@pytest.mark.parametrize(
    ("rules", "inputs"),
    [
        ("Calm(X, T) :- not Temp(X, high, T). query Calm(X, T).", {("Temp", 0)}),
        ("Calm(X, T) :- not Alarm(_, X, T). query Calm(X, T).", {("Alarm", 1)}),
        ("Hot(X, T) :- Temp(X, high, T+1). Calm(X, T) :- not Hot(X, T). query Calm(X, T).", {("Temp", 0)}),
        (
            "H(X, T) :- Temp(X, high, T), not Alarm(b, X, T-1). Calm(X, T) :- not H(X, T). query Calm(X, T).",
            {("Temp", 0), ("Alarm", 1)},
        ),
        (
            "Calm(X, T) :- not Temp(X, high, T). Calm(X, T) :- Alarm(X, _, T). query Calm(X, T).",
            {("Temp", 0), ("Alarm", 0)},
        ),
        (
            "Off(X, T+1) :- Temp(X, low, T+1), not Off(X, T). Calm(X, T) :- not Off(X, T). query Calm(X, T).",
            {("Temp", 0)},
        ),
    ],
)
def test_the_columns_of_inputs(rules: str, inputs: set[tuple[str, int]]) -> None:
    assert set(columns_of(rules).inputs) == {Argument(*each) for each in inputs}
    assert input_columns(plan_of(INPUTS + rules)) == set(columns_of(rules).inputs)


@pytest.mark.parametrize(
    ("rules", "constants"),
    [
        ("Calm(X, T) :- not Temp(X, high, T), X != b. query Calm(X, T).", {"b"}),
        ("Hot(c, T) :- Temp(_, high, T). Calm(X, T) :- not Hot(X, T). query Calm(X, T).", {"c"}),
        ("delay Temp(d, _, _) = 3. Calm(X, T) :- not Temp(X, high, T). query Calm(X, T).", {"d"}),
        ("Calm(X, T) :- not Temp(X, high, T), not Temp(e, low, T). query Calm(X, T).", {"e"}),
        ("Calm(X, T) :- not Temp(X, high, T). P(T) :- Temp(f, _, T). query Calm(X, T). query P(T).", {"f"}),
        ("Calm(X, T) :- not Temp(X, high, T). P(T) :- Temp(_, f, T). query Calm(X, T). query P(T).", set()),
    ],
)
def test_the_constants_in_these_columns(rules: str, constants: set[str]) -> None:
    assert set(columns_of(rules).constants) == constants


def test_the_background_in_these_columns() -> None:
    rules = "Hot(X, T) :- Site(X), Temp(X, high, T). Calm(X, T) :- not Hot(X, T). query Calm(X, T)."
    assert columns_of(rules).statics == (Argument("Site", 0),)
    assert input_columns(plan_of(INPUTS + "P(X, T) :- Temp(X, high, T). query P(X, T).")) == frozenset()
