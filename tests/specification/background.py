"""Static predicates: what holds at all times, evaluated bottom-up, naively, stratum by stratum."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set

from tests.specification.clauses import Clause
from tests.specification.literals import Body
from tests.specification.terms import Atom, Substitution, apply


def static_model(clauses: Iterable[Clause], given: Iterable[Atom]) -> frozenset[Atom]:
    """The perfect model of the static clauses and the facts given besides them."""
    clauses = tuple(clauses)
    model = set(given)
    level = _levels(clauses)
    for current in sorted({level[c.head.predicate] for c in clauses}):
        stratum = [c for c in clauses if level[c.head.predicate] == current]
        while new := {fact for c in stratum for fact in _consequences(c, model)} - model:
            model |= new
    return frozenset(model)


def _levels(clauses: tuple[Clause, ...]) -> dict[str, int]:
    """A level for each predicate: not below those it rests on, and above those it negates."""
    rests = [
        (c.head.predicate, each.static.predicate, each.denies)
        for c in clauses
        for each in c.literals
        if each.static
    ]
    level = {name: 0 for c in clauses for name in [c.head.predicate]}
    level |= {name: 0 for _, name, _ in rests}
    for _ in level:
        for head, name, denies in rests:
            level[head] = max(level[head], level[name] + denies)
    return level


def _consequences(clause: Clause, model: Set[Atom]) -> Iterator[Atom]:
    for known in joined(clause.literals, model, {}):
        if all(apply(each, known).holds(model) is not False for each in clause.literals):
            yield apply(clause.head, known)


def joined(literals: Iterable[Body], model: Set[Atom], known: Substitution) -> list[Substitution]:
    """The extensions of a substitution under which all the background literals hold."""
    found = [known]
    for each in literals:
        found = [new for old in found for new in each.joined(model, old)]
    return found
