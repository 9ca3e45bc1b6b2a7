"""Groups of answers: those of a device, for the page, alerts, and what people do about them.

Malf(wt2, 7), OK(wt2, 9)     wt2, if X is the program's key, or the first variable of each
Halted(7)                    Halted, which has no variable but the time
"""

from __future__ import annotations

from antelog.compile.nodes.plan import Plan


def group_variables(plan: Plan) -> dict[str, str]:
    """The variable of each query by whose values its answers are grouped, where it has one."""
    positions = {each.name: each.position for each in plan.key.positions}
    found = {}
    for query in plan.queries:
        variables = query.answer.variables
        if variables:
            found[query.name] = variables[positions.get(query.predicate, 0)]
    return found
