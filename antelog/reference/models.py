"""Entailment by definition: models computed bottom-up, without any derivation.

This module is independent of `grounding` on purpose. `perfect_model` is what a program and
a set of facts entail. For positive programs, `hypothetical_answers` and `supported_answers`
are the papers' declarative notions, found by trying every set of hypotheses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from functools import cache
from itertools import chain, combinations, product

from antelog.language import syntax
from antelog.language.syntax import Shifted, Value
from antelog.language.vocabulary import Kind
from antelog.reference.answers import Answer, answer_of
from antelog.reference.atoms import Atom, ground, holds, match, value_of
from antelog.reference.clauses import Clause
from antelog.reference.program import Program
from antelog.reference.stream import delta_of

Model = frozenset[Atom]
Index = Mapping[str, Set[Atom]]


def perfect_model(program: Program, facts: Iterable[Atom]) -> Model:
    """The perfect model of the program's rules and the facts, up to the last tick.

    It is computed as the well-founded model, by the alternating fixpoint, which needs no
    stratification to be known: for a program that has one, and T-stratified programs do, the
    two models are the same.
    """
    start = program.given.union(facts)
    least: Model = frozenset()
    while True:
        most = _least_model(program, start, denied=least)
        new = _least_model(program, start, denied=most)
        if new == least:
            break
        least = new
    if least != most:
        raise ValueError("the program is not stratified over time")
    return least


def _least_model(program: Program, start: Iterable[Atom], denied: Model) -> Model:
    """The least model if a negation holds exactly when `denied` does not have the atom."""
    model = _index(start)
    against = _index(denied)
    while True:
        new = {
            fact
            for clause in program.rules
            for fact in _consequences(program, clause, model, against)
            if fact not in model.get(fact.predicate, ())
        }
        if not new:
            return frozenset(chain.from_iterable(model.values()))
        for fact in new:
            model.setdefault(fact.predicate, set()).add(fact)


def _index(facts: Iterable[Atom]) -> dict[str, set[Atom]]:
    found: dict[str, set[Atom]] = {}
    for fact in facts:
        found.setdefault(fact.predicate, set()).add(fact)
    return found


def _consequences(program: Program, clause: Clause, model: Index, against: Index) -> Iterator[Atom]:
    """What the clause derives at once from the model."""
    found: list[dict[str, Value]] = [{}]
    for atom in (*clause.background, *clause.positive):
        facts = model.get(atom.predicate, frozenset[Atom]())
        found = [new for old in found for fact in facts if (new := match(atom, fact, old)) is not None]
    for partial in found:
        free = [name for name in (*clause.times, *clause.objects) if name not in partial]
        for values in product(*(_range(program, clause, name) for name in free)):
            bindings = {**partial, **dict(zip(free, values, strict=True))}
            if _permitted(program, clause, bindings) and not _refuted(clause, against, bindings):
                yield ground(clause.head, bindings)


def _range(program: Program, clause: Clause, name: str) -> Iterable[Value]:
    if name not in clause.times:
        return program.ranges[clause.objects[name]]
    furthest = max((abs(int(t.offset)) for t in clause.time_terms if isinstance(t, Shifted)), default=0)
    return range(-furthest, program.last + furthest + 1)


def _permitted(program: Program, clause: Clause, bindings: dict[str, Value]) -> bool:
    """Whether all comparisons hold, all times are natural, and the head's is not beyond the last."""
    times = [value_of(term, bindings) for term in clause.time_terms]
    if not all(isinstance(time, int) and time >= 0 for time in times):
        return False
    temporal = program.vocabulary[clause.head.predicate].temporal
    head = value_of(clause.head.terms[-1], bindings) if temporal else 0
    return (
        isinstance(head, int) and head <= program.last and all(holds(c, bindings) for c in clause.comparisons)
    )


def _refuted(clause: Clause, against: Index, bindings: dict[str, Value]) -> bool:
    return any(
        match(atom, fact, bindings) is not None
        for atom in (*clause.missing, *clause.negated)
        for fact in against.get(atom.predicate, ())
    )


def answers(query: syntax.Atom, model: Model) -> frozenset[Answer]:
    """The answers to a query that a model gives: the substitutions θ with Qθ in the model."""
    return frozenset(answer_of(query, fact) for fact in model if match(query, fact, {}) is not None)


def input_atoms(program: Program, values: Iterable[Value], times: Iterable[int]) -> Iterator[Atom]:
    """All input atoms over some values and times."""
    values, times = tuple(values), tuple(times)
    for predicate in program.vocabulary.predicates.values():
        if predicate.kind is Kind.INPUT:
            ranges = [[v for v in values if v in program.ranges[t]] for t in predicate.types]
            yield from (Atom(predicate.name, chosen) for chosen in product(*ranges, times))


def future_possible(program: Program, atom: Atom, now: int) -> bool:
    """FoIKS-22, definition 1: whether the atom may still arrive after `now`."""
    return now < atom.time + delta_of(program.vocabulary, atom)


Hypothetical = tuple[Answer, frozenset[Atom]]
Supported = tuple[Answer, frozenset[Atom], frozenset[Atom]]
Entailed = Callable[[frozenset[Atom]], frozenset[Answer]]


def entailment(program: Program, query: syntax.Atom) -> Entailed:
    """The answers that a positive program gives for a set of facts, as a function that remembers them.

    Only static atoms may be negated, for they do not depend on the facts.
    """
    static = perfect_model(program, ())

    @cache
    def entailed(facts: frozenset[Atom]) -> frozenset[Answer]:
        return answers(query, _least_model(program, program.given | facts, denied=static))

    return entailed


def hypothetical_answers(
    entailed: Entailed, arrived: frozenset[Atom], possible: Iterable[Atom]
) -> frozenset[Hypothetical]:
    """FoIKS-22, definition 2: ⟨θ, H⟩ with H minimal, such that the facts and H entail Qθ.

    H is sought among the given atoms, all of them future-possible.
    """
    return frozenset((answer, chosen) for answer, chosen in _minimal(entailed, arrived, possible))


def supported_answers(
    entailed: Entailed, arrived: frozenset[Atom], possible: Iterable[Atom]
) -> frozenset[Supported]:
    """AAAI-20, definition 2: ⟨θ, H, E⟩ with E a minimal set of facts that with H entails Qθ, E ≠ ∅."""
    hypothetical = hypothetical_answers(entailed, arrived, possible)
    return frozenset(
        (answer, hypotheses, evidence)
        for hypotheses in {h for _, h in hypothetical}
        for answer, evidence in _minimal(entailed, hypotheses, arrived)
        if evidence and (answer, hypotheses) in hypothetical
    )


def _minimal(entailed: Entailed, given: frozenset[Atom], optional: Iterable[Atom]) -> Iterator[Hypothetical]:
    """The answers, each with the minimal subsets of the optional atoms that entail it with the given ones."""
    optional = sorted(optional, key=str)
    found: dict[Answer, list[frozenset[Atom]]] = {}
    for size in range(len(optional) + 1):
        for chosen in map(frozenset, combinations(optional, size)):
            for answer in entailed(given | chosen):
                smaller = found.setdefault(answer, [])
                if not any(known <= chosen for known in smaller):
                    smaller.append(chosen)
                    yield answer, chosen
