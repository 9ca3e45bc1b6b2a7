"""How far back the facts lie that may still matter.

In comes a plan with its bounds, out goes for each input the first tick whose facts may still matter,
counted from now. An answer matters until it is settled, and with it the facts it rests on, through
negations as well; what is older is given up.

    P(T) :- A(T-3), B(T).    with delay 2 on both: the A of five ticks ago still matters
"""

from __future__ import annotations

from collections.abc import Mapping

from antelog.compile.conditions.times import times_of
from antelog.compile.nodes.patterns import Atom
from antelog.compile.nodes.plan import Input, Plan, Relation


def needed(plan: Plan, cycles: Mapping[str, frozenset[str]]) -> dict[str, int | None]:
    """For each input the first tick whose facts may still matter, counted from now; None: from tick 0 on.

    Of relations in a cycle of negations only what is not settled matters, for the rest is
    remembered. What holds a slot matters as long as another fact may claim it.
    """
    first: dict[str, int | None] = {source.name: _of_slot(source) for source in plan.inputs}
    wanted: dict[str, int | None] = {}
    for relation in sorted(plan.relations, key=lambda r: -r.level.component):
        own = wanted.get(relation.name, 0)
        if relation.asked or relation.name in cycles or relation.name not in wanted:
            delay, late = relation.bounds.delay, lag(plan) if relation.name in cycles else 0
            own = _earlier(own, None if delay is None else -delay - late - 1)
        for pattern in relation.patterns:
            times = times_of(pattern)
            for literal in pattern.literals:
                back = times.furthest(literal.time, pattern.time)
                tick = None if own is None or back is None else own - back
                if isinstance(literal, Atom):
                    first[literal.predicate] = _earlier(first[literal.predicate], tick)
                elif plan.relation(literal.relation).level.component != relation.level.component:
                    wanted[literal.relation] = _earlier(wanted.get(literal.relation, 0), tick)
    return first


def _of_slot(source: Input) -> int:
    if source.slot is None:
        return 1
    return -max(source.delays)


def lag(plan: Plan) -> int:
    """For how many ticks settled atoms are still computed from facts, instead of being remembered.

    What is remembered is only whether an atom is true, not since when; that matters as long as an
    answer is open that may rest on it.
    """
    return max([0, *(query.bounds.delay or 0 for query in plan.queries)]) + widest(plan) + 1


def widest(plan: Plan) -> int:
    """The largest distance of two times that rules tie to each other, over all rules together."""
    return sum(
        max((abs(n.time.offset - p.time.offset) for p in r.patterns for n in p.literals), default=0)
        for r in plan.relations
    )


def _earlier(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else min(one, other)


def reaches(plan: Plan) -> dict[str, int | None]:
    """For each relation how long before its own time an atom's facts are at most; None: no bound.

    Counted through negation too, so that what is known of the ticks from there on decides the atom.
    """
    relations = {relation.name: relation for relation in plan.relations}
    return {name: _reach(relation, relations, frozenset()) for name, relation in relations.items()}


def _reach(relation: Relation, relations: Mapping[str, Relation], above: frozenset[str]) -> int | None:
    if relation.name in above:
        return None
    furthest = -(10**9)
    for pattern in relation.patterns:
        times = times_of(pattern)
        for literal in pattern.literals:
            back = times.furthest(literal.time, pattern.time)
            further: int | None = 0
            if not isinstance(literal, Atom):
                further = _reach(relations[literal.relation], relations, above | {relation.name})
            if back is None or further is None:
                return None
            furthest = max(furthest, back + further)
    return furthest
