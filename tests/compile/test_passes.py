"""antelog/compile/passes.py: declarations, background and relations as a plan."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from antelog.compile.nodes.plan import AnswerVariables, Input, Refinement, Static
from antelog.compile.passes import assembled, with_levels
from antelog.compile.patterns.resolve import relations_of
from antelog.compile.rules.clauses import clauses_of
from antelog.diagnostics import Source
from antelog.errors import PlanError
from antelog.language import read
from tests.compile.plans import plan_of

TEXT = """input A(x: text, v: number, time) delay 2, one per x. delay A(far, _, _) = 5.
    static S(x). S(a). S(b). static R(x). R(X) :- S(X), X != a.
    P(X, T) :- A(X, V, T), V > 3, R(X). query P(X, T)."""


def test_a_plan_has_the_parts_of_the_program() -> None:
    checked = read(Source(TEXT))
    plan = assembled(checked, relations_of(checked, clauses_of(checked)[0], 10)[0])
    slowest = Refinement(("far", None), 5)
    assert plan.inputs == (Input("A", ("x", "v", "time"), ("text", "number"), 2, (slowest,), (0,)),)
    assert plan.statics[0] == Static("S", ("x",), ("text",), (("a",), ("b",)))
    assert [rule.predicate for rule in plan.static_rules] == ["R"]
    (relation,) = plan.relations
    assert (relation.name, relation.is_query) == ("P", True)
    assert relation.answer == AnswerVariables(("X",), ("text",), "T")
    assert relation.answer.names == ("X", "T")


PLAN = plan_of("""input A(x, time) delay 2. P(X, T) :- A(X, T+3), not B(X, T). B(X, T) :- C(X, T).
    query P(X, T). query B(X, T).""")


def test_a_relation_that_negates_itself_has_no_level() -> None:
    (p, b) = PLAN.relations
    pattern = p.patterns[0]
    own = tuple(replace(n, relation="P") for n in pattern.asked)
    circle = replace(p, patterns=(replace(pattern, literals=own),))
    with pytest.raises(PlanError, match="its own negation"):
        with_levels(replace(PLAN, relations=(circle, b)))
