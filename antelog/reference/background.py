"""Static predicates: what holds at all times, evaluated bottom-up, naively, stratum by stratum."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set

from antelog.language.syntax import Value
from antelog.reference.atoms import Atom, ground, holds, match
from antelog.reference.clauses import Clause


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
    level = {atom.predicate: 0 for c in clauses for atom in c.atoms}
    for _ in level:
        for c in clauses:
            least = [level[a.predicate] for a in c.background] + [level[a.predicate] + 1 for a in c.missing]
            level[c.head.predicate] = max(level[c.head.predicate], *least, 0)
    return level


def _consequences(clause: Clause, model: Set[Atom]) -> Iterator[Atom]:
    for bindings in joined(clause, model, {}):
        if all(holds(c, bindings) for c in clause.comparisons) and absent(clause, model, bindings):
            yield ground(clause.head, bindings)


def joined(clause: Clause, model: Set[Atom], bindings: dict[str, Value]) -> Iterator[dict[str, Value]]:
    """The extensions of the bindings under which all static atoms of the clause hold."""
    found = [bindings]
    for atom in clause.background:
        found = [new for old in found for fact in model if (new := match(atom, fact, old)) is not None]
    yield from found


def absent(clause: Clause, model: Set[Atom], bindings: dict[str, Value]) -> bool:
    """Whether no static atom that the clause negates holds."""
    return not any(match(atom, fact, bindings) is not None for atom in clause.missing for fact in model)
