"""The rules of a program as clauses, and what its predicates rest on.

In comes a checked program, out go the clauses of each derived predicate; a rule whose conditions
contradict each other has none and is handed back apart. From the clauses follow the edges between
predicates, by which `stratify` sees whether every negation can be decided before what rests on it.

    P(X, T) :- A(X, T), not Q(X, T-2).    P has one clause; it rests on Q, negated, two ticks earlier
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from antelog.compile.rules.clauses import Clause, clause_of
from antelog.compile.rules.stratify import Edge
from antelog.language import Checked, syntax
from antelog.language.vocabulary import Kind

Clauses: TypeAlias = Mapping[str, Sequence[Clause]]
"""The clauses of every derived predicate, by its name."""


def clauses_of(checked: Checked) -> tuple[Clauses, tuple[syntax.Rule, ...]]:
    """The clauses of a program, and the rules that have none, for they can never hold."""
    vocabulary = checked.vocabulary
    asked = frozenset(q.atom.predicate for q in checked.document.queries if _asks_for_all(q))
    clauses: dict[str, list[Clause]] = {
        p.name: [] for p in vocabulary.predicates.values() if p.kind is Kind.DERIVED
    }
    contradictory = []
    for number, rule in enumerate(checked.document.rules):
        if vocabulary.is_derived(rule.head.predicate):
            clause = clause_of(rule, number, vocabulary, asked)
            if clause is None:
                contradictory.append(rule)
            else:
                clauses[rule.head.predicate].append(clause)
    return clauses, tuple(contradictory)


def _asks_for_all(query: syntax.Query) -> bool:
    """Whether every atom of the predicate is an answer to the query."""
    names = [t.name for t in query.atom.terms if isinstance(t, syntax.Variable)]
    return len(set(names)) == len(query.atom.terms)


def edges_of(clauses: Clauses) -> Iterator[Edge]:
    """What each predicate rests on, and how much later."""
    for name, own in clauses.items():
        for clause in own:
            for negative, atoms in ((False, clause.goals), (True, clause.negations)):
                for atom in atoms:
                    if atom.predicate in clauses:
                        weight = atom.time.after(clause.head.time)
                        yield Edge(name, atom.predicate, weight, negative, clause.rule)
