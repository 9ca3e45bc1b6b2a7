"""How far back the facts lie that an answer can rest on."""

from __future__ import annotations

from collections.abc import Mapping

from antelog.compile.plan import Atom, Plan, Relation
from antelog.compile.times import times_of


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
