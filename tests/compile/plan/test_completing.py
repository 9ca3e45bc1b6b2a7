"""antelog/compile/plan/assembling.py: what follows from the patterns of a plan."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from antelog.compile.nodes.plan import Bounds, Key, Level
from antelog.compile.plan.assembling import with_bounds, with_key, with_levels
from antelog.errors import PlanError
from tests.compile.plans import plan_of

PLAN = plan_of("""input A(x, time) delay 2. P(X, T) :- A(X, T+3), not B(X, T). B(X, T) :- C(X, T).
    query P(X, T). query B(X, T).""")
BARE = replace(
    PLAN,
    key=Key((), "nothing is known"),
    relations=tuple(
        replace(r, bounds=Bounds(None, None, None), level=Level(9, 9, 9)) for r in PLAN.relations
    ),
)


def test_each_step_fills_in_its_part() -> None:
    assert with_bounds(BARE).relation("P").bounds.delay == 5
    assert with_levels(BARE).relation("P").level.component > with_levels(BARE).relation("B").level.component
    assert with_key(BARE).key["A"] == 0


def test_together_they_make_the_plan_whatever_it_had() -> None:
    assert with_key(with_levels(with_bounds(BARE))) == PLAN
    assert with_key(with_levels(with_bounds(PLAN))) == PLAN


def test_a_relation_that_negates_itself_has_no_level() -> None:
    (p, b) = PLAN.relations
    pattern = p.patterns[0]
    own = tuple(replace(n, relation="P") for n in pattern.asked)
    circle = replace(p, patterns=(replace(pattern, literals=own),))
    with pytest.raises(PlanError, match="its own negation"):
        with_levels(replace(PLAN, relations=(circle, b)))
