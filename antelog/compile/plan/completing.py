"""What follows from the patterns of a plan: bounds, levels, and the key."""

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
    patterns = {r.name: r.patterns for r in plan.relations}
    bounds = bound(patterns, plan.inputs)
    levels = stratify(patterns, _edges(patterns))
    if isinstance(levels, Violation):
        raise PlanError("a relation rests on its own negation")
    relations = tuple(replace(r, bounds=bounds[r.name], level=levels[r.name]) for r in plan.relations)
    return replace(plan, relations=relations, key=partition(relations, plan.inputs))


def _edges(patterns: Mapping[str, tuple[Pattern, ...]]) -> Iterator[Edge]:
    for name, own in patterns.items():
        for pattern in own:
            for negation in pattern.negations:
                related = negation.time.variable == pattern.time.variable
                weight = negation.time.offset - pattern.time.offset if related else None
                yield Edge(name, negation.relation, weight, True)
