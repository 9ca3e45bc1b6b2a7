"""Which patterns may make another needless."""

from __future__ import annotations

from hypothesis import given

from antelog import parse
from antelog.compile.plan import Const, Var
from antelog.engine.rivals import rivals_among, within
from tests.engine.replay import runnable
from tests.strategies import Case, cases


@given(cases())
def test_rivals_are_found_as_by_comparing_all_patterns(case: Case) -> None:
    compiled = runnable(case.checked)
    for relation in compiled.plan.relations if compiled else ():
        patterns = relation.patterns
        found = {
            n: {other for other, two in enumerate(patterns) if within(one, two)}
            for n, one in enumerate(patterns)
        }
        assert rivals_among(patterns) == {n: others for n, others in found.items() if others}


def test_a_pattern_is_a_rival_if_another_may_have_all_its_literals() -> None:
    program = parse(
        "input A(x: text, y: text, time) delay 1. input B(x: text, time) delay 1.\n"
        "P(X, T) :- A(X, c, T), B(X, T).\n"  # the next one's, where Y is c
        "P(X, T) :- A(X, Y, T), B(X, T), B(Y, T+1).\n"
        "P(X, T) :- A(X, d, T), B(X, T+3).\n"  # at other ticks than the next one's
        "P(X, T) :- A(X, d, T), B(X, T), B(X, T+2).\n"
        "query P(X, T).\n"
    )
    (relation,) = program.plan.relations
    rivals = [relation.patterns[number] for number in rivals_among(relation.patterns)]
    assert [pattern.literals[0].arguments for pattern in rivals] == [(Var("X"), Const("c"))]
