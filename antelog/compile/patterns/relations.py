"""The relations of a program with their patterns: the queries, and what these negate.

In come the clauses of a program, out goes each query with its patterns, then each atom that these
negate with its own, until nothing new is negated. What cannot be followed to its end is handed back
apart, with the reason.

    P(X, T) :- A(X, T), not B(X, T-1).    query P(X, T).
    P: A(X, T), not B(X, T-1)             B(x, time): B(X, T)
"""

from __future__ import annotations

from dataclasses import dataclass

from antelog.compile.nodes.patterns import Pattern, Var
from antelog.compile.patterns.effort import EndlessError, TooManyPatternsError
from antelog.compile.patterns.renaming import apart
from antelog.compile.patterns.resolve import Resolver
from antelog.compile.rules.clauses import Clause
from antelog.compile.rules.program import Clauses
from antelog.compile.rules.queries import frame_of, negation_clause, query_clause
from antelog.language import Checked


@dataclass(frozen=True)
class Asked:
    """A relation that is asked for: its name, whether by a query, and as what clause."""

    name: str
    by_query: bool
    clause: Clause

    @property
    def predicate(self) -> str:
        return self.clause.goals[0].predicate

    @property
    def variables(self) -> tuple[str, ...]:
        """The variables of its answers, without the time."""
        return tuple(a.name for a in self.clause.head.arguments if isinstance(a, Var))


@dataclass(frozen=True)
class Resolved:
    """A relation and its patterns."""

    asked: Asked
    patterns: tuple[Pattern, ...]


@dataclass(frozen=True)
class Failed:
    """A relation whose patterns have no end, or are too many."""

    asked: Asked
    why: EndlessError | TooManyPatternsError


def relations_of(
    checked: Checked, clauses: Clauses, limit: int
) -> tuple[tuple[Resolved, ...], tuple[Failed, ...]]:
    """The queries and what is negated on the way, with their patterns; and those that have none."""
    vocabulary, queries = checked.vocabulary, tuple(checked.document.queries)
    resolver = Resolver(clauses, limit)
    frames = {query.atom.predicate: frame_of(query, vocabulary) for query in queries}
    waiting = [Asked(q.atom.predicate, True, query_clause(q, vocabulary)) for q in queries]
    seen = {asked.name for asked in waiting}
    resolved, failed = [], []
    for asked in waiting:
        try:
            found = resolver.answers(asked.clause, frames.get(asked.predicate))
        except (EndlessError, TooManyPatternsError) as error:
            failed.append(Failed(asked, error))
            continue
        time = asked.clause.head.time.variable
        patterns = tuple(apart(pattern, asked.variables, time) for pattern in found)
        resolved.append(Resolved(asked, patterns))
        for negation in (n for pattern in patterns for n in pattern.negations):
            if negation.relation not in seen:
                seen.add(negation.relation)
                kept = tuple(i for i, a in enumerate(negation.arguments) if a is not None)
                clause = negation_clause(negation.predicate, kept, vocabulary)
                waiting.append(Asked(negation.relation, False, clause))
    return tuple(resolved), tuple(failed)
