"""What follows from the patterns of a plan: bounds, levels, and the key.

In comes a plan with patterns, out goes the same with all that follows from them; what it had of that makes
no difference. The compiler does so for a plan it has put together, and `well_formed` for one that comes
from elsewhere, to see that it says the same.

    P: A(X, T+3) with delay 2 on A     settled by T+5; level 0; key A: x, P: X
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from antelog.compile.nodes.patterns import Pattern
from antelog.compile.nodes.plan import Plan
from antelog.compile.plan.bounds import bound
from antelog.compile.plan.partition import partition
from antelog.compile.rules.stratify import Edge, Violation, stratify
from antelog.errors import PlanError


def completed(plan: Plan) -> Plan:
    """The plan with all that follows; what it has of that already makes no difference.

    Raises PlanError if an atom may rest on its own negation at the same tick.
    """
    return with_key(with_levels(with_bounds(plan)))


def with_bounds(plan: Plan) -> Plan:
    """How late answers are settled, and how long things matter."""
    bounds = bound({each.name: each.patterns for each in plan.relations}, plan.inputs)
    return replace(plan, relations=tuple(replace(r, bounds=bounds[r.name]) for r in plan.relations))


def with_levels(plan: Plan) -> Plan:
    """The order in which relations are evaluated, each after those it negates."""
    patterns = {each.name: each.patterns for each in plan.relations}
    levels = stratify(patterns, _edges(patterns))
    if isinstance(levels, Violation):
        raise PlanError("a relation rests on its own negation")
    return replace(plan, relations=tuple(replace(r, level=levels[r.name]) for r in plan.relations))


def with_key(plan: Plan) -> Plan:
    """The argument by which facts and answers can be divided."""
    return replace(plan, key=partition(plan.relations, plan.inputs))


def _edges(patterns: Mapping[str, tuple[Pattern, ...]]) -> Iterator[Edge]:
    for name, own in patterns.items():
        for pattern in own:
            for negation in pattern.negations:
                yield Edge(name, negation.relation, negation.time.after(pattern.time), True)
