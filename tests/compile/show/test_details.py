"""antelog/compile/show/details.py: the details of a plan, line by line."""

from __future__ import annotations

from antelog.compile.show.details import (
    answer_text,
    bounds_lines,
    key_text,
    pattern_lines,
    relation_title,
    source_lines,
    strata_lines,
)
from tests.compile.plans import plan_of

PLAN = plan_of("""input A(x: text, time) delay 2. static S(x). S(a). S(b).
    P(X, T) :- A(X, T), S(X), not B(X, T). P(c, 5) :- A(c, 5). B(X, T) :- A(X, T+1). query P(X, T).""")
QUERY = PLAN.relation("P")


def test_where_facts_come_from() -> None:
    assert list(source_lines(PLAN)) == [
        "input A(x: text, time), delay 2",
        "static S(x: text), 2 facts in the program",
    ]
    assert list(source_lines(PLAN, {"S": 3}))[1].endswith(", 1 derived")


def test_a_query_and_what_its_patterns_fix() -> None:
    assert relation_title(QUERY) == "query P for X, T"
    assert answer_text(QUERY, QUERY.patterns[1]) == "X = c, T = 5"
    assert not list(pattern_lines(QUERY.patterns[0]))


def test_bounds_of_a_query_and_of_what_it_negates() -> None:
    negated = next(relation for relation in PLAN.relations if not relation.is_query)
    assert list(bounds_lines(PLAN, QUERY))[:2] == [
        "delay: decided by T+3 at the latest; confirmed answers are remembered until then",
        "window: 4 ticks",
    ]
    assert "needed until T+3, asked about in P" in list(bounds_lines(PLAN, negated))


def test_strata_and_the_key() -> None:
    assert [line[:2] for line in strata_lines(PLAN)] == ["0:", "1:"]
    assert key_text(PLAN).startswith("partition key: ")
    off = plan_of("Off(T+1) :- Press(T+1), not Off(T). query Off(T).")
    assert list(strata_lines(off)) == ["0: Off, tick by tick"]


def test_what_is_kept_for_ever_is_said() -> None:
    plan = plan_of("""input A(x: text, time). input R(x: text, time) delay 1.
        Old(X, T) :- A(X, T), not R(X, 0..T-1). query Old(X, T).""")
    assert "state: no bound; all there is of R is kept for ever" in list(
        bounds_lines(plan, plan.relation("Old"))
    )
