"""What can be known of a plan before any fact has come: what may be certain, and how early."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from antelog.compile.plan import Negated, Plan, Time
from antelog.engine.ahead import Ahead, aheads
from antelog.engine.layout import Layout


@dataclass(frozen=True)
class Foresight:
    """How early atoms may be certain; from tick `steady` on no tick differs from the next.

    `widest` is how far apart times are that rules tie to each other, along any way through them;
    `compared` how far apart comparisons between times put them.
    """

    ahead: Mapping[str, Ahead]
    steady: int
    widest: int
    compared: int

    def evidence(self, layout: Layout) -> float:
        """How many ticks ahead negated literals of a pattern may be certain.

        What is said of all ticks has exceptions where they are certainly false, too.
        """
        found = (self._of(negation, layout) for negation in layout.negations)
        return max(found, default=-math.inf)

    def _of(self, negation: Negated, layout: Layout) -> float:
        time, atom = layout.pattern.time, self.ahead[negation.relation]
        if negation.time.variable != time.variable:
            return 0
        soonest = max(atom.false, atom.true) if layout.endless else atom.false
        return soonest + time.offset - negation.time.offset

    def evidence_at(self, layout: Layout, time: str) -> float:
        """The same, where they are about another time than the answer."""
        tied = (negation for negation in layout.negations if negation.time.variable == time)
        found = (self.ahead[negation.relation].false - negation.time.offset for negation in tied)
        return max(found, default=-math.inf)


def cycles(plan: Plan) -> dict[str, frozenset[str]]:
    """The relations that rest on their own negation, each with all it shares that cycle with."""
    members: dict[int, set[str]] = {}
    for relation in plan.relations:
        members.setdefault(relation.level.component, set()).add(relation.name)
    return {
        relation.name: frozenset(members[relation.level.component])
        for relation in plan.relations
        if len(members[relation.level.component]) > 1 or relation.name in relation.bounds.asked_by
    }


def foresee(plan: Plan) -> Foresight:
    return Foresight(aheads(plan), *_steady(plan))


def _steady(plan: Plan) -> tuple[int, int, int]:
    """From which tick on no rule tells one tick from another; how far apart times are, tied and compared."""
    limits, shifts, compared_ = [0], 0, 0
    for relation in plan.relations:
        for pattern in relation.patterns:
            offsets = [abs(literal.time.offset - pattern.time.offset) for literal in pattern.literals]
            shifts += max(offsets, default=0)
            limits += [abs(e.tick) for e in pattern.earliest]
            limits += [li.time.offset for li in pattern.literals if li.time.variable is None]
            limits += [abs(pattern.time.offset)]
            for comparison in pattern.comparisons:
                fixed = [s.offset for s in (comparison.left, comparison.right) if isinstance(s, Time)]
                limits += [abs(tick) for tick in fixed]
                if all(isinstance(s, Time) and s.variable for s in (comparison.left, comparison.right)):
                    compared_ += abs(fixed[0] - fixed[1])
    return max(limits) + 2 * shifts + 1, shifts, compared_
