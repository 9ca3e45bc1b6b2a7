"""antelog/compile/nodes/plan.py: what a plan says of itself."""

from __future__ import annotations

from antelog.compile.nodes.plan import Argument, Key
from tests.compile.plans import plan_of

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
