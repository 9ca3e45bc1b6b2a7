"""antelog/compile/nodes/patterns.py: what a pattern says of itself; what a plan says of itself."""

from __future__ import annotations

import pytest

from antelog.compile.nodes.plan import Argument
from antelog.compile.plan.partition import SeenColumns, input_columns, seen_columns
from tests.compile.plans import pattern_of, plan_of
from tests.tables import cases


def test_a_pattern_is_a_conjunction_with_first_ticks_that_are_not_plain_to_see() -> None:
    plain = pattern_of("static S(x). Q(X, T) :- A(X, T-3), S(X), not S(b), not B(X, T). query Q(X, T).")
    assert plain.text == "S(X), A(X, T-3), not B(X, T), not S(b)"
    text = "P(X, T) :- A(X, T+3). Q(X, T) :- P(X, T-3). query Q(X, T)."
    assert pattern_of(text).text == "A(X, T), T >= 3"


PLAN = plan_of("""input A(x, time). input B(x, time).
    OK(X, T) :- not A(X, T).    P(X, T) :- B(X, T), not OK(X, T).    query P(X, T). query OK(X, T).""")


def test_the_answer_has_positions_that_no_fact_gives_a_value() -> None:
    assert PLAN.relation("P").unguarded == ()
    assert PLAN.relation("OK").unguarded == (0,)


INPUTS = "input Temp(x, level, time) delay 1. input Alarm(site, x, time). static Site(x). Site(a). "


def columns_of(rules: str) -> SeenColumns:
    plan = plan_of(INPUTS + rules)
    (query, *_) = plan.queries
    ((name, pattern),) = [(name, p) for p in query.patterns for name in p.unguarded]
    return seen_columns(name, pattern, query, plan)


@cases(__file__, "columns")
def test_the_columns_of_inputs(rules: str, inputs: dict[str, int]) -> None:
    assert set(columns_of(rules).inputs) == {Argument(*each) for each in inputs.items()}
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
