"""Static predicates: what holds at all times, evaluated bottom-up, naively, stratum by stratum."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set

from tests.specification.clauses import Clause
from tests.specification.terms import ANY, Atom, Substitution, apply, holds, unify


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
    level = {
        atom.predicate: 0 for c in clauses for atom in (c.head, *c.background, *(d.atom for d in c.denials))
    }
    for _ in level:
        for c in clauses:
            least = [level[a.predicate] for a in c.background]
            least += [level[d.atom.predicate] + 1 for d in c.denials]
            level[c.head.predicate] = max(level[c.head.predicate], *least, 0)
    return level


def _consequences(clause: Clause, model: Set[Atom]) -> Iterator[Atom]:
    for known in joined(clause.background, model, {}):
        denied = any(fits(apply(d.atom, known), model) for d in clause.denials)
        if not denied and all(holds(apply(c, known)) for c in clause.comparisons):
            yield apply(clause.head, known)


def joined(atoms: Iterable[Atom], model: Set[Atom], known: Substitution) -> list[Substitution]:
    """The extensions of a substitution under which all these static atoms hold."""
    found = [known]
    for atom in atoms:
        facts = [fact for fact in model if fact.predicate == atom.predicate]
        found = [
            new
            for old in found
            for fact in facts
            if (new := unify(atom.arguments, fact.arguments, old)) is not None
        ]
    return found


def fits(atom: Atom, model: Set[Atom]) -> bool:
    """Whether some fact is an instance of an atom, in which `ANY` may be anything."""
    return any(
        fact.predicate == atom.predicate
        and all(here in (ANY, there) for here, there in zip(atom.arguments, fact.arguments, strict=True))
        for fact in model
    )
