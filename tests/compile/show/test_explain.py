"""antelog/compile/show/explain.py: a plan as lines of text."""

from __future__ import annotations

from antelog.compile.show.explain import (
    answer_text,
    explain,
    key_text,
    plan_text,
    relation_lines,
    source_lines,
)
from tests.compile.plans import plan_of

PLAN = plan_of("""input A(x: text, time) delay 2. static S(x). S(a). S(b).
    P(X, T) :- A(X, T), S(X), not B(X, T). P(c, 5) :- A(c, 5). B(X, T) :- A(X, T+1). query P(X, T).""")


def test_where_facts_come_from() -> None:
    assert list(source_lines(PLAN))[:1] == ["input A(x: text, time), delay 2"]
    assert "static S(x: text), 2 facts in the program" in list(source_lines(PLAN))[1]
    assert list(source_lines(PLAN, {"S": 3}))[1].endswith(", 3 with what follows")


def test_a_relation_has_its_patterns_and_what_they_fix() -> None:
    lines = list(relation_lines(PLAN.relation("P")))
    assert lines[0] == "query P for X, T"
    assert "  S(X), A(X, T), not B(X, T)" in lines
    assert "  A(c, 5)   giving X = c, T = 5" in lines
    assert answer_text(PLAN.relation("P"), PLAN.relation("P").patterns[1]) == "X = c, T = 5"


def test_the_whole_ends_with_the_key() -> None:
    assert key_text(PLAN).startswith("partition key: ")
    assert explain(PLAN).splitlines()[-1] == key_text(PLAN)
    assert plan_text(PLAN).splitlines() == explain(PLAN).splitlines()
